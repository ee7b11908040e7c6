package leaderworkerset

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/ptr"

	"github.com/lwsfed/lwsfed/pkg/revision"
	"github.com/lwsfed/lwsfed/pkg/rollout"
)

// referenced are the revision keys that a live object of the set carries.
func (o *observation) referenced() sets.Set[string] {
	keys := sets.New[string]()
	if o.ownsStatefulSet() {
		keys.Insert(revision.KeyOf(o.statefulSet))
	}
	for _, g := range o.groups {
		keys.Insert(revision.KeyOf(g.leader))
	}
	for _, workers := range o.workers {
		keys.Insert(revision.KeyOf(workers))
	}
	return keys.Delete("")
}

// snapshot is the groups as the rollout plan needs them. sizeOf is the size of a group at a revision.
func (o *observation) snapshot(target string, sizeOf func(key string) int32) []rollout.Group {
	groups := make([]rollout.Group, len(o.groups))
	for i, g := range o.groups {
		groups[i] = g.observed(target, sizeOf(revision.KeyOf(g.leader)))
	}
	return groups
}

func (g group) observed(target string, size int32) rollout.Group {
	key := revision.KeyOf(g.leader)
	alone := size == 1
	return rollout.Group{
		Ordinal: g.ordinal,
		Key:     key,
		Updated: key == target && (alone || g.workers != nil && revision.KeyOf(g.workers) == target),
		Ready:   podReady(g.leader) && (alone || g.workers != nil && workersReady(g.workers)),
	}
}

func podReady(pod *corev1.Pod) bool {
	if pod.DeletionTimestamp != nil || pod.Status.Phase != corev1.PodRunning {
		return false
	}
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

// workersReady reports whether all workers are ready, as of the StatefulSet's newest spec.
func workersReady(s *appsv1.StatefulSet) bool {
	return s.DeletionTimestamp == nil &&
		s.Status.ObservedGeneration >= s.Generation &&
		s.Status.ReadyReplicas >= ptr.Deref(s.Spec.Replicas, 1)
}
