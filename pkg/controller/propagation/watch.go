package propagation

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/sets"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	mcbuilder "sigs.k8s.io/multicluster-runtime/pkg/builder"
	mchandler "sigs.k8s.io/multicluster-runtime/pkg/handler"
	mcmanager "sigs.k8s.io/multicluster-runtime/pkg/manager"
	"sigs.k8s.io/multicluster-runtime/pkg/multicluster"
	mcreconcile "sigs.k8s.io/multicluster-runtime/pkg/reconcile"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/api/v1alpha1"
	"github.com/lwsfed/lwsfed/pkg/controller"
	"github.com/lwsfed/lwsfed/pkg/fleet"
)

// indexCluster finds Placements by the clusters that they choose or still report on.
const indexCluster = "lwsfed.io/propagation-cluster"

const (
	workers   = 64
	perMember = 8
	deadline  = 30 * time.Second
	retryMin  = 5 * time.Millisecond
	retryMax  = time.Minute
)

// SetupWithManager registers the controller and fills the fields that are nil. It must be called once, before
// the manager starts.
func (r *Reconciler) SetupWithManager(mgr mcmanager.Manager) error {
	r.setDefaults(mgr)
	err := mgr.GetLocalManager().GetFieldIndexer().IndexField(context.Background(), &v1alpha1.Placement{}, indexCluster, byCluster)
	if err != nil {
		return fmt.Errorf("index Placements by cluster: %w", err)
	}
	options := fleet.ControllerOptions(mgr.GetLogger(), "propagation", workers)
	options.ReconciliationTimeout = 2 * deadline
	hub, members := mcbuilder.WithEngageWithLocalCluster(true), mcbuilder.WithEngageWithProviderClusters(false)
	c, err := mcbuilder.ControllerManagedBy(mgr).
		Named("propagation").
		Watches(&v1alpha1.Placement{}, keepCluster(clustersOfPlacement), hub, members, mcbuilder.WithPredicates(placementChanged())).
		Watches(newSet(), keepCluster(r.clustersOfSet), hub, members, mcbuilder.WithPredicates(controller.SetChanged())).
		Watches(&v1alpha1.MemberCluster{}, keepCluster(r.setsOfMember), hub, members, mcbuilder.WithPredicates(comesOrGoes())).
		WatchesRawSource(r.Fleet.Changes(r.setsOfCluster)).
		WatchesRawSource(r.guard.Source()).
		WithOptions(options).
		WithClusterNotFoundWrapper(false).
		Build(r)
	if err != nil {
		return err
	}
	return c.MultiClusterWatch(fleet.Kind(&lwsv1.LeaderWorkerSet{}, r.fromMember, controller.SetChanged()))
}

func (r *Reconciler) setDefaults(mgr mcmanager.Manager) {
	if r.Hub == nil {
		r.Hub = mgr.GetLocalManager().GetCache()
	}
	if r.GetCluster == nil {
		r.GetCluster = mgr.GetCluster
	}
	r.guard = r.Fleet.Guard(perMember, deadline, mcreconcile.Func(r.reconcileMember)).First()
}

// keepCluster makes a handler whose requests keep the cluster that the function gives them.
func keepCluster(toRequests handler.TypedMapFunc[client.Object, mcreconcile.Request]) mchandler.EventHandlerFunc {
	return func(multicluster.ClusterName, cluster.Cluster) mchandler.EventHandler {
		return mchandler.TypedEnqueueRequestsFromMapFuncWithClusterPreservation(toRequests)
	}
}

// clusters returns the names of the clusters that a Placement chooses or still reports on.
func clusters(p *v1alpha1.Placement) sets.Set[string] {
	names := sets.New[string]()
	for _, c := range p.Spec.Clusters {
		names.Insert(c.Name)
	}
	for _, c := range p.Status.Clusters {
		names.Insert(c.Name)
	}
	return names
}

func byCluster(o client.Object) []string { return sets.List(clusters(o.(*v1alpha1.Placement))) }

func clustersOfPlacement(_ context.Context, o client.Object) []mcreconcile.Request {
	var out []mcreconcile.Request
	for name := range clusters(o.(*v1alpha1.Placement)) {
		out = append(out, request(name, o))
	}
	return out
}

func (r *Reconciler) clustersOfSet(ctx context.Context, o client.Object) []mcreconcile.Request {
	p := &v1alpha1.Placement{}
	if err := r.Hub.Get(ctx, client.ObjectKeyFromObject(o), p); err != nil {
		return nil // no Placement: its coming is an event
	}
	return clustersOfPlacement(ctx, p)
}

func (r *Reconciler) setsOfMember(_ context.Context, o client.Object) []mcreconcile.Request {
	return r.setsOfCluster(o.GetName())
}

func (r *Reconciler) setsOfCluster(name string) []mcreconcile.Request {
	placements := &v1alpha1.PlacementList{}
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	if err := r.Hub.List(ctx, placements, client.MatchingFields{indexCluster: name}); err != nil {
		return nil // only a cache that is stopping fails
	}
	out := make([]mcreconcile.Request, len(placements.Items))
	for i := range placements.Items {
		out[i] = request(name, &placements.Items[i])
	}
	return out
}

// fromMember passes a member's sets that are the hub's, and those whose name is placed somewhere.
func (r *Reconciler) fromMember(name multicluster.ClusterName, o client.Object) []mcreconcile.Request {
	if o.GetLabels()[v1alpha1.LabelManagedBy] != r.HubID {
		ctx, cancel := context.WithTimeout(context.Background(), deadline)
		defer cancel()
		if err := r.Hub.Get(ctx, client.ObjectKeyFromObject(o), &v1alpha1.Placement{}); err != nil {
			return nil
		}
	}
	return []mcreconcile.Request{request(name.String(), o)}
}

func request(name string, o client.Object) mcreconcile.Request {
	return mcreconcile.Request{
		ClusterName: multicluster.ClusterName(name),
		Request:     ctrl.Request{NamespacedName: client.ObjectKeyFromObject(o)},
	}
}

// placementChanged passes changes of the decision and of the clusters reported on.
func placementChanged() predicate.Predicate {
	return predicate.Or[client.Object](predicate.GenerationChangedPredicate{}, predicate.Funcs{
		UpdateFunc: func(e event.UpdateEvent) bool {
			return !clusters(e.ObjectOld.(*v1alpha1.Placement)).Equal(clusters(e.ObjectNew.(*v1alpha1.Placement)))
		},
	})
}

// comesOrGoes passes the beginning and the end of an object.
func comesOrGoes() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(event.UpdateEvent) bool { return false }}
}
