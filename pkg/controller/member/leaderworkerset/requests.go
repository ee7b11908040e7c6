package leaderworkerset

import (
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/multicluster-runtime/pkg/multicluster"
	mcreconcile "sigs.k8s.io/multicluster-runtime/pkg/reconcile"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
)

// own is the set itself.
func own(cluster multicluster.ClusterName, o client.Object) []mcreconcile.Request {
	return []mcreconcile.Request{request(cluster, o.GetNamespace(), o.GetName())}
}

// ofName is the set that the object's label names.
func ofName(cluster multicluster.ClusterName, o client.Object) []mcreconcile.Request {
	return []mcreconcile.Request{request(cluster, o.GetNamespace(), o.GetLabels()[lwsv1.LabelName])}
}

// ofLeader is the set of a leader pod. Workers count through their StatefulSet's status.
func ofLeader(cluster multicluster.ClusterName, o client.Object) []mcreconcile.Request {
	if o.GetLabels()[lwsv1.LabelWorkerIndex] != "0" {
		return nil
	}
	return ofName(cluster, o)
}

// ofStatefulSet is the set of a leader or worker StatefulSet, and the set that waits for its name.
func ofStatefulSet(cluster multicluster.ClusterName, o client.Object) []mcreconcile.Request {
	requests := ofName(cluster, o)
	if o.GetName() != o.GetLabels()[lwsv1.LabelName] {
		requests = append(requests, own(cluster, o)...)
	}
	return requests
}

func request(cluster multicluster.ClusterName, namespace, name string) mcreconcile.Request {
	return mcreconcile.Request{
		ClusterName: cluster,
		Request:     reconcile.Request{NamespacedName: types.NamespacedName{Namespace: namespace, Name: name}},
	}
}
