package render_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/api/v1alpha1"
	"github.com/lwsfed/lwsfed/pkg/render"
	"github.com/lwsfed/lwsfed/pkg/revision"
)

var update = flag.Bool("update", false, "write the golden files")

// TestGolden shows one set on its way: the hub's, a member's copy of it, and what the member makes of that.
func TestGolden(t *testing.T) {
	set := memberSet(t)
	content := revision.Of(&set.Spec)
	unique := content
	unique.Network = &lwsv1.NetworkConfig{SubdomainPolicy: ptr.To(lwsv1.SubdomainUniquePerReplica)}
	unique.Template.LeaderTemplate = nil
	for file, object := range map[string]any{
		"member-set.yaml":               mustMemberSet(t, hubSet(t), input()),
		"member-set-overridden.yaml":    mustMemberSet(t, hubSet(t), input(toH200...)),
		"leader.yaml":                   render.LeaderStatefulSet(leaderAt(set, content), nil),
		"leader-unique-subdomain.yaml":  render.LeaderStatefulSet(leaderAt(set, unique), nil),
		"workers.yaml":                  render.WorkerStatefulSet(set, leaderPod(), content),
		"workers-unique-subdomain.yaml": render.WorkerStatefulSet(set, leaderPod(), unique),
		"service.yaml":                  render.SharedService(set),
		"service-of-group.yaml":         render.GroupService(leaderPod()),
	} {
		t.Run(file, func(t *testing.T) { golden(t, filepath.Join("testdata", file), object) })
	}
}

// toH200 overrides the node pool.
var toH200 = []v1alpha1.JSONPatch{
	{Op: "test", Path: "/spec/leaderWorkerTemplate/workerTemplate/spec/nodeSelector/pool", Value: value(`"h100"`)},
	{Op: "replace", Path: "/spec/leaderWorkerTemplate/workerTemplate/spec/nodeSelector/pool", Value: value(`"h200"`)},
	{Op: "add", Path: "/metadata/labels/pool", Value: value(`"h200"`)},
}

func golden(t *testing.T, path string, object any) {
	t.Helper()
	got, err := yaml.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, got) {
		t.Errorf("%s (-want +got):\n%s", path, cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")))
	}
}

// hubSet is the set of testdata/set.yaml.
func hubSet(t testing.TB) *unstructured.Unstructured {
	t.Helper()
	data, err := os.ReadFile("testdata/set.yaml")
	if err != nil {
		t.Fatal(err)
	}
	set := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(data, &set.Object); err != nil {
		t.Fatal(err)
	}
	return set
}

// memberSet is the member's copy, as its API server gives it back.
func memberSet(t testing.TB) *lwsv1.LeaderWorkerSet {
	t.Helper()
	set := &lwsv1.LeaderWorkerSet{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(mustMemberSet(t, hubSet(t), input()).Object, set); err != nil {
		t.Fatal(err)
	}
	set.UID = "member-uid"
	return set
}

func mustMemberSet(t testing.TB, hub *unstructured.Unstructured, in render.MemberInput) *unstructured.Unstructured {
	t.Helper()
	set, err := render.MemberSet(hub, in)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func leaderAt(set *lwsv1.LeaderWorkerSet, content revision.Content) render.Leader {
	return render.Leader{Set: set, Key: "key-1", Content: content, Replicas: 3, Partition: 2, MaxUnavailable: 1}
}

// leaderPod is the leader of group 1, as stamped.
func leaderPod() *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: "serving",
		Name:      "llama-1",
		UID:       "pod-uid",
		Labels: map[string]string{
			"role":                 "leader",
			lwsv1.LabelName:        "llama",
			lwsv1.LabelWorkerIndex: "0",
			lwsv1.LabelGroupIndex:  "1",
			lwsv1.LabelGroupKey:    "llama-1",
			lwsv1.LabelRevision:    "key-of-pod",
		},
	}}
}
