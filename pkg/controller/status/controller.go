package status

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	mcbuilder "sigs.k8s.io/multicluster-runtime/pkg/builder"
	mchandler "sigs.k8s.io/multicluster-runtime/pkg/handler"
	mcmanager "sigs.k8s.io/multicluster-runtime/pkg/manager"
	mcreconcile "sigs.k8s.io/multicluster-runtime/pkg/reconcile"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/api/v1alpha1"
	"github.com/lwsfed/lwsfed/pkg/controller/propagation"
	"github.com/lwsfed/lwsfed/pkg/fleet"
)

const (
	name     = "status"
	owner    = client.FieldOwner(v1alpha1.FieldManager)
	deadline = 15 * time.Second
	// coalesce is how long an event waits for others of its set.
	coalesce = 100 * time.Millisecond
	// indexCluster is the index of Placements by the clusters that may have their sets.
	indexCluster = "lwsfed.io/status-cluster"
)

// Reconciler writes what the fleet shows of each set.
type Reconciler struct {
	// HubID is the id of this hub, which its sets in members carry.
	HubID string
	// Client reads the hub's cache and writes to the hub.
	Client client.Client
	// Fleet is the members.
	Fleet *fleet.Fleet
	// Outcomes says what became of each set in each member.
	Outcomes *propagation.Outcomes
}

// SetupWithManager registers the controller.
func (r *Reconciler) SetupWithManager(mgr mcmanager.Manager) error {
	indexer := mgr.GetLocalManager().GetFieldIndexer()
	err := indexer.IndexField(context.Background(), &v1alpha1.Placement{}, indexCluster, func(o client.Object) []string {
		return v1alpha1.ClustersOf(o.(*v1alpha1.Placement))
	})
	if err != nil {
		return fmt.Errorf("index Placements by cluster: %w", err)
	}
	options := fleet.ControllerOptions(mgr.GetLogger(), name, 8)
	options.NewQueue = fleet.Coalescing(coalesce)
	hub, members := mcbuilder.WithEngageWithLocalCluster(true), mcbuilder.WithEngageWithProviderClusters(false)
	c, err := mcbuilder.ControllerManagedBy(mgr).
		Named(name).
		Watches(&v1alpha1.Placement{}, mchandler.EnqueueRequestForObject, hub, members).
		Watches(&lwsv1.LeaderWorkerSet{}, mchandler.EnqueueRequestForObject, hub, members).
		WatchesRawSource(r.Outcomes.Source(ofOutcome)).
		WatchesRawSource(r.Fleet.Changes(r.placedIn)).
		WithClusterNotFoundWrapper(false).
		WithOptions(options).
		Build(r)
	if err != nil {
		return fmt.Errorf("build controller %s: %w", name, err)
	}
	for _, kind := range []client.Object{&lwsv1.LeaderWorkerSet{}, &corev1.Pod{}} {
		if err := c.MultiClusterWatch(fleet.Kind(kind, leadersAndSets)); err != nil {
			return fmt.Errorf("watch %T in members: %w", kind, err)
		}
	}
	return nil
}

// Reconcile writes the status of one set's Placement and of the set, and lets a deleted Placement go.
func (r *Reconciler) Reconcile(ctx context.Context, req mcreconcile.Request) (ctrl.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	placement := &v1alpha1.Placement{}
	if err := r.Client.Get(ctx, req.NamespacedName, placement); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	o, err := r.observe(ctx, placement)
	if err != nil {
		return ctrl.Result{}, err
	}
	if placement.DeletionTimestamp != nil && o.clean() {
		return ctrl.Result{}, r.release(ctx, placement)
	}
	if wait := o.unsettled(); wait > 0 {
		return ctrl.Result{RequeueAfter: wait}, nil
	}
	status := placementStatus(o)
	if err := r.writePlacement(ctx, placement, status); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.writeSet(ctx, o, status)
}

func (r *Reconciler) writePlacement(ctx context.Context, placement *v1alpha1.Placement, status v1alpha1.PlacementStatus) error {
	if apiequality.Semantic.DeepEqual(placement.Status, status) {
		return nil
	}
	next := placement.DeepCopy()
	next.Status = status
	if err := r.Client.Status().Patch(ctx, next, client.MergeFrom(placement), owner); err != nil {
		return fmt.Errorf("write status of Placement: %w", client.IgnoreNotFound(err))
	}
	return nil
}

func (r *Reconciler) writeSet(ctx context.Context, o *observation, placement v1alpha1.PlacementStatus) error {
	if o.set == nil || string(o.set.UID) != o.placement.Spec.SetUID {
		return nil
	}
	status := setStatus(o, placement)
	if apiequality.Semantic.DeepEqual(o.set.Status, status) {
		return nil
	}
	next := o.set.DeepCopy()
	next.Status = status
	if err := r.Client.Status().Patch(ctx, next, client.MergeFrom(o.set), owner); err != nil {
		return fmt.Errorf("write status of set: %w", err)
	}
	return nil
}

// release lets the Placement go.
func (r *Reconciler) release(ctx context.Context, placement *v1alpha1.Placement) error {
	next := placement.DeepCopy()
	if !controllerutil.RemoveFinalizer(next, v1alpha1.FinalizerMembers) {
		return nil
	}
	err := r.Client.Patch(ctx, next, client.MergeFromWithOptions(placement, client.MergeFromWithOptimisticLock{}), owner)
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("let the Placement go: %w", err)
	}
	return nil
}

// placedIn are the sets that the member may have.
func (r *Reconciler) placedIn(member string) []mcreconcile.Request {
	list := &v1alpha1.PlacementList{}
	err := r.Client.List(context.Background(), list, client.MatchingFields{indexCluster: member}, client.UnsafeDisableDeepCopy)
	if err != nil {
		return nil // The cache fails only when it stops.
	}
	var requests []mcreconcile.Request
	for i := range list.Items {
		requests = append(requests, ofOutcome("", client.ObjectKeyFromObject(&list.Items[i]))...)
	}
	return requests
}

func ofOutcome(_ string, set types.NamespacedName) []mcreconcile.Request {
	return []mcreconcile.Request{{Request: reconcile.Request{NamespacedName: set}}}
}
