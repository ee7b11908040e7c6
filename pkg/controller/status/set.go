package status

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/api/v1alpha1"
)

// setStatus is the status of the hub's set: the fleet's sum. Nothing is said before a first group exists or
// something stands in the way.
func setStatus(o *observation, placement v1alpha1.PlacementStatus) lwsv1.LeaderWorkerSetStatus {
	status := *o.set.Status.DeepCopy()
	status.Replicas, status.ReadyReplicas, status.UpdatedReplicas = 0, placement.Ready, placement.Updated
	for _, c := range placement.Clusters {
		status.Replicas += c.Replicas
	}
	stuck := !meta.IsStatusConditionTrue(placement.Conditions, v1alpha1.ConditionScheduled)
	for _, c := range placement.Clusters {
		stuck = stuck || c.State == v1alpha1.ClusterConflict || c.State == v1alpha1.ClusterInvalid
	}
	if len(status.Conditions) == 0 && status.Replicas == 0 && !stuck {
		return o.set.Status
	}
	status.ObservedGeneration = o.set.Generation
	status.HPAPodSelector = labels.SelectorFromSet(labels.Set{lwsv1.LabelName: o.set.Name, lwsv1.LabelWorkerIndex: "0"}).String()
	said := progress(o, placement)
	if o.unseen(placement.Revision) && len(status.Conditions) > 0 {
		said = nil
	}
	for _, c := range append(said, passedOn(placement)...) {
		c.ObservedGeneration = o.set.Generation
		meta.SetStatusCondition(&status.Conditions, c)
	}
	return status
}

// unseen reports whether nobody has looked yet, since this program started, at a chosen member of which nothing new
// is asked. What was said of the set then still holds.
func (o *observation) unseen(key string) bool {
	return o.placement.Status.Revision == key && slices.ContainsFunc(o.members, func(m member) bool {
		return m.decision != nil && m.registered && m.outcome == nil && m.set == nil && m.before != nil && m.before.Desired == m.decision.Replicas
	})
}

// progress says how far the groups are.
func progress(o *observation, placement v1alpha1.PlacementStatus) []metav1.Condition {
	available, updating := len(o.placement.Spec.Clusters) > 0, false
	for _, m := range o.members {
		if m.decision == nil {
			continue // The set leaves it: condition Applied tells of it.
		}
		available = available && m.upToDate(placement.Revision) && m.has(lwsv1.ConditionAvailable)
		updating = updating || m.has(lwsv1.ConditionUpdateInProgress)
	}
	available = available && meta.IsStatusConditionTrue(placement.Conditions, v1alpha1.ConditionScheduled)
	reason, message := "GroupsProgressing", fmt.Sprintf("%d of %d groups are ready", placement.Ready, placement.Desired)
	switch {
	case available:
		reason, message = "AllGroupsReady", "all groups are ready and as updated as they should be"
	case updating:
		reason, message = "GroupsUpdating", fmt.Sprintf("%d of %d groups are updated", placement.Updated, placement.Desired)
	}
	return []metav1.Condition{
		{Type: lwsv1.ConditionAvailable, Status: truth(available), Reason: reason, Message: message},
		{Type: lwsv1.ConditionProgressing, Status: truth(!available), Reason: reason, Message: message},
		{Type: lwsv1.ConditionUpdateInProgress, Status: truth(updating), Reason: reason, Message: message},
	}
}

// passedOn are the Placement's conditions, for those who look at the set alone.
func passedOn(placement v1alpha1.PlacementStatus) []metav1.Condition {
	var conditions []metav1.Condition
	for _, kind := range []string{v1alpha1.ConditionScheduled, v1alpha1.ConditionApplied} {
		if c := meta.FindStatusCondition(placement.Conditions, kind); c != nil {
			conditions = append(conditions, metav1.Condition{Type: kind, Status: c.Status, Reason: c.Reason, Message: c.Message})
		}
	}
	return conditions
}

func truth(b bool) metav1.ConditionStatus {
	if b {
		return metav1.ConditionTrue
	}
	return metav1.ConditionFalse
}
