// Package rollout keeps the hub's history of each set: one revision for each key that any cluster uses, so
// that a member that lost a revision gets it back, and an undone change gets its old key.
//
// Reconciling one set of the hub: give the set's own content a revision, mirror what members have and the hub
// has not, and trim what no member uses, down to the newest few.
package rollout

import (
	"context"
	"errors"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	mcbuilder "sigs.k8s.io/multicluster-runtime/pkg/builder"
	mchandler "sigs.k8s.io/multicluster-runtime/pkg/handler"
	mcmanager "sigs.k8s.io/multicluster-runtime/pkg/manager"
	"sigs.k8s.io/multicluster-runtime/pkg/multicluster"
	mcreconcile "sigs.k8s.io/multicluster-runtime/pkg/reconcile"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/api/v1alpha1"
	"github.com/lwsfed/lwsfed/pkg/fleet"
	"github.com/lwsfed/lwsfed/pkg/history"
	"github.com/lwsfed/lwsfed/pkg/revision"
)

const (
	name     = "rollout"
	owner    = client.FieldOwner(v1alpha1.FieldManager)
	deadline = 15 * time.Second
	// coalesce is how long an event waits for others of its set. The cache has what was written by then.
	coalesce = 100 * time.Millisecond
)

// Reconciler keeps the hub's history.
type Reconciler struct {
	// HubID is the id of this hub, which its sets in members carry.
	HubID string
	// Client reads the hub's cache and writes to the hub.
	Client client.Client
	// Live reads from the hub.
	Live client.Reader
	// GetCluster returns a member by name.
	GetCluster func(context.Context, multicluster.ClusterName) (cluster.Cluster, error)
}

// +kubebuilder:rbac:groups=leaderworkerset.x-k8s.io,resources=leaderworkersets,verbs=get;list;watch
// +kubebuilder:rbac:groups=leaderworkerset.x-k8s.io,resources=leaderworkersets/finalizers,verbs=update
// +kubebuilder:rbac:groups=apps,resources=controllerrevisions,verbs=get;list;watch;create;delete
// +kubebuilder:rbac:groups=lwsfed.io,resources=placements,verbs=get;list;watch

// SetupWithManager registers the controller.
func (r *Reconciler) SetupWithManager(mgr mcmanager.Manager) error {
	hub, members := mcbuilder.WithEngageWithLocalCluster(true), mcbuilder.WithEngageWithProviderClusters(false)
	options := fleet.ControllerOptions(mgr.GetLogger(), name, 8)
	options.NewQueue = fleet.Coalescing(coalesce)
	c, err := mcbuilder.ControllerManagedBy(mgr).
		Named(name).
		Watches(&lwsv1.LeaderWorkerSet{}, mchandler.EnqueueRequestForObject, hub, members).
		Watches(&v1alpha1.Placement{}, mchandler.EnqueueRequestForObject, hub, members).
		WithClusterNotFoundWrapper(false).
		WithOptions(options).
		Build(r)
	if err != nil {
		return fmt.Errorf("build controller %s: %w", name, err)
	}
	if err := c.MultiClusterWatch(fleet.Kind(&appsv1.ControllerRevision{}, fleet.ToHubSet)); err != nil {
		return fmt.Errorf("watch revisions in members: %w", err)
	}
	return nil
}

// Reconcile brings the history of one set up to date.
func (r *Reconciler) Reconcile(ctx context.Context, req mcreconcile.Request) (ctrl.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	set := &lwsv1.LeaderWorkerSet{}
	err := r.Client.Get(ctx, req.NamespacedName, set)
	if apierrors.IsNotFound(err) {
		return ctrl.Result{}, r.forget(ctx, req.NamespacedName)
	}
	if err != nil {
		return ctrl.Result{}, fmt.Errorf("get set: %w", err)
	}
	if set.DeletionTimestamp != nil {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, r.keep(ctx, set)
}

func (r *Reconciler) keep(ctx context.Context, set *lwsv1.LeaderWorkerSet) error {
	placement := &v1alpha1.Placement{}
	err := r.Client.Get(ctx, client.ObjectKeyFromObject(set), placement)
	if apierrors.IsNotFound(err) {
		return nil // A set that runs nowhere needs no history, and a hub may run sets of its own.
	}
	if err != nil {
		return fmt.Errorf("get Placement: %w", err)
	}
	if placement.Spec.SetUID != string(set.UID) {
		return nil // The history is that of the set before, until its members are clean.
	}
	stored, err := history.ForSet(ctx, r.Client, set)
	if err != nil {
		return err
	}
	used, complete, err := r.used(ctx, set, placement)
	if err != nil {
		return err
	}
	plan, err := planHistory(set, stored, used)
	if err != nil {
		return err
	}
	for _, revision := range plan.create {
		if err := r.create(ctx, revision); err != nil {
			return fmt.Errorf("create revision %q: %w", revision.Name, err)
		}
	}
	if !complete {
		return nil // A member that cannot be seen may use any of them.
	}
	return r.delete(ctx, plan.trim)
}

// create asks first: the cache may not have what was created a moment ago.
func (r *Reconciler) create(ctx context.Context, revision *appsv1.ControllerRevision) error {
	err := r.Live.Get(ctx, client.ObjectKeyFromObject(revision), &appsv1.ControllerRevision{})
	if !apierrors.IsNotFound(err) {
		return err
	}
	return r.Client.Create(ctx, revision, owner)
}

// used are the revisions of the set in its members. complete is false where a member cannot be asked.
func (r *Reconciler) used(ctx context.Context, set *lwsv1.LeaderWorkerSet, placement *v1alpha1.Placement) (used []*appsv1.ControllerRevision, complete bool, err error) {
	complete = true
	for _, member := range v1alpha1.ClustersOf(placement) {
		cl, err := r.GetCluster(ctx, multicluster.ClusterName(member))
		if errors.Is(err, multicluster.ErrClusterNotFound) {
			complete = false
			continue
		}
		if err != nil {
			return nil, false, fmt.Errorf("get cluster %q: %w", member, err)
		}
		revisions, err := r.usedIn(ctx, cl.GetClient(), set)
		if err != nil {
			return nil, false, fmt.Errorf("cluster %q: %w", member, err)
		}
		used = append(used, revisions...)
	}
	return used, complete, nil
}

func (r *Reconciler) usedIn(ctx context.Context, reader client.Reader, hubSet *lwsv1.LeaderWorkerSet) ([]*appsv1.ControllerRevision, error) {
	set := &lwsv1.LeaderWorkerSet{}
	if err := reader.Get(ctx, client.ObjectKeyFromObject(hubSet), set); err != nil {
		return nil, client.IgnoreNotFound(err)
	}
	if set.Labels[v1alpha1.LabelManagedBy] != r.HubID {
		return nil, nil
	}
	return history.ForSet(ctx, reader, set)
}

// forget deletes the history of a set that is gone, once its members are clean too.
func (r *Reconciler) forget(ctx context.Context, key client.ObjectKey) error {
	err := r.Client.Get(ctx, key, &v1alpha1.Placement{})
	if !apierrors.IsNotFound(err) {
		return err
	}
	left, err := history.OfName(ctx, r.Client, key)
	if err != nil {
		return err
	}
	return r.delete(ctx, left)
}

func (r *Reconciler) delete(ctx context.Context, revisions []*appsv1.ControllerRevision) error {
	for _, revision := range revisions {
		err := r.Client.Delete(ctx, revision, client.Preconditions{UID: ptr.To(revision.UID)})
		if client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete revision %q: %w", revision.Name, err)
		}
	}
	return nil
}

// key of a revision, short for this package.
func key(r *appsv1.ControllerRevision) string { return revision.KeyOf(r) }
