package fleet

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/source"
	"sigs.k8s.io/multicluster-runtime/pkg/multicluster"
	mcreconcile "sigs.k8s.io/multicluster-runtime/pkg/reconcile"
	mcsource "sigs.k8s.io/multicluster-runtime/pkg/source"
)

// Kind watches objects of obj's kind in every member. toRequests names the keys that an object concerns, cluster
// included ("" is the hub). Only the kinds that members' caches hold can be watched.
//
// It is used instead of the library's own source because that one blocks the engagement of every other member
// while one member's list does not come.
func Kind(obj client.Object, toRequests func(multicluster.ClusterName, client.Object) []mcreconcile.Request, predicates ...predicate.Predicate) mcsource.Source {
	return kind{obj: obj, toRequests: toRequests, predicates: predicates}
}

type kind struct {
	obj        client.Object
	toRequests func(multicluster.ClusterName, client.Object) []mcreconcile.Request
	predicates []predicate.Predicate
}

// ForCluster returns the source for one member.
func (k kind) ForCluster(name multicluster.ClusterName, cl cluster.Cluster) (source.TypedSource[mcreconcile.Request], bool, error) {
	enqueue := handler.TypedEnqueueRequestsFromMapFunc(func(_ context.Context, obj client.Object) []mcreconcile.Request {
		return k.toRequests(name, obj)
	})
	// The copy is needed: a source keeps its object, and members must not share one.
	obj := k.obj.DeepCopyObject().(client.Object)
	return source.TypedKind(cl.GetCache(), obj, enqueue, k.predicates...), true, nil
}
