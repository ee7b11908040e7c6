package leaderworkerset

import (
	"context"
	"errors"
	"fmt"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"sigs.k8s.io/controller-runtime/pkg/client"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
)

// Reasons of the conditions of a set in a member. The first three are those of other LWS controllers.
const (
	reasonAllReady    = "AllGroupsReady"
	reasonProgressing = "GroupsProgressing"
	reasonUpdating    = "GroupsUpdating"
	reasonUnsupported = "UnsupportedField"
	reasonConflict    = "NameConflict"
	reasonUnreadable  = "RevisionUnreadable"
	reasonMissing     = "RevisionMissing"
	reasonFailed      = "ApplyFailed"
)

// problem is why a set cannot be run as it should. The zero value is none.
type problem struct{ reason, message string }

// statusOf computes the status of a set. Either d or p may be absent: a set with a problem keeps the numbers
// that it has.
func statusOf(set *lwsv1.LeaderWorkerSet, d *decision, p problem) lwsv1.LeaderWorkerSetStatus {
	status := *set.Status.DeepCopy()
	status.ObservedGeneration = set.Generation
	status.HPAPodSelector = labels.SelectorFromSet(labels.Set{lwsv1.LabelName: set.Name, lwsv1.LabelWorkerIndex: "0"}).String()
	if d != nil {
		count(&status, d)
	}
	for _, c := range conditions(set, status, d, p) {
		c.ObservedGeneration = set.Generation
		meta.SetStatusCondition(&status.Conditions, c)
	}
	return status
}

func count(status *lwsv1.LeaderWorkerSetStatus, d *decision) {
	status.Replicas, status.ReadyReplicas, status.UpdatedReplicas = int32(len(d.groups)), 0, 0
	for _, g := range d.groups {
		if g.Ready {
			status.ReadyReplicas++
		}
		if g.Updated {
			status.UpdatedReplicas++
		}
	}
}

func conditions(set *lwsv1.LeaderWorkerSet, status lwsv1.LeaderWorkerSetStatus, d *decision, p problem) []metav1.Condition {
	if p.reason != "" {
		return []metav1.Condition{
			{Type: lwsv1.ConditionAvailable, Status: metav1.ConditionFalse, Reason: p.reason, Message: p.message},
			{Type: lwsv1.ConditionProgressing, Status: metav1.ConditionFalse, Reason: p.reason, Message: p.message},
			{Type: lwsv1.ConditionUpdateInProgress, Status: metav1.ConditionFalse, Reason: p.reason, Message: p.message},
		}
	}
	available := d.rollout.Done && allReady(d, int(*set.Spec.Replicas))
	updating := !d.rollout.Done && d.updating
	reason := reasonProgressing
	message := fmt.Sprintf("%d of %d groups are ready", status.ReadyReplicas, *set.Spec.Replicas)
	switch {
	case available:
		reason, message = reasonAllReady, "all groups are ready and as updated as they should be"
	case updating:
		reason, message = reasonUpdating, d.rollout.Reason
	}
	return []metav1.Condition{
		{Type: lwsv1.ConditionAvailable, Status: truth(available), Reason: reason, Message: message},
		{Type: lwsv1.ConditionProgressing, Status: truth(!available), Reason: reason, Message: message},
		{Type: lwsv1.ConditionUpdateInProgress, Status: truth(updating), Reason: reason, Message: message},
	}
}

// allReady reports whether each wanted group exists and is ready.
func allReady(d *decision, replicas int) bool {
	ready := 0
	for _, g := range d.groups {
		if g.Ordinal < replicas && g.Ready {
			ready++
		}
	}
	return ready == replicas
}

func truth(b bool) metav1.ConditionStatus {
	if b {
		return metav1.ConditionTrue
	}
	return metav1.ConditionFalse
}

// writeStatus writes the status if it differs.
func writeStatus(ctx context.Context, c client.Client, set *lwsv1.LeaderWorkerSet, status lwsv1.LeaderWorkerSetStatus) error {
	if apiequality.Semantic.DeepEqual(set.Status, status) {
		return nil
	}
	next := set.DeepCopy()
	next.Status = status
	if err := c.Status().Patch(ctx, next, client.MergeFrom(set), owner); err != nil {
		return fmt.Errorf("write status: %w", err)
	}
	return nil
}

// problemIsNew reports whether the stored status does not speak of the problem yet.
func problemIsNew(stored *lwsv1.LeaderWorkerSet, p problem) bool {
	c := meta.FindStatusCondition(stored.Status.Conditions, lwsv1.ConditionProgressing)
	return c == nil || c.Reason != p.reason || c.Message != p.message
}

// isTransient reports whether err is the member's API server being away or busy, which says nothing of the set.
func isTransient(err error) bool {
	return apierrors.IsTimeout(err) || apierrors.IsServerTimeout(err) || apierrors.IsTooManyRequests(err) ||
		apierrors.IsServiceUnavailable(err) || apierrors.IsInternalError(err) || errors.Is(err, context.DeadlineExceeded) || utilnet.IsConnectionRefused(err)
}
