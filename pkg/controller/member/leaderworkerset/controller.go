package leaderworkerset

import (
	"context"
	"errors"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	mcmanager "sigs.k8s.io/multicluster-runtime/pkg/manager"
	"sigs.k8s.io/multicluster-runtime/pkg/multicluster"
	mcreconcile "sigs.k8s.io/multicluster-runtime/pkg/reconcile"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/pkg/controller/member"
	"github.com/lwsfed/lwsfed/pkg/fleet"
	"github.com/lwsfed/lwsfed/pkg/render"
	"github.com/lwsfed/lwsfed/pkg/revision"
)

const (
	name = "member-leaderworkerset"
	// staleRetry is how long a plan that was made from an old state waits, if no watch event comes before.
	staleRetry = 500 * time.Millisecond
)

var concurrency = member.Concurrency{PerMember: 8, Total: 32, Yield: true}

// Reconciler runs sets in members.
type Reconciler struct {
	member.Scope
}

// SetupWithManager registers the controller.
func (r *Reconciler) SetupWithManager(mgr mcmanager.Manager) error {
	return r.Watch(mgr, name, concurrency, r, map[client.Object]fleet.Requests{
		&lwsv1.LeaderWorkerSet{}:     own,
		&appsv1.StatefulSet{}:        ofStatefulSet,
		&corev1.Pod{}:                ofLeader,
		&corev1.Service{}:            ofName,
		&appsv1.ControllerRevision{}: ofName,
	})
}

// Reconcile runs one set in one member: observe, decide, apply, and write the status.
func (r *Reconciler) Reconcile(ctx context.Context, req mcreconcile.Request) (ctrl.Result, error) {
	cl, err := r.GetCluster(ctx, req.ClusterName)
	if errors.Is(err, multicluster.ErrClusterNotFound) {
		return ctrl.Result{}, nil // The member left the fleet; it is listed anew when it comes back.
	}
	if err != nil {
		return ctrl.Result{}, fmt.Errorf("get cluster: %w", err)
	}
	set := &lwsv1.LeaderWorkerSet{}
	if err := cl.GetClient().Get(ctx, req.NamespacedName, set); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if set.DeletionTimestamp != nil || !r.Runs(req.ClusterName, set) {
		return ctrl.Result{}, nil // What the set owns goes with it.
	}
	err = r.run(ctx, cl.GetClient(), cl.GetEventRecorder(member.Recorder), set)
	if apierrors.IsConflict(err) {
		return ctrl.Result{RequeueAfter: staleRetry}, nil // The cache is behind; what it lacks is on its way.
	}
	return ctrl.Result{}, err
}

func (r *Reconciler) run(ctx context.Context, c client.Client, recorder events.EventRecorder, set *lwsv1.LeaderWorkerSet) error {
	stored := set.DeepCopy()
	lwsv1.Default(&set.Spec)
	d, p, a, err := r.applySet(ctx, c, set)
	conflicted := apierrors.IsConflict(err)
	if err != nil && !conflicted && p.reason == "" {
		p = problem{reasonFailed, err.Error()}
	}
	for _, e := range a.done {
		recorder.Eventf(set, nil, corev1.EventTypeNormal, e.reason, e.action, "%s", e.note)
	}
	if conflicted || isTransient(err) {
		return err // What was observed is old, or the member did not answer: nothing to say of the set.
	}
	set.Status = *stored.Status.DeepCopy()
	status := statusOf(set, d, p)
	if p.reason != "" && problemIsNew(stored, p) {
		recorder.Eventf(set, nil, corev1.EventTypeWarning, p.reason, "Reconcile", "%s", p.message)
	}
	return errors.Join(err, writeStatus(ctx, c, stored, status))
}

// applySet returns what was decided, as far as it was, and the problem that a person has to solve, if any.
func (r *Reconciler) applySet(ctx context.Context, c client.Client, set *lwsv1.LeaderWorkerSet) (*decision, problem, *applier, error) {
	a := &applier{client: c}
	if refused := render.Unsupported(&set.Spec, set.Annotations); len(refused) > 0 {
		return nil, problem{reasonUnsupported, refused.ToAggregate().Error()}, a, nil
	}
	o, err := observe(ctx, c, set)
	if err != nil {
		return nil, problem{}, a, err
	}
	if message := o.conflict(); message != "" {
		return nil, problem{reasonConflict, message}, a, nil
	}
	stored, err := r.Store.Contents(ctx, client.ObjectKeyFromObject(set))
	if err != nil {
		return nil, problem{}, a, err
	}
	d, err := decide(o, stored)
	if errors.Is(err, revision.ErrUnreadable) {
		return nil, problem{reasonUnreadable, err.Error()}, a, nil
	}
	if err != nil {
		return nil, problem{}, a, err
	}
	p := problem{}
	if len(d.revisions.Missing) > 0 {
		p = problem{reasonMissing, fmt.Sprintf("no revision %q is left, here or on the hub: groups that carry it cannot be rebuilt", d.revisions.Missing)}
	}
	err = a.apply(ctx, o, d)
	if taken(err) {
		p = problem{reasonConflict, err.Error()}
	}
	return d, p, a, err
}
