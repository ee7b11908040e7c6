package leaderpod

import (
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/multicluster-runtime/pkg/multicluster"
	mcreconcile "sigs.k8s.io/multicluster-runtime/pkg/reconcile"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
)

// ofPod is the pod itself for a leader, and the leader for a worker.
func ofPod(cluster multicluster.ClusterName, o client.Object) []mcreconcile.Request {
	if o.GetLabels()[lwsv1.LabelWorkerIndex] == "0" {
		return request(cluster, o.GetNamespace(), o.GetName())
	}
	return request(cluster, o.GetNamespace(), o.GetAnnotations()[lwsv1.AnnotationLeaderName])
}

// ofWorkers is the leader of a worker StatefulSet, which has its name.
func ofWorkers(cluster multicluster.ClusterName, o client.Object) []mcreconcile.Request {
	if _, worker := o.GetLabels()[lwsv1.LabelGroupIndex]; !worker {
		return nil
	}
	return request(cluster, o.GetNamespace(), o.GetName())
}

// ofGroupService is the leader of a group's own Service, which has its name.
func ofGroupService(cluster multicluster.ClusterName, o client.Object) []mcreconcile.Request {
	if o.GetName() == o.GetLabels()[lwsv1.LabelName] {
		return nil
	}
	return request(cluster, o.GetNamespace(), o.GetName())
}

func request(cluster multicluster.ClusterName, namespace, name string) []mcreconcile.Request {
	if name == "" {
		return nil
	}
	return []mcreconcile.Request{{
		ClusterName: cluster,
		Request:     reconcile.Request{NamespacedName: types.NamespacedName{Namespace: namespace, Name: name}},
	}}
}
