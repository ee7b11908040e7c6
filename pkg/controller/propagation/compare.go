package propagation

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
)

// annotationAppliedHash on a member's set is the hash of what was last applied.
const annotationAppliedHash = "lwsfed.io/applied-hash"

// withHash puts the hash of a set on it.
func withHash(set *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	raw, err := json.Marshal(set.Object)
	if err != nil {
		return nil, fmt.Errorf("hash the set: %w", err)
	}
	sum := sha256.Sum256(raw)
	annotations := set.GetAnnotations()
	annotations[annotationAppliedHash] = hex.EncodeToString(sum[:8])
	set.SetAnnotations(annotations)
	return set, nil
}

// asApplied says whether a member's set carries desired's hash and still all of desired. Fields of newer
// versions than these types are covered by the hash alone. What others added does not count.
func asApplied(desired *unstructured.Unstructured, live *lwsv1.LeaderWorkerSet) bool {
	if live.Annotations[annotationAppliedHash] != desired.GetAnnotations()[annotationAppliedHash] {
		return false
	}
	want := &lwsv1.LeaderWorkerSet{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(desired.Object, want); err != nil {
		return true // not readable: the API server was asked already, as the hash shows
	}
	if !within(want.Labels, live.Labels) || !within(want.Annotations, live.Annotations) {
		return false
	}
	a, errA := runtime.DefaultUnstructuredConverter.ToUnstructured(&want.Spec)
	b, errB := runtime.DefaultUnstructuredConverter.ToUnstructured(&live.Spec)
	return errA == nil && errB == nil && contains(b, a)
}

func within(want, have map[string]string) bool {
	for k, v := range want {
		if got, ok := have[k]; !ok || got != v {
			return false
		}
	}
	return true
}

// contains says whether have has all that want has. Elements of lists that have names are matched by name and
// may have others between them, as server-side apply merges them; other lists must be of one length.
func contains(have, want any) bool {
	switch want := want.(type) {
	case nil:
		return true
	case map[string]any:
		have, ok := have.(map[string]any)
		if !ok {
			return false
		}
		for k, v := range want {
			if v != nil && !contains(have[k], v) {
				return false
			}
		}
		return true
	case []any:
		have, ok := have.([]any)
		if !ok {
			return false
		}
		return containsList(have, want)
	default:
		return reflect.DeepEqual(have, want)
	}
}

func containsList(have, want []any) bool {
	named := byName(have)
	if named == nil || byName(want) == nil {
		return containsInOrder(have, want)
	}
	for _, w := range want {
		if !contains(named[w.(map[string]any)["name"].(string)], w) {
			return false
		}
	}
	return true
}

func containsInOrder(have, want []any) bool {
	if len(have) != len(want) {
		return false
	}
	for i := range want {
		if !contains(have[i], want[i]) {
			return false
		}
	}
	return true
}

// byName returns the elements of a list by their names, nil if not all have one of their own.
func byName(list []any) map[string]any {
	out := make(map[string]any, len(list))
	for _, element := range list {
		m, _ := element.(map[string]any)
		name, ok := m["name"].(string)
		if _, twice := out[name]; !ok || twice {
			return nil
		}
		out[name] = element
	}
	return out
}
