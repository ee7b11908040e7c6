package membercluster

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwsfed/lwsfed/api/v1alpha1"
	"github.com/lwsfed/lwsfed/pkg/fleet"
)

// statusOf is the status of a member. refused says why its kubeconfig cannot be used, "" if it can. While the
// fleet has not yet heard of the member since this program started, what was last seen stays.
func statusOf(member *v1alpha1.MemberCluster, state fleet.State, refused string) v1alpha1.MemberClusterStatus {
	status := *member.Status.DeepCopy()
	status.ObservedGeneration = member.Generation
	if refused != "" {
		unusable := fleet.Condition{Status: metav1.ConditionFalse, Reason: v1alpha1.ReasonInvalidCredentials, Message: refused}
		set(&status, v1alpha1.ConditionReachable, unusable, member.Generation)
		set(&status, v1alpha1.ConditionReady, unusable, member.Generation)
		return status
	}
	if state.Contact.Status == metav1.ConditionUnknown && len(status.Conditions) > 0 {
		return status
	}
	wasReachable := meta.IsStatusConditionTrue(status.Conditions, v1alpha1.ConditionReachable)
	set(&status, v1alpha1.ConditionReachable, state.Contact, member.Generation)
	pending := false
	for kind, c := range map[string]fleet.Condition{
		v1alpha1.ConditionBootstrapped: state.Bootstrapped,
		v1alpha1.ConditionCompatible:   state.Compatible,
	} {
		if c.Status == metav1.ConditionUnknown && meta.IsStatusConditionTrue(status.Conditions, kind) {
			pending = true // what was true before this program started is not less so because nobody has looked yet
			continue
		}
		set(&status, kind, c, member.Generation)
	}
	if !pending || state.Failed() {
		set(&status, v1alpha1.ConditionReady, ready(state), member.Generation)
	}
	if state.Version != "" {
		status.KubernetesVersion, status.ClusterUID = state.Version, state.ClusterUID
	}
	if state.Capacity != nil {
		status.Capacity = state.Capacity
	}
	if reachable := state.Contact.Status == metav1.ConditionTrue; reachable != wasReachable && !state.LastContact.IsZero() {
		// Not at each probe: at rest the hub writes nothing.
		status.LastContactTime = &metav1.Time{Time: state.LastContact}
	}
	return status
}

func ready(state fleet.State) fleet.Condition {
	c := fleet.Condition{Status: metav1.ConditionFalse, Reason: state.Reason, Message: state.Message}
	switch {
	case state.Ready:
		c.Status = metav1.ConditionTrue
	case state.Contact.Status == metav1.ConditionUnknown:
		c.Status = metav1.ConditionUnknown
	}
	return c
}

func set(status *v1alpha1.MemberClusterStatus, kind string, c fleet.Condition, generation int64) {
	meta.SetStatusCondition(&status.Conditions, metav1.Condition{
		Type: kind, Status: c.Status, Reason: c.Reason, Message: c.Message, ObservedGeneration: generation,
	})
}
