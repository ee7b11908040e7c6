package fleet

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
)

// Indexes of members' caches, on Pod, StatefulSet, Service and ControllerRevision.
const (
	// IndexSet is the name of the set that an object carries in its label.
	IndexSet = "lwsfed.io/set"
	// IndexOwner is the UID of the object's controlling owner. Objects without one are not in it.
	IndexOwner = "lwsfed.io/owner"
)

func setIndexes() []index {
	var all []index
	for _, obj := range []client.Object{&corev1.Pod{}, &appsv1.StatefulSet{}, &corev1.Service{}, &appsv1.ControllerRevision{}} {
		all = append(all, index{obj, IndexSet, setName}, index{obj, IndexOwner, ownerUID})
	}
	return all
}

func setName(obj client.Object) []string {
	if name := obj.GetLabels()[lwsv1.LabelName]; name != "" {
		return []string{name}
	}
	return nil
}

func ownerUID(obj client.Object) []string {
	if owner := metav1.GetControllerOfNoCopy(obj); owner != nil {
		return []string{string(owner.UID)}
	}
	return nil
}
