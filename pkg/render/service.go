package render

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
)

// SharedService is the headless Service of all pods of the set, owned by the set.
func SharedService(set *lwsv1.LeaderWorkerSet) *corev1.Service {
	owner := *metav1.NewControllerRef(set, lwsv1.GroupVersion.WithKind(lwsv1.Kind))
	return headless(set.Namespace, set.Name, owner, map[string]string{lwsv1.LabelName: set.Name})
}

// GroupService is the headless Service of the leader's group, owned by the leader.
func GroupService(leader *corev1.Pod) *corev1.Service {
	return headless(leader.Namespace, leader.Name, leaderReference(leader), map[string]string{
		lwsv1.LabelName:       leader.Labels[lwsv1.LabelName],
		lwsv1.LabelGroupIndex: leader.Labels[lwsv1.LabelGroupIndex],
	})
}

// headless publishes pods that are not ready too: a group's pods must find each other to become ready.
func headless(namespace, name string, owner metav1.OwnerReference, selector map[string]string) *corev1.Service {
	return &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:       namespace,
			Name:            name,
			Labels:          map[string]string{lwsv1.LabelName: selector[lwsv1.LabelName]},
			OwnerReferences: []metav1.OwnerReference{owner},
		},
		Spec: corev1.ServiceSpec{
			ClusterIP:                corev1.ClusterIPNone,
			PublishNotReadyAddresses: true,
			Selector:                 selector,
		},
	}
}
