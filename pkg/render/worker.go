package render

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/pkg/revision"
)

// WorkerStatefulSet is the StatefulSet of the workers of the leader's group, owned by the leader. The content
// is that of the revision whose key the leader carries. A group of size 1 has none: do not call it.
func WorkerStatefulSet(set *lwsv1.LeaderWorkerSet, leader *corev1.Pod, content revision.Content) *appsv1.StatefulSet {
	group := groupLabels(leader)
	template := *content.Template.WorkerTemplate.DeepCopy()
	template.Labels = merged(template.Labels, group, map[string]string{lwsv1.LabelRevision: revision.KeyOf(leader)})
	template.Annotations = merged(template.Annotations, groupAnnotations(content), map[string]string{lwsv1.AnnotationLeaderName: leader.Name})
	return &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:       leader.Namespace,
			Name:            leader.Name,
			Labels:          merged(userLabels(set), group, map[string]string{lwsv1.LabelRevision: revision.KeyOf(leader)}),
			Annotations:     userAnnotations(set),
			OwnerReferences: []metav1.OwnerReference{leaderReference(leader)},
		},
		Spec: appsv1.StatefulSetSpec{
			Replicas:            ptr.To(content.Size() - 1),
			Ordinals:            &appsv1.StatefulSetOrdinals{Start: 1},
			ServiceName:         subdomain(set.Name, leader, content),
			PodManagementPolicy: appsv1.ParallelPodManagement,
			Selector:            &metav1.LabelSelector{MatchLabels: group},
			Template:            template,
		},
	}
}

// groupLabels name the group that the leader leads.
func groupLabels(leader *corev1.Pod) map[string]string {
	return map[string]string{
		lwsv1.LabelName:       leader.Labels[lwsv1.LabelName],
		lwsv1.LabelGroupIndex: leader.Labels[lwsv1.LabelGroupIndex],
		lwsv1.LabelGroupKey:   leader.Labels[lwsv1.LabelGroupKey],
	}
}

// subdomain is the name of the Service by which the pods of the leader's group find each other.
func subdomain(set string, leader *corev1.Pod, content revision.Content) string {
	if content.Subdomain() == lwsv1.SubdomainUniquePerReplica {
		return leader.Name
	}
	return set
}

// leaderReference makes a foreground deletion of the leader wait for what it owns.
func leaderReference(leader *corev1.Pod) metav1.OwnerReference {
	return *metav1.NewControllerRef(leader, corev1.SchemeGroupVersion.WithKind("Pod"))
}
