package placement

import (
	"context"
	"fmt"
	"slices"
	"time"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	mcbuilder "sigs.k8s.io/multicluster-runtime/pkg/builder"
	mchandler "sigs.k8s.io/multicluster-runtime/pkg/handler"
	mcmanager "sigs.k8s.io/multicluster-runtime/pkg/manager"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/api/v1alpha1"
	"github.com/lwsfed/lwsfed/pkg/controller"
	"github.com/lwsfed/lwsfed/pkg/fleet"
	"github.com/lwsfed/lwsfed/pkg/placement"
	"github.com/lwsfed/lwsfed/pkg/render"
)

const (
	// indexPolicy finds Placements of a namespace by the policy that decided.
	indexPolicy = "lwsfed.io/scheduler-policy"
	// indexCluster finds Placements by the clusters that they choose.
	indexCluster = "lwsfed.io/scheduler-cluster"
)

const (
	workers  = 8
	deadline = time.Minute
	retryMin = 5 * time.Millisecond
	retryMax = time.Minute
)

// SetupWithManager registers the controller and fills the fields that are nil. It must be called once, before
// the manager starts.
func (r *Reconciler) SetupWithManager(mgr mcmanager.Manager) error {
	r.setDefaults(mgr)
	ctx := context.Background()
	indexer := mgr.GetLocalManager().GetFieldIndexer()
	if err := indexer.IndexField(ctx, &v1alpha1.Placement{}, indexPolicy, byPolicy); err != nil {
		return fmt.Errorf("index Placements by policy: %w", err)
	}
	if err := indexer.IndexField(ctx, &v1alpha1.Placement{}, indexCluster, byCluster); err != nil {
		return fmt.Errorf("index Placements by cluster: %w", err)
	}
	options := fleet.ControllerOptions(mgr.GetLogger(), "placement", workers)
	options.ReconciliationTimeout = deadline
	hub, members := mcbuilder.WithEngageWithLocalCluster(true), mcbuilder.WithEngageWithProviderClusters(false)
	return mcbuilder.ControllerManagedBy(mgr).
		Named("placement").
		For(&lwsv1.LeaderWorkerSet{}, hub, members, mcbuilder.WithPredicates(controller.SetChanged())).
		Watches(&v1alpha1.Placement{}, mchandler.EnqueueRequestsFromMapFunc(sameName), hub, members,
			mcbuilder.WithPredicates(placementChanged())).
		Watches(&v1alpha1.PlacementPolicy{}, mchandler.EnqueueRequestsFromMapFunc(r.setsOfPolicy), hub, members,
			mcbuilder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&v1alpha1.MemberCluster{}, mchandler.EnqueueRequestsFromMapFunc(r.setsOfCluster), hub, members,
			mcbuilder.WithPredicates(clusterChanged())).
		WithOptions(options).
		WithClusterNotFoundWrapper(false).
		Complete(r)
}

func (r *Reconciler) setDefaults(mgr mcmanager.Manager) {
	local := mgr.GetLocalManager()
	if r.Client == nil {
		r.Client = local.GetClient()
	}
	if r.Live == nil {
		r.Live = local.GetAPIReader()
	}
	if r.Recorder == nil {
		r.Recorder = local.GetEventRecorder(FieldManager)
	}
	if r.Unsupported == nil {
		r.Unsupported = render.Unsupported
	}
}

func byPolicy(o client.Object) []string {
	return []string{o.(*v1alpha1.Placement).Spec.Policy}
}

func byCluster(o client.Object) []string {
	var names []string
	for _, c := range o.(*v1alpha1.Placement).Spec.Clusters {
		names = append(names, c.Name)
	}
	return names
}

// placementChanged passes changes of the decision, also by others' hands, and its end.
func placementChanged() predicate.Predicate {
	return predicate.Or[client.Object](predicate.GenerationChangedPredicate{}, predicate.Funcs{
		UpdateFunc: func(e event.UpdateEvent) bool {
			return !slices.Equal(e.ObjectOld.GetFinalizers(), e.ObjectNew.GetFinalizers())
		},
	})
}

// clusterChanged passes what makes a member eligible; its heartbeat is not among it.
func clusterChanged() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		was, is := e.ObjectOld.(*v1alpha1.MemberCluster), e.ObjectNew.(*v1alpha1.MemberCluster)
		return !apiequality.Semantic.DeepEqual(was.Labels, is.Labels) ||
			!apiequality.Semantic.DeepEqual(was.Spec.Taints, is.Spec.Taints) ||
			placement.Ready(was) != placement.Ready(is) ||
			was.DeletionTimestamp.IsZero() != is.DeletionTimestamp.IsZero()
	}}
}

func sameName(_ context.Context, o client.Object) []reconcile.Request {
	return []reconcile.Request{{NamespacedName: client.ObjectKeyFromObject(o)}}
}

// setsOfPolicy returns the sets that a policy selects now and those that it placed.
func (r *Reconciler) setsOfPolicy(ctx context.Context, o client.Object) []reconcile.Request {
	p := o.(*v1alpha1.PlacementPolicy)
	found := requests{}
	r.addSelected(ctx, found, p)
	r.addPlaced(ctx, found, client.InNamespace(p.Namespace), client.MatchingFields{indexPolicy: p.Name})
	return found.list()
}

// setsOfCluster returns the sets of the policies that could choose a member and those that are placed there.
func (r *Reconciler) setsOfCluster(ctx context.Context, o client.Object) []reconcile.Request {
	m := o.(*v1alpha1.MemberCluster)
	found := requests{}
	policies := &v1alpha1.PlacementPolicyList{}
	if err := r.Client.List(ctx, policies); err != nil {
		return nil // only a cache that is stopping fails
	}
	for i := range policies.Items {
		if placement.SelectsCluster(&policies.Items[i], m) {
			r.addSelected(ctx, found, &policies.Items[i])
		}
	}
	r.addPlaced(ctx, found, client.MatchingFields{indexCluster: m.Name})
	return found.list()
}

func (r *Reconciler) addSelected(ctx context.Context, found requests, p *v1alpha1.PlacementPolicy) {
	sets := &lwsv1.LeaderWorkerSetList{}
	if err := r.Client.List(ctx, sets, client.InNamespace(p.Namespace)); err != nil {
		return
	}
	for i := range sets.Items {
		if placement.Selects(p, &sets.Items[i]) {
			found[client.ObjectKeyFromObject(&sets.Items[i])] = true
		}
	}
}

func (r *Reconciler) addPlaced(ctx context.Context, found requests, options ...client.ListOption) {
	placements := &v1alpha1.PlacementList{}
	if err := r.Client.List(ctx, placements, options...); err != nil {
		return
	}
	for i := range placements.Items {
		found[client.ObjectKeyFromObject(&placements.Items[i])] = true
	}
}

type requests map[types.NamespacedName]bool

func (r requests) list() []reconcile.Request {
	out := make([]reconcile.Request, 0, len(r))
	for key := range r {
		out = append(out, reconcile.Request{NamespacedName: key})
	}
	return out
}
