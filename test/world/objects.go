package world

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/api/v1alpha1"
)

// Set returns a set of groups of the size, with one container of the image server:1, and changes made to it.
func Set(namespace, name string, replicas, size int32, changes ...func(*lwsv1.LeaderWorkerSet)) *lwsv1.LeaderWorkerSet {
	set := &lwsv1.LeaderWorkerSet{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: lwsv1.LeaderWorkerSetSpec{
			Replicas: ptr.To(replicas),
			LeaderWorkerTemplate: lwsv1.LeaderWorkerTemplate{
				Size:           ptr.To(size),
				WorkerTemplate: Pod("server:1"),
			},
		},
	}
	for _, change := range changes {
		change(set)
	}
	return set
}

// Pod returns a template of pods with one container.
func Pod(image string) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: image}}}}
}

// Image makes the workers, and leaders without a template of their own, run an image.
func Image(image string) func(*lwsv1.LeaderWorkerSet) {
	return func(set *lwsv1.LeaderWorkerSet) {
		set.Spec.LeaderWorkerTemplate.WorkerTemplate.Spec.Containers[0].Image = image
	}
}

// Replicas asks for a number of groups.
func Replicas(n int32) func(*lwsv1.LeaderWorkerSet) {
	return func(set *lwsv1.LeaderWorkerSet) { set.Spec.Replicas = ptr.To(n) }
}

// Policy returns a policy that divides every set of a namespace over the clusters, or over all members if none
// is named.
func Policy(namespace, name string, clusters ...string) *v1alpha1.PlacementPolicy {
	return &v1alpha1.PlacementPolicy{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: v1alpha1.PlacementPolicySpec{
			Selector: &metav1.LabelSelector{},
			Clusters: v1alpha1.ClusterSelection{Names: clusters},
			Replicas: v1alpha1.ReplicaScheduling{Type: v1alpha1.Divided},
		},
	}
}
