package status

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/multicluster-runtime/pkg/multicluster"
	mcreconcile "sigs.k8s.io/multicluster-runtime/pkg/reconcile"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/api/v1alpha1"
	"github.com/lwsfed/lwsfed/pkg/controller/propagation"
	"github.com/lwsfed/lwsfed/pkg/fleet"
	"github.com/lwsfed/lwsfed/pkg/revision"
)

// observation is what hub and members show of a set.
type observation struct {
	placement *v1alpha1.Placement
	// set is the hub's. Nil if absent.
	set     *lwsv1.LeaderWorkerSet
	members []member
	now     time.Time
}

// member is what one member shows of a set.
type member struct {
	name     string
	decision *v1alpha1.ClusterDecision // nil for a cluster that the set leaves
	before   *v1alpha1.ClusterStatus   // as last written, nil if never
	registered,
	known bool // the fleet knows the member, and has heard of it since the start
	state     fleet.State
	outcome   *propagation.Outcome // nil before the first since the start
	set       *lwsv1.LeaderWorkerSet
	revisions map[string]int32 // groups by their leaders' revision key
}

func (r *Reconciler) observe(ctx context.Context, placement *v1alpha1.Placement) (*observation, error) {
	o := &observation{placement: placement, set: &lwsv1.LeaderWorkerSet{}, now: time.Now()}
	err := r.Client.Get(ctx, client.ObjectKeyFromObject(placement), o.set)
	if apierrors.IsNotFound(err) {
		o.set = nil
	} else if err != nil {
		return nil, fmt.Errorf("get set: %w", err)
	}
	for _, name := range v1alpha1.ClustersOf(placement) {
		m, err := r.observeMember(ctx, placement, name)
		if err != nil {
			return nil, fmt.Errorf("observe cluster %q: %w", name, err)
		}
		o.members = append(o.members, m)
	}
	return o, nil
}

func (r *Reconciler) observeMember(ctx context.Context, placement *v1alpha1.Placement, name string) (member, error) {
	m := member{name: name}
	for i := range placement.Spec.Clusters {
		if placement.Spec.Clusters[i].Name == name && placement.DeletionTimestamp == nil {
			m.decision = &placement.Spec.Clusters[i]
		}
	}
	for i := range placement.Status.Clusters {
		if placement.Status.Clusters[i].Name == name {
			m.before = &placement.Status.Clusters[i]
		}
	}
	err := r.Client.Get(ctx, client.ObjectKey{Name: name}, &v1alpha1.MemberCluster{})
	if client.IgnoreNotFound(err) != nil {
		return m, err
	}
	m.registered = err == nil
	m.state, m.known = r.Fleet.State(name)
	m.known = m.known && m.state.Contact.Status != metav1.ConditionUnknown
	if outcome, ok := r.Outcomes.Get(name, client.ObjectKeyFromObject(placement)); ok && outcome.PlacementUID == placement.UID {
		m.outcome = &outcome
	}
	return m, r.readMember(ctx, placement, &m)
}

// readMember reads the member's cache.
func (r *Reconciler) readMember(ctx context.Context, placement *v1alpha1.Placement, m *member) error {
	cl, err := r.Fleet.Get(ctx, multicluster.ClusterName(m.name))
	if errors.Is(err, multicluster.ErrClusterNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	set := &lwsv1.LeaderWorkerSet{}
	if err := cl.GetClient().Get(ctx, client.ObjectKeyFromObject(placement), set); err != nil {
		return client.IgnoreNotFound(err)
	}
	if set.Labels[v1alpha1.LabelManagedBy] != r.HubID {
		return nil
	}
	m.set = set
	pods := &corev1.PodList{}
	err = cl.GetClient().List(ctx, pods, client.InNamespace(set.Namespace), client.MatchingFields{fleet.IndexSet: set.Name}, client.UnsafeDisableDeepCopy)
	if err != nil {
		return fmt.Errorf("list pods: %w", err)
	}
	m.revisions = map[string]int32{}
	for i := range pods.Items {
		if pods.Items[i].Labels[lwsv1.LabelWorkerIndex] == "0" {
			m.revisions[revision.KeyOf(&pods.Items[i])]++
		}
	}
	return nil
}

// leadersAndSets names the hub's set of a member's set or leader pod. Workers count through the set's status.
func leadersAndSets(cluster multicluster.ClusterName, o client.Object) []mcreconcile.Request {
	if _, pod := o.(*corev1.Pod); pod && o.GetLabels()[lwsv1.LabelWorkerIndex] != "0" {
		return nil
	}
	return fleet.ToHubSet(cluster, o)
}

// clean reports whether no member has the set any more. A member that left the fleet counts as clean.
func (o *observation) clean() bool {
	for _, m := range o.members {
		if m.registered && (m.outcome == nil || !m.outcome.Clean) {
			return false
		}
	}
	return true
}

// settleTime is how long the first write waits for members that are about to report. One that hangs is unreachable
// before; what takes longer than a moment is a burst of sets, each of which is written once then.
const settleTime = 30 * time.Second

// unsettled is how long the first write still waits, 0 if it need not: what is on its way would only be
// written over.
func (o *observation) unsettled() time.Duration {
	left := settleTime - o.now.Sub(o.placement.CreationTimestamp.Time)
	if o.placement.Status.ObservedGeneration != 0 || o.placement.DeletionTimestamp != nil || left <= 0 {
		return 0
	}
	for _, m := range o.members {
		arriving := m.outcome == nil || m.outcome.State == v1alpha1.ClusterApplied && (m.set == nil || m.set.Status.ObservedGeneration < m.set.Generation)
		if m.decision != nil && m.state.Reachable && arriving {
			return left
		}
	}
	return 0
}
