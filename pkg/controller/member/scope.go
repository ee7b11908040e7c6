// Package member says which sets of the member clusters lwsfed runs, for the controllers in its folders.
//
// Two controllers run a set in a member, each keyed so that one key touches one cluster: leaderworkerset
// keeps the leader StatefulSet, the revisions and the set's status; leaderpod builds the workers of one
// group from the revision whose key the group's leader carries. Neither knows of other clusters.
package member

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/multicluster-runtime/pkg/multicluster"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/api/v1alpha1"
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
