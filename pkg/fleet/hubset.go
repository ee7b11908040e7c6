package fleet

import (
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/multicluster-runtime/pkg/multicluster"
	mcreconcile "sigs.k8s.io/multicluster-runtime/pkg/reconcile"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
)

// ToHubSet names the hub's set that a member's object is of: the one that its label names, or, for a set, the one
// of its own name.
func ToHubSet(_ multicluster.ClusterName, o client.Object) []mcreconcile.Request {
	name := o.GetLabels()[lwsv1.LabelName]
	if _, isSet := o.(*lwsv1.LeaderWorkerSet); isSet {
		name = o.GetName()
	}
	if name == "" {
		return nil
	}
	return []mcreconcile.Request{{Request: reconcile.Request{NamespacedName: types.NamespacedName{Namespace: o.GetNamespace(), Name: name}}}}
}
