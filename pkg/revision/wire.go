package revision

import (
	"encoding/json"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
)

// Encode is the data of a ControllerRevision that holds the content: a strategic merge patch of a
// LeaderWorkerSet, the form that other LWS controllers store and read.
func Encode(c Content) runtime.RawExtension {
	spec := c.wire()
	spec["$patch"] = "replace"
	data, err := json.Marshal(map[string]any{"spec": spec})
	if err != nil {
		// Maps of plain values always marshal.
		panic(fmt.Sprintf("marshal revision data: %v", err))
	}
	return runtime.RawExtension{Raw: data}
}

// Decode returns the content of a revision, with defaults applied. It fails where the data is not that of
// a LeaderWorkerSet's revision.
func Decode(r *appsv1.ControllerRevision) (Content, error) {
	var stored struct {
		Spec *struct {
			Template *lwsv1.LeaderWorkerTemplate `json:"leaderWorkerTemplate"`
			Network  *lwsv1.NetworkConfig        `json:"networkConfig"`
		} `json:"spec"`
	}
	if err := json.Unmarshal(r.Data.Raw, &stored); err != nil {
		return Content{}, fmt.Errorf("decode revision %q: %w", r.Name, err)
	}
	if stored.Spec == nil || stored.Spec.Template == nil {
		return Content{}, fmt.Errorf("decode revision %q: data has no spec.leaderWorkerTemplate", r.Name)
	}
	return normalise(*stored.Spec.Template, stored.Spec.Network), nil
}

// KeyOf is the revision key that an object carries, "" if none.
func KeyOf(o metav1.Object) string { return o.GetLabels()[lwsv1.LabelRevision] }

// Name is the name of the revision of a set that has the key.
func Name(set, key string) string { return set + "-" + key }

// New is a revision of the set, owned by it, with the content under the key. Number orders the revisions of
// a set by age, as in StatefulSets.
func New(set *lwsv1.LeaderWorkerSet, c Content, key string, number int64) *appsv1.ControllerRevision {
	return &appsv1.ControllerRevision{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: set.Namespace,
			Name:      Name(set.Name, key),
			Labels: map[string]string{
				lwsv1.LabelName:     set.Name,
				lwsv1.LabelRevision: key,
			},
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(set, lwsv1.GroupVersion.WithKind(lwsv1.Kind))},
		},
		Data:     Encode(c),
		Revision: number,
	}
}

// Belongs reports whether r is a revision of the set: owned by it, or without a controller and with its
// name label. One of a deleted set of the same name does not belong.
func Belongs(r *appsv1.ControllerRevision, set *lwsv1.LeaderWorkerSet) bool {
	if owner := metav1.GetControllerOf(r); owner != nil {
		return owner.UID == set.UID
	}
	return r.Labels[lwsv1.LabelName] == set.Name
}
