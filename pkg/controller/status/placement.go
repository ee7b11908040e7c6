package status

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwsfed/lwsfed/api/v1alpha1"
	"github.com/lwsfed/lwsfed/pkg/revision"
)

// placementStatus is the status of the Placement.
func placementStatus(o *observation) v1alpha1.PlacementStatus {
	status := v1alpha1.PlacementStatus{
		Conditions:         slices.Clone(o.placement.Status.Conditions),
		ObservedGeneration: o.placement.Generation,
		Revision:           o.placement.Status.Revision,
	}
	if o.set != nil {
		status.Revision = revision.Of(&o.set.Spec).Key()
	}
	for _, m := range o.members {
		if m.decision == nil && (!m.registered || m.outcome != nil && m.outcome.Clean) {
			continue // It has left.
		}
		c := clusterStatus(m)
		status.Desired += c.Desired
		status.Ready += c.Ready
		status.Updated += c.Updated
		status.Clusters = append(status.Clusters, c)
	}
	scheduled := metav1.Condition{Type: v1alpha1.ConditionScheduled, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonScheduled, Message: scheduledMessage(o.placement)}
	if len(o.placement.Spec.Clusters) == 0 {
		scheduled.Status, scheduled.Reason, scheduled.Message = metav1.ConditionFalse, v1alpha1.ReasonNoCluster, "no cluster can run the set"
	}
	for _, c := range []metav1.Condition{scheduled, appliedCondition(status.Clusters)} {
		c.ObservedGeneration = o.placement.Generation
		meta.SetStatusCondition(&status.Conditions, c)
	}
	return status
}

func scheduledMessage(p *v1alpha1.Placement) string {
	return fmt.Sprintf("PlacementPolicy %q chose %d clusters", p.Spec.Policy, len(p.Spec.Clusters))
}

// clusterStatus is what is seen of the set in one member. What cannot be seen stays as it was.
func clusterStatus(m member) v1alpha1.ClusterStatus {
	c := v1alpha1.ClusterStatus{Name: m.name, State: v1alpha1.ClusterPending, Reachable: metav1.ConditionTrue}
	if m.before != nil {
		c = *m.before.DeepCopy()
	}
	if m.outcome != nil {
		c.State, c.Reason, c.Message = m.outcome.State, m.outcome.Reason, m.outcome.Message
	}
	if m.decision != nil {
		c.Desired = m.decision.Replicas
	} else {
		c.Desired = 0
	}
	if m.known || !m.registered {
		seen(&c, m)
	}
	if m.set != nil && m.state.Reachable {
		count(&c, m)
	}
	c.Reason = reasonOf(c)
	return c
}

// seen marks a member that cannot be seen with when it last was.
func seen(c *v1alpha1.ClusterStatus, m member) {
	if m.state.Contact.Status == metav1.ConditionTrue {
		c.Reachable, c.LastContactTime = metav1.ConditionTrue, nil
		return
	}
	if c.Reachable != metav1.ConditionFalse && !m.state.LastContact.IsZero() {
		c.LastContactTime = &metav1.Time{Time: m.state.LastContact}
	}
	c.Reachable = metav1.ConditionFalse
}

func count(c *v1alpha1.ClusterStatus, m member) {
	c.Replicas = m.set.Status.Replicas
	c.Ready = m.set.Status.ReadyReplicas
	c.Updated = m.set.Status.UpdatedReplicas
	c.Revisions = nil
	for key, groups := range m.revisions {
		c.Revisions = append(c.Revisions, v1alpha1.RevisionCount{Key: key, Groups: groups})
	}
	slices.SortFunc(c.Revisions, func(a, b v1alpha1.RevisionCount) int { return cmp.Compare(a.Key, b.Key) })
	if len(c.Revisions) == 1 {
		c.Revision, c.Revisions = c.Revisions[0].Key, nil
	}
}

// appliedCondition says whether every chosen cluster has the set as decided, and names those that have not.
func appliedCondition(clusters []v1alpha1.ClusterStatus) metav1.Condition {
	condition := metav1.Condition{Type: v1alpha1.ConditionApplied, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonApplied, Message: "every cluster has the set as decided"}
	var late []string
	for _, c := range clusters {
		reason := reasonOf(c)
		if reason == "" {
			continue
		}
		if len(late) == 0 {
			condition.Status, condition.Reason = metav1.ConditionFalse, reason
		}
		late = append(late, strings.TrimSuffix(fmt.Sprintf("%s: %s: %s", c.Name, reason, c.Message), ": "))
	}
	if len(late) > 0 {
		condition.Message = v1alpha1.Message(strings.Join(late, "; "))
	}
	return condition
}

// reasonOf is why a cluster does not have the set as decided, "" if it has.
func reasonOf(c v1alpha1.ClusterStatus) string {
	switch {
	case c.State == v1alpha1.ClusterConflict:
		return v1alpha1.ReasonConflict
	case c.State == v1alpha1.ClusterInvalid:
		return cmp.Or(c.Reason, v1alpha1.ReasonRejected)
	case c.State == v1alpha1.ClusterLeaving:
		return v1alpha1.ReasonLeaving
	case c.Reachable == metav1.ConditionFalse:
		return v1alpha1.ReasonUnreachable
	case c.State != v1alpha1.ClusterApplied:
		return v1alpha1.ReasonPending
	default:
		return ""
	}
}

// upToDate reports whether the member's set is the hub's, and its status speaks of it.
func (m member) upToDate(key string) bool {
	return m.set != nil && m.set.Annotations[v1alpha1.AnnotationFleetRevision] == key &&
		m.set.Status.ObservedGeneration == m.set.Generation &&
		m.decision != nil && *m.set.Spec.Replicas == m.decision.Replicas
}

func (m member) has(condition string) bool {
	return m.set != nil && meta.IsStatusConditionTrue(m.set.Status.Conditions, condition)
}
