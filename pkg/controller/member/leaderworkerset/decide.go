package leaderworkerset

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/pkg/render"
	"github.com/lwsfed/lwsfed/pkg/revision"
	"github.com/lwsfed/lwsfed/pkg/rollout"
)

// decision is what to write in the member, and why.
type decision struct {
	revisions revision.Plan
	rollout   rollout.Plan
	// groups are the groups against the revision that new groups are made from.
	groups []rollout.Group
	// updating says that groups move, or should move, to another revision.
	updating bool
	// statefulSet is the leader StatefulSet as it should be.
	statefulSet *appsv1.StatefulSet
	// service is the shared Service as it should be. Nil if no group needs it.
	service *corev1.Service
	// trim are revisions that nothing names any more.
	trim []*appsv1.ControllerRevision
}

// decide plans one set in one member. The set has every default, and its StatefulSet, if any, is its own.
// It fails where the current revision is unreadable.
func decide(o *observation, stored map[string]revision.Content) (*decision, error) {
	observed := revision.Observed{
		Set:            o.set,
		Revisions:      o.revisions,
		HasStatefulSet: o.statefulSet != nil,
		StatefulSetKey: keyOf(o.statefulSet),
		Referenced:     o.referenced(),
		Stored:         stored,
	}
	plan, err := revision.PlanRevisions(observed)
	if err != nil {
		return nil, err
	}
	contents := contentsByKey(o.revisions, plan)
	d := &decision{revisions: plan}
	d.groups = o.snapshot(plan.Key, func(key string) int32 {
		if content, ok := contents[key]; ok {
			return content.Size()
		}
		// Of an unknown revision nothing can be said; a group with workers is the safe guess, for it
		// is not ready until they are there.
		return 2
	})
	snapshot, err := snapshotOf(o, plan, d.groups)
	if err != nil {
		return nil, err
	}
	d.updating = snapshot.Updating
	d.rollout = rollout.PlanGroups(snapshot)
	d.statefulSet = render.LeaderStatefulSet(render.Leader{
		Set:            o.set,
		Key:            plan.Key,
		Content:        plan.Content,
		Replicas:       int32(d.rollout.Replicas),
		Partition:      int32(d.rollout.Partition),
		MaxUnavailable: int32(d.rollout.MaxUnavailable),
	}, o.statefulSet)
	if needsSharedService(contents) {
		d.service = render.SharedService(o.set)
	}
	if d.rollout.Done {
		d.trim = revision.Unreferenced(observed, plan.Key)
	}
	return d, nil
}

func snapshotOf(o *observation, plan revision.Plan, groups []rollout.Group) (rollout.Snapshot, error) {
	config := o.set.Spec.RolloutStrategy.RollingUpdateConfiguration
	replicas := int(*o.set.Spec.Replicas)
	unavailable, surge, err := rollout.Budget(replicas, config.MaxUnavailable, config.MaxSurge)
	if err != nil {
		return rollout.Snapshot{}, err
	}
	s := rollout.Snapshot{
		Replicas:       replicas,
		MaxUnavailable: unavailable,
		MaxSurge:       surge,
		Partition:      int(*config.Partition),
		Exists:         o.statefulSet != nil,
		NewTemplate:    plan.Updating,
		Updating:       plan.Updating,
		Key:            plan.Key,
		Groups:         groups,
	}
	if o.statefulSet != nil {
		s.StatefulSetReplicas = int(ptr.Deref(o.statefulSet.Spec.Replicas, 1))
		s.StatefulSetPartition = partitionOf(o.statefulSet)
		s.Updating = s.Updating || s.StatefulSetPartition > min(s.Partition, replicas)
	}
	for _, g := range groups {
		s.Updating = s.Updating || g.Key != plan.Key && g.Ordinal >= s.Partition
	}
	return s, nil
}

func partitionOf(s *appsv1.StatefulSet) int {
	if s.Spec.UpdateStrategy.RollingUpdate == nil {
		return 0
	}
	return int(ptr.Deref(s.Spec.UpdateStrategy.RollingUpdate.Partition, 0))
}

func keyOf(s *appsv1.StatefulSet) string {
	if s == nil {
		return ""
	}
	return revision.KeyOf(s)
}

// contentsByKey are the contents of the revisions that exist, or will once the plan is carried out.
func contentsByKey(existing []*appsv1.ControllerRevision, plan revision.Plan) map[string]revision.Content {
	contents := map[string]revision.Content{}
	for _, all := range [][]*appsv1.ControllerRevision{existing, plan.Create} {
		for _, r := range all {
			if content, err := revision.Decode(r); err == nil {
				contents[revision.KeyOf(r)] = content
			}
		}
	}
	contents[plan.Key] = plan.Content
	return contents
}

// needsSharedService reports whether a group of any known revision finds its pods by the set's Service.
func needsSharedService(contents map[string]revision.Content) bool {
	for _, content := range contents {
		if content.Subdomain() == lwsv1.SubdomainShared {
			return true
		}
	}
	return false
}
