package render

import (
	"maps"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/pkg/revision"
)

// Leader is what the leader StatefulSet of a set should be.
type Leader struct {
	// Set is the LeaderWorkerSet, whose name and namespace the StatefulSet has.
	Set *lwsv1.LeaderWorkerSet
	// Key and Content are of the revision that new leaders are made from.
	Key     string
	Content revision.Content
	// Replicas, Partition and MaxUnavailable are the StatefulSet's, as the rollout plan says.
	Replicas, Partition, MaxUnavailable int32
}

// LeaderStatefulSet returns the leader StatefulSet as it should be. It changes a copy of live, where that
// is given: the pod template only where live carries another key, so that neither another version of this
// program nor another controller's idea of the same revision restarts a pod.
func LeaderStatefulSet(l Leader, live *appsv1.StatefulSet) *appsv1.StatefulSet {
	s := newLeaderStatefulSet(l.Set)
	if live != nil {
		s = live.DeepCopy()
	}
	if live == nil || revision.KeyOf(live) != l.Key {
		s.Spec.Template = leaderTemplate(l)
	}
	s.Labels = merged(s.Labels, userLabels(l.Set), map[string]string{lwsv1.LabelName: l.Set.Name, lwsv1.LabelRevision: l.Key})
	s.Annotations = merged(s.Annotations, userAnnotations(l.Set), map[string]string{
		lwsv1.AnnotationReplicas: strconv.Itoa(int(ptr.Deref(l.Set.Spec.Replicas, 1))),
	})
	s.Spec.Replicas = ptr.To(l.Replicas)
	s.Spec.UpdateStrategy = appsv1.StatefulSetUpdateStrategy{
		Type: appsv1.RollingUpdateStatefulSetStrategyType,
		RollingUpdate: &appsv1.RollingUpdateStatefulSetStrategy{
			Partition:      ptr.To(l.Partition),
			MaxUnavailable: ptr.To(intstr.FromInt32(l.MaxUnavailable)),
		},
	}
	return s
}

// newLeaderStatefulSet has what cannot be changed after creation.
func newLeaderStatefulSet(set *lwsv1.LeaderWorkerSet) *appsv1.StatefulSet {
	return &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:       set.Namespace,
			Name:            set.Name,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(set, lwsv1.GroupVersion.WithKind(lwsv1.Kind))},
		},
		Spec: appsv1.StatefulSetSpec{
			ServiceName:         set.Name,
			PodManagementPolicy: appsv1.ParallelPodManagement,
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{
				lwsv1.LabelName:        set.Name,
				lwsv1.LabelWorkerIndex: "0",
			}},
		},
	}
}

func leaderTemplate(l Leader) corev1.PodTemplateSpec {
	template := *l.Content.LeaderTemplate().DeepCopy()
	template.Labels = merged(template.Labels, map[string]string{
		lwsv1.LabelName:        l.Set.Name,
		lwsv1.LabelWorkerIndex: "0",
		lwsv1.LabelRevision:    l.Key,
	})
	template.Annotations = merged(template.Annotations, groupAnnotations(l.Content))
	return template
}

// groupAnnotations tell the stamping policy about the group, on leaders and workers.
func groupAnnotations(c revision.Content) map[string]string {
	annotations := map[string]string{lwsv1.AnnotationSize: strconv.Itoa(int(c.Size()))}
	if c.Subdomain() == lwsv1.SubdomainUniquePerReplica {
		annotations[lwsv1.AnnotationSubdomainPolicy] = string(lwsv1.SubdomainUniquePerReplica)
	}
	return annotations
}

// merged returns a new map of all entries; later maps win.
func merged(all ...map[string]string) map[string]string {
	result := map[string]string{}
	for _, m := range all {
		maps.Copy(result, m)
	}
	return result
}
