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
	mcbuilder "sigs.k8s.io/multicluster-runtime/pkg/builder"
	mcmanager "sigs.k8s.io/multicluster-runtime/pkg/manager"
	"sigs.k8s.io/multicluster-runtime/pkg/multicluster"
	mcreconcile "sigs.k8s.io/multicluster-runtime/pkg/reconcile"

	"github.com/lwsfed/lwsfed/pkg/controller/member"
	"github.com/lwsfed/lwsfed/pkg/fleet"
	"github.com/lwsfed/lwsfed/pkg/history"
)

const (
	name = "member-leaderpod"
	// perMember bounds how many of a member's groups are worked on at once.
	perMember = 16
	// deadline of one reconcile.
	deadline = 30 * time.Second
	// missingRetry is how long a group waits before its lost revision is looked for again. It comes back from
	// the hub, whose store no watch of a member shows.
	missingRetry = 10 * time.Second
)

// Reconciler builds the workers of groups.
type Reconciler struct {
	member.Scope
	// Store is the hub's history.
	Store history.Store
	// Fleet bounds the work in each member.
	Fleet *fleet.Fleet
}

// SetupWithManager registers the controller.
func (r *Reconciler) SetupWithManager(mgr mcmanager.Manager) error {
	guard := r.Fleet.Guard(perMember, deadline, r)
	c, err := mcbuilder.ControllerManagedBy(mgr).
		Named(name).
		WatchesRawSource(guard.Source()).
		WithClusterNotFoundWrapper(false).
		WithOptions(fleet.ControllerOptions(mgr.GetLogger(), name, 64)).
		Build(guard)
	if err != nil {
		return fmt.Errorf("build controller %s: %w", name, err)
	}
	for object, requests := range map[client.Object]fleet.Requests{
		&corev1.Pod{}:         ofPod,
		&appsv1.StatefulSet{}: ofWorkers,
		&corev1.Service{}:     ofGroupService,
	} {
		if err := c.MultiClusterWatch(fleet.Kind(object, requests)); err != nil {
			return fmt.Errorf("watch %T in members: %w", object, err)
		}
	}
	return nil
}

// Reconcile builds the workers of one leader: observe, find the leader's revision, recreate the group if a pod
// of it failed, else create what is missing.
func (r *Reconciler) Reconcile(ctx context.Context, req mcreconcile.Request) (ctrl.Result, error) {
	cl, err := r.GetCluster(ctx, req.ClusterName)
	if errors.Is(err, multicluster.ErrClusterNotFound) {
		return ctrl.Result{}, nil // The member left the fleet; it is listed anew when it comes back.
	}
	if err != nil {
		return ctrl.Result{}, fmt.Errorf("get cluster: %w", err)
	}
	o, err := r.observe(ctx, cl.GetClient(), req.NamespacedName)
	if err != nil || o == nil || !r.Runs(req.ClusterName, o.set) {
		return ctrl.Result{}, err
	}
	b := &builder{client: cl.GetClient(), live: cl.GetAPIReader(), recorder: cl.GetEventRecorder(member.Recorder), observation: o}
	content, err := r.content(ctx, b)
	if err != nil {
		return ctrl.Result{}, err
	}
	if content == nil {
		return ctrl.Result{RequeueAfter: missingRetry}, nil
	}
	if reason := recreation(o, *content); reason != "" {
		return ctrl.Result{}, b.recreate(ctx, reason)
	}
	return ctrl.Result{}, b.build(ctx, *content)
}
