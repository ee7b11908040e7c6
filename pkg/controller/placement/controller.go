// Package placement writes the Placement of each LeaderWorkerSet of the hub: the decision of package
// pkg/placement, one write a change. It touches no member.
//
// A Placement outlives its set until no member has the set any more, so it has no owner: it is deleted when
// the set is gone, and its finalizer holds it. A set that was deleted and created again waits until then.
package placement

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	mcreconcile "sigs.k8s.io/multicluster-runtime/pkg/reconcile"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/api/v1alpha1"
	"github.com/lwsfed/lwsfed/pkg/placement"
)

// FieldManager owns the spec of Placements. What a person writes there is another's.
const FieldManager = "lwsfed-scheduler"

// conflictPause is the wait after somebody else wrote first; the cache has it by then.
const conflictPause = 200 * time.Millisecond

// Reconciler decides where the hub's sets run.
type Reconciler struct {
	// Client reads from the hub's cache and writes to the hub. SetupWithManager sets it if it is nil.
	Client client.Client
	// Live reads from the hub's API server. SetupWithManager sets it if it is nil.
	Live client.Reader
	// Recorder records events on sets. SetupWithManager sets it if it is nil.
	Recorder events.EventRecorder
	// Unsupported lists the fields of a set that lwsfed refuses.
	Unsupported func(*lwsv1.LeaderWorkerSetSpec, map[string]string) field.ErrorList
}

// Reconcile does, for one set of the hub:
//
//  1. without the set: delete its Placement, and wait for the members;
//  2. with the Placement of another set of that name: delete it, and wait for the members;
//  3. decide, and write the Placement where it differs;
//  4. without a decision and without a Placement: say so on the set.
func (r *Reconciler) Reconcile(ctx context.Context, req mcreconcile.Request) (ctrl.Result, error) {
	o, err := r.observe(ctx, req.NamespacedName)
	if err != nil {
		return ctrl.Result{}, fmt.Errorf("observe LWS %q: %w", req.NamespacedName, err)
	}
	done, err := r.act(ctx, o)
	switch {
	case apierrors.IsConflict(err):
		return ctrl.Result{RequeueAfter: conflictPause}, nil
	case err != nil:
		return ctrl.Result{}, fmt.Errorf("place LWS %q: %w", req.NamespacedName, err)
	}
	if done != "" {
		log.FromContext(ctx).Info(done)
	}
	return ctrl.Result{}, nil
}

// observed is a set and its Placement; nil what is not there.
type observed struct {
	set       *lwsv1.LeaderWorkerSet
	placement *v1alpha1.Placement
}

func (r *Reconciler) observe(ctx context.Context, key types.NamespacedName) (observed, error) {
	var o observed
	set, p := &lwsv1.LeaderWorkerSet{}, &v1alpha1.Placement{}
	switch err := r.Client.Get(ctx, key, set); {
	case err == nil:
		o.set = set
	case !apierrors.IsNotFound(err):
		return o, err
	}
	switch err := r.Client.Get(ctx, key, p); {
	case err == nil:
		o.placement = p
	case !apierrors.IsNotFound(err):
		return o, err
	}
	return o, nil
}

// act returns what was done, "" for nothing.
func (r *Reconciler) act(ctx context.Context, o observed) (string, error) {
	p := o.placement
	switch {
	case p == nil && (o.set == nil || o.set.DeletionTimestamp != nil):
		return "", nil
	case p != nil && p.DeletionTimestamp != nil:
		return "", nil // the status controller lets it go once the members are clean; that is an event
	case o.set == nil || o.set.DeletionTimestamp != nil:
		return r.withdraw(ctx, p)
	case p != nil && p.Spec.SetUID != string(o.set.UID):
		return r.withdraw(ctx, p)
	}
	in, err := Gather(ctx, r.Client, o.set, p, r.Unsupported)
	if err != nil {
		return "", err
	}
	d := placement.Decide(in)
	switch {
	case !d.Keep:
		return r.write(ctx, o, d)
	case p == nil:
		return r.report(ctx, o.set, d)
	default:
		return "", nil // what runs stays; the status controller says why
	}
}

// Gather reads what a decision on set depends on. The status controller derives the same condition from it.
func Gather(
	ctx context.Context, c client.Reader, set *lwsv1.LeaderWorkerSet, current *v1alpha1.Placement,
	unsupported func(*lwsv1.LeaderWorkerSetSpec, map[string]string) field.ErrorList,
) (placement.Input, error) {
	in := placement.Input{Set: set, Current: current}
	if unsupported != nil {
		in.Unsupported = unsupported(&set.Spec, set.Annotations)
	}
	policies := &v1alpha1.PlacementPolicyList{}
	if err := c.List(ctx, policies, client.InNamespace(set.Namespace)); err != nil {
		return in, fmt.Errorf("list PlacementPolicies: %w", err)
	}
	members := &v1alpha1.MemberClusterList{}
	if err := c.List(ctx, members); err != nil {
		return in, fmt.Errorf("list MemberClusters: %w", err)
	}
	in.Policies, in.Members = policies.Items, members.Items
	return in, nil
}
