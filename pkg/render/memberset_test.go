package render_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/api/v1alpha1"
	"github.com/lwsfed/lwsfed/pkg/render"
	"github.com/lwsfed/lwsfed/pkg/rollout"
)

// input gives a member 2 of the set's 5 groups, and so its part of budgets and partition.
func input(patches ...v1alpha1.JSONPatch) render.MemberInput {
	config := lwsv1.RollingUpdateConfiguration{
		MaxUnavailable: intstr.FromString("40%"),
		MaxSurge:       intstr.FromString("25%"),
		Partition:      ptr.To(int32(2)),
	}
	return render.MemberInput{
		HubID:         "hub-1",
		FleetRevision: "fleet-key",
		Decision:      v1alpha1.ClusterDecision{Name: "eu-1", Replicas: 2, Patches: patches},
		Rollout:       rollout.Share(config, v1alpha1.Divided, 5, []int32{3, 2}, 1),
	}
}

func value(raw string) *apiextensionsv1.JSON { return &apiextensionsv1.JSON{Raw: []byte(raw)} }

func TestMemberSetOfAMinimalSet(t *testing.T) {
	hub := &unstructured.Unstructured{Object: map[string]any{
		"metadata": map[string]any{"namespace": "serving", "name": "llama", "uid": "hub-uid"},
	}}
	want := map[string]any{
		"apiVersion": "leaderworkerset.x-k8s.io/v1",
		"kind":       "LeaderWorkerSet",
		"metadata": map[string]any{
			"namespace":   "serving",
			"name":        "llama",
			"labels":      map[string]any{"lwsfed.io/managed-by": "hub-1"},
			"annotations": map[string]any{"lwsfed.io/origin-uid": "hub-uid", "lwsfed.io/fleet-revision": "fleet-key"},
		},
		"spec": map[string]any{
			"replicas": int64(2),
			"rolloutStrategy": map[string]any{"rollingUpdateConfiguration": map[string]any{
				"maxUnavailable": int64(0), "maxSurge": int64(1), "partition": int64(1),
			}},
		},
	}
	if diff := cmp.Diff(want, mustMemberSet(t, hub, input()).Object); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestMemberSetLeavesTheHubsAlone(t *testing.T) {
	hub := hubSet(t)
	mustMemberSet(t, hub, input(toH200...))
	if diff := cmp.Diff(hubSet(t).Object, hub.Object); diff != "" {
		t.Errorf("the hub's set changed (-want +got):\n%s", diff)
	}
}

func TestOverride(t *testing.T) {
	const template = "/spec/leaderWorkerTemplate/workerTemplate"
	for name, c := range map[string]struct {
		patches []v1alpha1.JSONPatch
		path    []string // of the result
		want    any
	}{
		"sees what the operation before it wrote": {
			[]v1alpha1.JSONPatch{
				{Op: "add", Path: template + "/spec/priority", Value: value("1")},
				{Op: "test", Path: template + "/spec/priority", Value: value("1")},
				{Op: "replace", Path: template + "/spec/priority", Value: value("2")},
			},
			[]string{"spec", "leaderWorkerTemplate", "workerTemplate", "spec", "priority"},
			int64(2),
		},
		"may remove a field": {
			[]v1alpha1.JSONPatch{{Op: "remove", Path: template + "/spec/nodeSelector"}},
			[]string{"spec", "leaderWorkerTemplate", "workerTemplate", "spec", "nodeSelector"},
			nil,
		},
		"may copy what it may not change": {
			[]v1alpha1.JSONPatch{{Op: "copy", From: "/metadata/name", Path: template + "/spec/hostname"}},
			[]string{"spec", "leaderWorkerTemplate", "workerTemplate", "spec", "hostname"},
			"llama",
		},
		"may move within the spec": {
			[]v1alpha1.JSONPatch{{Op: "move", From: "/spec/startupPolicy", Path: "/spec/fieldOfLater/moved"}},
			[]string{"spec", "fieldOfLater"},
			map[string]any{"versions": "pass", "moved": "LeaderReady"},
		},
		"may set the rollout's budget": {
			[]v1alpha1.JSONPatch{{Op: "replace", Path: "/spec/rolloutStrategy/rollingUpdateConfiguration/maxSurge", Value: value(`"50%"`)}},
			[]string{"spec", "rolloutStrategy", "rollingUpdateConfiguration", "maxSurge"},
			"50%",
		},
		"may not say whose the set is": {
			[]v1alpha1.JSONPatch{
				{Op: "replace", Path: "/metadata/labels/lwsfed.io~1managed-by", Value: value(`"hub-2"`)},
				{Op: "add", Path: "/metadata/labels/lwsfed.io~1other", Value: value(`"x"`)},
			},
			[]string{"metadata", "labels"},
			map[string]any{"model": "llama", "lwsfed.io/managed-by": "hub-1"},
		},
		"may replace all annotations but ours": {
			[]v1alpha1.JSONPatch{{Op: "replace", Path: "/metadata/annotations", Value: value(`{"a":"b","lwsfed.io/origin-uid":"x"}`)}},
			[]string{"metadata", "annotations"},
			map[string]any{"a": "b", "lwsfed.io/origin-uid": "hub-uid", "lwsfed.io/fleet-revision": "fleet-key"},
		},
		"may remove all labels but ours": {
			[]v1alpha1.JSONPatch{{Op: "remove", Path: "/metadata/labels"}},
			[]string{"metadata", "labels"},
			map[string]any{"lwsfed.io/managed-by": "hub-1"},
		},
		"may set null": {
			[]v1alpha1.JSONPatch{
				{Op: "add", Path: "/spec/networkConfig", Value: value(`{"subdomainPolicy":"Shared"}`)},
				{Op: "replace", Path: "/spec/networkConfig", Value: value("null")},
			},
			[]string{"spec", "networkConfig"},
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			set := mustMemberSet(t, hubSet(t), input(c.patches...))
			got, _, err := unstructured.NestedFieldNoCopy(set.Object, c.path...)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestInvalidOverride(t *testing.T) {
	ok := v1alpha1.JSONPatch{Op: "add", Path: "/spec/x", Value: value("1")}
	for name, c := range map[string]struct {
		patches []v1alpha1.JSONPatch
		index   int
		op      string
	}{
		"a path that is not there":         {[]v1alpha1.JSONPatch{ok, {Op: "remove", Path: "/spec/absent"}}, 1, "remove"},
		"a test that fails":                {[]v1alpha1.JSONPatch{ok, ok, {Op: "test", Path: "/spec/x", Value: value("2")}}, 2, "test"},
		"an unknown operation":             {[]v1alpha1.JSONPatch{{Op: "merge", Path: "/spec/x", Value: value("1")}}, 0, "merge"},
		"an addition without value":        {[]v1alpha1.JSONPatch{{Op: "add", Path: "/spec/x"}}, 0, "add"},
		"a value that is not JSON":         {[]v1alpha1.JSONPatch{{Op: "add", Path: "/spec/x", Value: value("{")}}, 0, "add"},
		"the number of groups":             {[]v1alpha1.JSONPatch{{Op: "replace", Path: "/spec/replicas", Value: value("9")}}, 0, "replace"},
		"a move of the number of groups":   {[]v1alpha1.JSONPatch{{Op: "move", From: "/spec/replicas", Path: "/spec/x"}}, 0, "move"},
		"a move of the name":               {[]v1alpha1.JSONPatch{{Op: "move", From: "/metadata/name", Path: "/spec/x"}}, 0, "move"},
		"the name":                         {[]v1alpha1.JSONPatch{{Op: "replace", Path: "/metadata/name", Value: value(`"x"`)}}, 0, "replace"},
		"a path that only begins alike":    {[]v1alpha1.JSONPatch{{Op: "add", Path: "/metadata/labelsAndMore", Value: value("{}")}}, 0, "add"},
		"the whole spec":                   {[]v1alpha1.JSONPatch{{Op: "replace", Path: "/spec", Value: value("{}")}}, 0, "replace"},
		"the whole set":                    {[]v1alpha1.JSONPatch{{Op: "replace", Path: "", Value: value("{}")}}, 0, "replace"},
		"labels that are not strings":      {[]v1alpha1.JSONPatch{{Op: "add", Path: "/metadata/labels/x", Value: value("1")}}, 0, ""},
		"annotations that are not strings": {[]v1alpha1.JSONPatch{{Op: "replace", Path: "/metadata/annotations", Value: value("[]")}}, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := render.MemberSet(hubSet(t), input(c.patches...))
			var invalid *render.InvalidOverride
			if !errors.As(err, &invalid) {
				t.Fatalf("error %v, want an InvalidOverride", err)
			}
			if invalid.Index != c.index || invalid.Op != c.op {
				t.Errorf("operation %d %q, want %d %q", invalid.Index, invalid.Op, c.index, c.op)
			}
			if c.op != "" && !strings.Contains(err.Error(), c.patches[c.index].Path) {
				t.Errorf("message %q does not name the path", err)
			}
		})
	}
}

// Each operation may double the set, and a policy has room for thousands.
func TestOverridesThatGrowWithoutBoundAreRefused(t *testing.T) {
	var patches []v1alpha1.JSONPatch
	for i := range 40 {
		patches = append(patches, v1alpha1.JSONPatch{Op: "copy", From: "/spec", Path: "/spec/" + strings.Repeat("x", i+1)})
	}
	_, err := render.MemberSet(hubSet(t), input(patches...))
	var invalid *render.InvalidOverride
	if !errors.As(err, &invalid) || invalid.Index == 0 {
		t.Errorf("error %v, want an InvalidOverride of a later operation", err)
	}
}

func FuzzOverride(f *testing.F) {
	f.Add("add", "/spec/x", "", `1`)
	f.Add("move", "/metadata/labels/a~1b", "/spec/replicas", ``)
	f.Add("copy", "/spec/leaderWorkerTemplate/workerTemplate/spec/containers/-1", "/metadata", ``)
	f.Add("replace", "/metadata/labels", "", `{"a":1}`)
	f.Add("remove", "/spec/leaderWorkerTemplate/workerTemplate/spec/containers/0", "", ``)
	f.Add("test", "", "", `null`)
	f.Fuzz(func(t *testing.T, op, path, from, raw string) {
		patch := v1alpha1.JSONPatch{Op: op, Path: path, From: from}
		if raw != "" {
			patch.Value = value(raw)
		}
		hub := hubSet(t)
		set, err := render.MemberSet(hub, input(patch))
		if diff := cmp.Diff(hubSet(t).Object, hub.Object); diff != "" {
			t.Errorf("the hub's set changed (-want +got):\n%s", diff)
		}
		if err != nil {
			if !errors.As(err, new(*render.InvalidOverride)) {
				t.Errorf("error %v is not an InvalidOverride", err)
			}
			return
		}
		plain := mustMemberSet(t, hub, input())
		for _, path := range [][]string{
			{"apiVersion"},
			{"kind"},
			{"metadata", "namespace"},
			{"metadata", "name"},
			{"metadata", "labels", v1alpha1.LabelManagedBy},
			{"metadata", "annotations", v1alpha1.AnnotationOriginUID},
			{"metadata", "annotations", v1alpha1.AnnotationFleetRevision},
			{"metadata", "finalizers"},
			{"metadata", "ownerReferences"},
			{"spec", "replicas"},
			{"status"},
		} {
			want, _, _ := unstructured.NestedFieldNoCopy(plain.Object, path...)
			got, _, _ := unstructured.NestedFieldNoCopy(set.Object, path...)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", strings.Join(path, "."), diff)
			}
		}
	})
}
