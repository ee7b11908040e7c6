// Package member says which sets of the member clusters lwsfed runs, for the controllers in its folders.
//
// Two controllers run a set in a member, each keyed so that one key touches one cluster: leaderworkerset
// keeps the leader StatefulSet, the revisions and the set's status; leaderpod builds the workers of one
// group from the revision whose key the group's leader carries. Neither knows of other clusters.
package member

import (
	"context"
	"fmt"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	mcbuilder "sigs.k8s.io/multicluster-runtime/pkg/builder"
	mcmanager "sigs.k8s.io/multicluster-runtime/pkg/manager"
	"sigs.k8s.io/multicluster-runtime/pkg/multicluster"
	mcreconcile "sigs.k8s.io/multicluster-runtime/pkg/reconcile"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/api/v1alpha1"
	"github.com/lwsfed/lwsfed/pkg/fleet"
	"github.com/lwsfed/lwsfed/pkg/history"
)

// Recorder is the name under which events in members are reported.
const Recorder = "lwsfed"

// Scope is what the controllers in members share.
type Scope struct {
	// HubID is the id of this hub, which its sets in members carry.
	HubID string
	// GetCluster returns a member by name.
	GetCluster func(context.Context, multicluster.ClusterName) (cluster.Cluster, error)
	// Workloads says which sets lwsfed runs in a member.
	Workloads func(member string) v1alpha1.Workloads
	// Store is the hub's history.
	Store history.Store
	// Fleet bounds the work in each member.
	Fleet *fleet.Fleet
}

// Concurrency is how many reconciles run at once, in one member and in all. The bound for one leaves workers to
// the others where a member is slow.
type Concurrency struct {
	PerMember, Total int
	// Yield leaves a member to propagation while sets wait to be written there.
	Yield bool
}

// deadline of one reconcile.
const deadline = 30 * time.Second

// Watch registers a controller of members, which hears of the objects.
func (s Scope) Watch(mgr mcmanager.Manager, name string, bound Concurrency, r mcreconcile.Reconciler, objects map[client.Object]fleet.Requests) error {
	guard := s.Fleet.Guard(bound.PerMember, deadline, r)
	if bound.Yield {
		guard.Yield()
	}
	c, err := mcbuilder.ControllerManagedBy(mgr).
		Named(name).
		WatchesRawSource(guard.Source()).
		WithClusterNotFoundWrapper(false).
		WithOptions(fleet.ControllerOptions(mgr.GetLogger(), name, bound.Total)).
		Build(guard)
	if err != nil {
		return fmt.Errorf("build controller %s: %w", name, err)
	}
	for object, requests := range objects {
		if err := c.MultiClusterWatch(fleet.Kind(object, requests)); err != nil {
			return fmt.Errorf("watch %T in members: %w", object, err)
		}
	}
	return nil
}

// Runs reports whether this hub runs the set in the member: it placed it there, or the member's workloads
// are All and no other hub has placed it.
func (s Scope) Runs(member multicluster.ClusterName, set *lwsv1.LeaderWorkerSet) bool {
	hub, placed := set.Labels[v1alpha1.LabelManagedBy]
	if placed {
		return hub == s.HubID
	}
	return s.Workloads(string(member)) == v1alpha1.WorkloadsAll
}
