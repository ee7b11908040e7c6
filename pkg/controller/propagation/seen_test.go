package propagation

import (
	"encoding/json"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/api/v1alpha1"
)

const hubSet = `{
	"apiVersion": "leaderworkerset.x-k8s.io/v1", "kind": "LeaderWorkerSet",
	"metadata": {"namespace": "serving", "name": "demo", "uid": "set", "labels": {"model": "llama"}},
	"spec": {"replicas": 6, "leaderWorkerTemplate": {"size": 2, "workerTemplate": {"spec": {"containers": [
		{"name": "main", "image": "a", "env": [{"name": "A", "value": "1"}], "resources": {"limits": {"cpu": "1"}}}
	]}}}}
}`

// chosen is a set that eu, the cluster that is looked at, and us share; eu has no set yet.
func chosen() observed {
	hub := &unstructured.Unstructured{}
	if err := json.Unmarshal([]byte(hubSet), hub); err != nil {
		panic(err)
	}
	p := &v1alpha1.Placement{Spec: v1alpha1.PlacementSpec{
		SetUID: "set", Replicas: v1alpha1.Divided,
		Clusters: []v1alpha1.ClusterDecision{{Name: "eu", Replicas: 2}, {Name: "us", Replicas: 4}},
	}}
	p.UID = "placement"
	return observed{
		key:       key{cluster: "eu", set: types.NamespacedName{Namespace: "serving", Name: "demo"}},
		placement: p, hub: hub,
	}
}

func reconciler() *Reconciler { return &Reconciler{HubID: "hub", Outcomes: &Outcomes{}} }

// desiredOf is what eu's set should be.
func desiredOf(t *testing.T, o observed) *unstructured.Unstructured {
	t.Helper()
	desired, err := reconciler().desired(o, 0)
	if err != nil {
		t.Fatal(err)
	}
	return desired
}

// stored is eu's set as an API server keeps it: with every default.
func stored(t *testing.T, desired *unstructured.Unstructured) *lwsv1.LeaderWorkerSet {
	t.Helper()
	live := &lwsv1.LeaderWorkerSet{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(desired.Object, live); err != nil {
		t.Fatal(err)
	}
	live.UID = "live"
	lwsv1.Default(&live.Spec)
	return live
}

// merged is the object with a JSON merge patch; "" is none.
func merged[T any](t *testing.T, in *T, patch string) *T {
	t.Helper()
	raw, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	if patch != "" {
		if raw, err = jsonpatch.MergePatch(raw, []byte(patch)); err != nil {
			t.Fatal(err)
		}
	}
	out := new(T)
	if err := json.Unmarshal(raw, out); err != nil {
		t.Fatal(err)
	}
	return out
}
