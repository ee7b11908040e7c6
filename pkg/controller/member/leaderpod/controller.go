package leaderpod

import (
	"context"
	"errors"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	mcmanager "sigs.k8s.io/multicluster-runtime/pkg/manager"
	"sigs.k8s.io/multicluster-runtime/pkg/multicluster"
	mcreconcile "sigs.k8s.io/multicluster-runtime/pkg/reconcile"

	"github.com/lwsfed/lwsfed/pkg/controller/member"
	"github.com/lwsfed/lwsfed/pkg/fleet"
)

const (
	name = "member-leaderpod"
	// missingRetry is how long a group waits before its lost revision is looked for again. It comes back from
	// the hub, whose store no watch of a member shows.
	missingRetry = 10 * time.Second
)

var concurrency = member.Concurrency{PerMember: 16, Total: 64}

// Reconciler builds the workers of groups.
type Reconciler struct {
	member.Scope

	seen seen
}

// SetupWithManager registers the controller.
func (r *Reconciler) SetupWithManager(mgr mcmanager.Manager) error {
	return r.Watch(mgr, name, concurrency, r, map[client.Object]fleet.Requests{
		&corev1.Pod{}:         ofPod,
		&appsv1.StatefulSet{}: ofWorkers,
		&corev1.Service{}:     ofGroupService,
	})
}

// Reconcile builds the workers of one leader: observe, find the leader's revision, recreate the group if a pod
// of it failed, else create what is missing.
func (r *Reconciler) Reconcile(ctx context.Context, req mcreconcile.Request) (ctrl.Result, error) {
	cl, err := r.GetCluster(ctx, req.ClusterName)
	if errors.Is(err, multicluster.ErrClusterNotFound) {
		r.seen.forget(req)
		return ctrl.Result{}, nil // The member left the fleet; it is listed anew when it comes back.
	}
	if err != nil {
		return ctrl.Result{}, fmt.Errorf("get cluster: %w", err)
	}
	o, err := r.observe(ctx, cl.GetClient(), req.NamespacedName)
	if err != nil {
		return ctrl.Result{}, err
	}
	if o == nil || !r.Runs(req.ClusterName, o.set) {
		r.seen.forget(req)
		return ctrl.Result{}, nil
	}
	b := &builder{client: cl.GetClient(), live: cl.GetAPIReader(), recorder: cl.GetEventRecorder(member.Recorder), observation: o}
	content, err := r.content(ctx, b)
	if err != nil {
		return ctrl.Result{}, err
	}
	if content == nil {
		return ctrl.Result{RequeueAfter: missingRetry}, nil
	}
	o.lost = r.seen.lost(req, o, content.Size())
	if reason := recreation(o, *content); reason != "" {
		return ctrl.Result{}, b.recreate(ctx, reason)
	}
	return ctrl.Result{}, b.build(ctx, *content)
}
