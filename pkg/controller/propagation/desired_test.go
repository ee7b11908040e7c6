package propagation

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/lwsfed/lwsfed/api/v1alpha1"
	"github.com/lwsfed/lwsfed/pkg/render"
	"github.com/lwsfed/lwsfed/pkg/revision"
)

// rolling is a merge patch of the hub's rollout configuration.
func rolling(c string) string {
	return `{"spec":{"rolloutStrategy":{"rollingUpdateConfiguration":` + c + `}}}`
}

func TestDesiredIsTheClustersShare(t *testing.T) {
	for name, c := range map[string]struct {
		hub      string
		replicas v1alpha1.ReplicaSchedulingType
		i        int
		groups   int64
		rollout  map[string]any
	}{
		"the first of two": {
			"", v1alpha1.Divided, 0, 2, map[string]any{"maxUnavailable": int64(1), "maxSurge": int64(0), "partition": int64(0)},
		},
		"the second of two": {
			"", v1alpha1.Divided, 1, 4, map[string]any{"maxUnavailable": int64(1), "maxSurge": int64(0), "partition": int64(0)},
		},
		"percentages are of the share": {
			rolling(`{"maxUnavailable":"50%","maxSurge":"25%"}`), v1alpha1.Divided, 1, 4,
			map[string]any{"maxUnavailable": int64(2), "maxSurge": int64(1), "partition": int64(0)},
		},
		"a partition is shared": {
			rolling(`{"maxUnavailable":1,"partition":3}`), v1alpha1.Divided, 1, 4,
			map[string]any{"maxUnavailable": int64(1), "maxSurge": int64(0), "partition": int64(2)},
		},
		"a Duplicated set's partition holds in each": {
			rolling(`{"maxUnavailable":1,"partition":2}`), v1alpha1.Duplicated, 0, 2,
			map[string]any{"maxUnavailable": int64(1), "maxSurge": int64(0), "partition": int64(2)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := chosen()
			o.hub = merged(t, o.hub, c.hub)
			o.placement.Spec.Replicas = c.replicas
			set, err := reconciler().desired(o, c.i)
			if err != nil {
				t.Fatal(err)
			}
			groups, _, _ := unstructured.NestedInt64(set.Object, "spec", "replicas")
			if groups != c.groups {
				t.Errorf("%d groups, want %d", groups, c.groups)
			}
			rollout, _, _ := unstructured.NestedMap(set.Object, "spec", "rolloutStrategy", "rollingUpdateConfiguration")
			if diff := cmp.Diff(c.rollout, rollout); diff != "" {
				t.Errorf("rollout (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDesiredSaysWhoseItIs(t *testing.T) {
	o := chosen()
	before := o.hub.DeepCopy()
	set := desiredOf(t, o)
	spec := stored(t, set).Spec
	want := map[string]string{
		v1alpha1.AnnotationOriginUID:     "set",
		v1alpha1.AnnotationFleetRevision: revision.Of(&spec).Key(),
		annotationAppliedHash:            set.GetAnnotations()[annotationAppliedHash],
	}
	if diff := cmp.Diff(want, set.GetAnnotations()); diff != "" {
		t.Errorf("annotations (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"model": "llama", v1alpha1.LabelManagedBy: "hub"}, set.GetLabels()); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, o.hub); diff != "" {
		t.Errorf("the hub's set was changed:\n%s", diff)
	}
}

// The fleet revision is that of the hub, so that all clusters of one set say the same.
func TestOverridesDoNotChangeTheFleetRevision(t *testing.T) {
	o := chosen()
	plain := desiredOf(t, o)
	o.placement.Spec.Clusters[0].Patches = []v1alpha1.JSONPatch{{
		Op: "replace", Path: "/spec/leaderWorkerTemplate/size", Value: &apiextensionsv1.JSON{Raw: []byte(`8`)},
	}}
	overridden := desiredOf(t, o)
	if size := *stored(t, overridden).Spec.LeaderWorkerTemplate.Size; size != 8 {
		t.Errorf("size %d, want 8", size)
	}
	key := v1alpha1.AnnotationFleetRevision
	if diff := cmp.Diff(plain.GetAnnotations()[key], overridden.GetAnnotations()[key]); diff != "" {
		t.Errorf("fleet revision (-plain +overridden):\n%s", diff)
	}
	if asApplied(overridden, stored(t, plain)) {
		t.Error("the set without the override counts as applied")
	}
}

func TestDesiredOfAnOverrideThatCannotBeApplied(t *testing.T) {
	o := chosen()
	o.placement.Spec.Clusters[0].Patches = []v1alpha1.JSONPatch{{Op: "remove", Path: "/spec/none"}}
	_, err := reconciler().desired(o, 0)
	if invalid := (*render.InvalidOverride)(nil); !errors.As(err, &invalid) {
		t.Errorf("error %v, want an InvalidOverride", err)
	}
	if _, err := reconciler().desired(o, 1); err != nil {
		t.Errorf("the other cluster's set: %v", err)
	}
}
