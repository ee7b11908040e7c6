package propagation

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/api/v1alpha1"
	"github.com/lwsfed/lwsfed/pkg/fleet"
	"github.com/lwsfed/lwsfed/pkg/render"
	"github.com/lwsfed/lwsfed/pkg/revision"
	"github.com/lwsfed/lwsfed/pkg/rollout"
)

// place makes the member's set as the i-th decision says.
func (r *Reconciler) place(ctx context.Context, o observed, i int) (*Outcome, error) {
	if o.member == nil {
		return nil, nil // its first connection is an event
	}
	if err := o.confirm(ctx); err != nil {
		return nil, fmt.Errorf("confirm that the set is absent: %w", err)
	}
	switch found := judge(o.live, r.HubID, o.placement.Spec); found {
	case otherHub:
		return o.outcome(v1alpha1.ClusterConflict, v1alpha1.ReasonConflict,
			"the set there is run by another hub, %q", o.live.Labels[v1alpha1.LabelManagedBy]), nil
	case foreign:
		return o.outcome(v1alpha1.ClusterConflict, v1alpha1.ReasonConflict,
			"there is a set of that name that is not the hub's; conflictResolution Adopt would take it over"), nil
	case leaving:
		return o.outcome(v1alpha1.ClusterPending, v1alpha1.ReasonPending, "an earlier set of that name is being deleted there"), nil
	case outdated:
		if err := deleteSet(ctx, o); err != nil {
			return nil, err
		}
		return o.outcome(v1alpha1.ClusterPending, v1alpha1.ReasonPending, "an earlier set of that name is being deleted there"), nil
	}
	desired, err := r.desired(o, i)
	if invalid := (*render.InvalidOverride)(nil); errors.As(err, &invalid) {
		return o.outcome(v1alpha1.ClusterInvalid, v1alpha1.ReasonInvalidOverride, "%v", invalid), nil
	}
	if err != nil {
		return nil, err
	}
	return r.ensure(ctx, o, desired)
}

// ensure writes desired where the member's set differs from it.
func (r *Reconciler) ensure(ctx context.Context, o observed, desired *unstructured.Unstructured) (*Outcome, error) {
	applied := o.outcome(v1alpha1.ClusterApplied, v1alpha1.ReasonApplied, "")
	if o.live != nil && asApplied(desired, o.live) {
		return applied, nil
	}
	r.unclean(o)
	err := apply(ctx, o, desired)
	switch {
	case err == nil:
		return applied, nil
	case apierrors.IsConflict(err):
		return nil, err
	case refusal(err):
		return o.rejected(err), nil
	case apierrors.IsForbidden(err):
		// An API server that just started forbids everything until it has read its roles, so it is asked again soon.
		r.Outcomes.set(o.key, *o.rejected(err))
		return nil, err
	default:
		r.Outcomes.set(o.key, *o.outcome(v1alpha1.ClusterPending, v1alpha1.ReasonPending, "not written yet: %s", fleet.Explain(err)))
		return nil, err
	}
}

// unclean takes back that a member is clean before a set is written there.
func (r *Reconciler) unclean(o observed) {
	if before, ok := r.Outcomes.Get(o.key.cluster, o.key.set); !ok || before.Clean || before.PlacementUID != o.placement.UID {
		r.Outcomes.set(o.key, *o.outcome(v1alpha1.ClusterPending, v1alpha1.ReasonPending, "being written"))
	}
}

// verdict names what is in a member under a set's name.
type verdict int

const (
	absent   verdict = iota
	own              // the hub's, or the hub's to take over
	foreign          // nobody's hub, and not to be taken over
	otherHub         // another hub's
	leaving          // being deleted, whoever's
	outdated         // the hub's, from an earlier set of that name
)

func judge(live *lwsv1.LeaderWorkerSet, hubID string, spec v1alpha1.PlacementSpec) verdict {
	if live == nil {
		return absent
	}
	switch {
	case !ownedBy(live, hubID, spec.SetUID) && live.Labels[v1alpha1.LabelManagedBy] != "":
		return otherHub
	case !ownedBy(live, hubID, spec.SetUID) && spec.ConflictResolution != v1alpha1.ConflictAdopt:
		return foreign
	case live.DeletionTimestamp != nil:
		return leaving
	case ownedBy(live, hubID, spec.SetUID) && !sameOrigin(live, spec.SetUID):
		return outdated
	default:
		return own
	}
}

// sameOrigin says whether a set of the hub comes from the hub's set with that UID. One that lost the
// annotation counts as such: it will be put right.
func sameOrigin(live metav1.Object, setUID string) bool {
	origin := live.GetAnnotations()[v1alpha1.AnnotationOriginUID]
	return origin == "" || origin == setUID
}

// desired builds the member's set.
func (r *Reconciler) desired(o observed, i int) (*unstructured.Unstructured, error) {
	hub := &lwsv1.LeaderWorkerSet{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.hub.Object, hub); err != nil {
		return nil, fmt.Errorf("read the hub's set: %w", err)
	}
	key := revision.Of(&hub.Spec).Key()
	lwsv1.Default(&hub.Spec)
	spec := o.placement.Spec
	shares := make([]int32, len(spec.Clusters))
	for j, c := range spec.Clusters {
		shares[j] = c.Replicas
	}
	config := *hub.Spec.RolloutStrategy.RollingUpdateConfiguration
	set, err := render.MemberSet(o.hub, render.MemberInput{
		HubID:         r.HubID,
		FleetRevision: key,
		Decision:      spec.Clusters[i],
		Rollout:       rollout.Share(config, spec.Replicas, *hub.Spec.Replicas, shares, i),
	})
	if err != nil {
		return nil, err
	}
	return withHash(set)
}

// apply writes the member's set, and its namespace where that is missing. Only a set that is the hub's, or
// to be taken over, has its fields taken by force: one that appears in the meantime is a conflict.
func apply(ctx context.Context, o observed, desired *unstructured.Unstructured) error {
	options := []client.ApplyOption{client.FieldOwner(v1alpha1.FieldManager)}
	if o.live != nil {
		desired.SetUID(o.live.UID)
		options = append(options, client.ForceOwnership)
	}
	c := o.member.GetClient()
	err := c.Apply(ctx, client.ApplyConfigurationFromUnstructured(desired.DeepCopy()), options...)
	if !apierrors.IsNotFound(err) || o.live != nil {
		return err
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: o.key.set.Namespace}}
	if err := c.Create(ctx, namespace); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("create namespace: %w", err)
	}
	return c.Apply(ctx, client.ApplyConfigurationFromUnstructured(desired.DeepCopy()), options...)
}

// refusal says that the member's API server will not take the set as it is.
func refusal(err error) bool {
	return apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) || apierrors.IsRequestEntityTooLargeError(err)
}

func (o observed) rejected(err error) *Outcome {
	return o.outcome(v1alpha1.ClusterInvalid, v1alpha1.ReasonRejected, "the cluster refuses the set: %v", err)
}

// deleteSet deletes the member's set and, in the foreground, its groups.
func deleteSet(ctx context.Context, o observed) error {
	err := o.member.GetClient().Delete(ctx, o.live,
		client.Preconditions{UID: ptr.To(o.live.UID)},
		client.PropagationPolicy(metav1.DeletePropagationForeground))
	if err = client.IgnoreNotFound(err); err != nil {
		return fmt.Errorf("delete the member's set: %w", err)
	}
	return nil
}
