package propagation

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/multicluster-runtime/pkg/multicluster"
	mcreconcile "sigs.k8s.io/multicluster-runtime/pkg/reconcile"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/api/v1alpha1"
	"github.com/lwsfed/lwsfed/pkg/fleet"
)

const (
	// conflictPause is the wait after somebody else wrote first; the cache has it by then.
	conflictPause = 200 * time.Millisecond
	// refusedPause is the wait before a member that refused a set is asked again. What it refused is mended
	// by people, on the hub (an event) or in the member (none).
	refusedPause = time.Minute
)

// Reconciler brings sets to members.
type Reconciler struct {
	// HubID is the id of the hub, the value of label lwsfed.io/managed-by.
	HubID string
	// Fleet is the members.
	Fleet *fleet.Fleet
	// Outcomes is what became of each set in each member.
	Outcomes *Outcomes
	// Hub reads from the hub's cache, also unstructured LeaderWorkerSets. SetupWithManager sets it if it is nil.
	Hub client.Reader
	// GetCluster returns an engaged member. SetupWithManager sets it if it is nil.
	GetCluster func(context.Context, multicluster.ClusterName) (cluster.Cluster, error)

	guard *fleet.Guard
}

// Reconcile does, for one set in one member:
//
//  1. without the Placement: forget it, touch nothing;
//  2. chosen, and the hub's set is the one that the Placement is for: make the member's set as decided;
//  3. not chosen, or the Placement is being deleted: withdraw the member's set;
//  4. else wait for the Placement, which follows the hub's set.
//
// Steps 2 to 4 wait for an unreachable member.
func (r *Reconciler) Reconcile(ctx context.Context, req mcreconcile.Request) (ctrl.Result, error) {
	err := r.Hub.Get(ctx, req.NamespacedName, &v1alpha1.Placement{})
	if apierrors.IsNotFound(err) {
		r.Outcomes.forget(req.NamespacedName)
		return ctrl.Result{}, nil
	}
	if err != nil {
		return ctrl.Result{}, fmt.Errorf("get Placement %q: %w", req.NamespacedName, err)
	}
	return r.guard.Reconcile(ctx, req)
}

func (r *Reconciler) reconcileMember(ctx context.Context, req mcreconcile.Request) (ctrl.Result, error) {
	o, err := r.observe(ctx, req)
	if err != nil {
		return ctrl.Result{}, fmt.Errorf("observe LWS %q for cluster %q: %w", req.NamespacedName, req.ClusterName, err)
	}
	outcome, err := r.act(ctx, o)
	switch {
	case apierrors.IsConflict(err):
		return ctrl.Result{RequeueAfter: conflictPause}, nil
	case err != nil:
		return ctrl.Result{}, fmt.Errorf("bring LWS %q to cluster %q: %w", req.NamespacedName, req.ClusterName, err)
	case outcome == nil:
		return ctrl.Result{}, nil
	}
	if r.Outcomes.set(o.key, *outcome) {
		log.FromContext(ctx).Info("Outcome", "state", outcome.State, "reason", outcome.Reason, "message", outcome.Message)
	}
	if outcome.Reason == v1alpha1.ReasonRejected {
		return ctrl.Result{RequeueAfter: refusedPause}, nil
	}
	return ctrl.Result{}, nil
}

// observed is what is known of one set in one member; nil what is not there.
type observed struct {
	key       key
	placement *v1alpha1.Placement
	hub       *unstructured.Unstructured
	// gone says that the cluster is no MemberCluster any more.
	gone bool
	// member is nil until the cluster was connected once.
	member cluster.Cluster
	live   *lwsv1.LeaderWorkerSet
}

func (r *Reconciler) observe(ctx context.Context, req mcreconcile.Request) (observed, error) {
	o := observed{key: keyOf(req)}
	placement, hub, mc := &v1alpha1.Placement{}, newSet(), &v1alpha1.MemberCluster{}
	if found, err := found(r.Hub.Get(ctx, req.NamespacedName, placement)); err != nil {
		return o, fmt.Errorf("get Placement: %w", err)
	} else if found {
		o.placement = placement
	}
	if found, err := found(r.Hub.Get(ctx, req.NamespacedName, hub)); err != nil {
		return o, fmt.Errorf("get the hub's set: %w", err)
	} else if found {
		o.hub = hub
	}
	exists, err := found(r.Hub.Get(ctx, types.NamespacedName{Name: o.key.cluster}, mc))
	if err != nil {
		return o, fmt.Errorf("get MemberCluster: %w", err)
	}
	o.gone = !exists
	o.member, err = r.GetCluster(ctx, req.ClusterName)
	if errors.Is(err, multicluster.ErrClusterNotFound) {
		o.member = nil
		return o, nil
	}
	if err != nil {
		return o, err
	}
	live := &lwsv1.LeaderWorkerSet{}
	if found, err := found(o.member.GetClient().Get(ctx, req.NamespacedName, live)); err != nil {
		return o, fmt.Errorf("get the member's set: %w", err)
	} else if found {
		o.live = live
	}
	return o, nil
}

// act returns the outcome, nil for none.
func (r *Reconciler) act(ctx context.Context, o observed) (*Outcome, error) {
	p := o.placement
	if p == nil {
		return nil, nil
	}
	i, chosen := o.decision()
	if p.DeletionTimestamp != nil || !chosen {
		return r.withdraw(ctx, o)
	}
	if o.hub == nil || o.hub.GetDeletionTimestamp() != nil || string(o.hub.GetUID()) != p.Spec.SetUID {
		return nil, nil
	}
	return r.place(ctx, o, i)
}

// decision returns the place of the cluster in the Placement, and whether it is there.
func (o observed) decision() (int, bool) {
	for i, c := range o.placement.Spec.Clusters {
		if c.Name == o.key.cluster {
			return i, true
		}
	}
	return 0, false
}

// outcome is one that belongs to the Placement as observed.
func (o observed) outcome(state v1alpha1.ClusterState, reason, format string, args ...any) *Outcome {
	return &Outcome{State: state, Reason: reason, Message: v1alpha1.Message(fmt.Sprintf(format, args...)), PlacementUID: o.placement.UID}
}

// confirm asks the API server where the cache has no set: the cache may be behind.
func (o *observed) confirm(ctx context.Context) error {
	if o.live != nil {
		return nil
	}
	live := &lwsv1.LeaderWorkerSet{}
	found, err := found(o.member.GetAPIReader().Get(ctx, o.key.set, live))
	if found {
		o.live = live
	}
	return err
}

func newSet() *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(lwsv1.GroupVersion.WithKind("LeaderWorkerSet"))
	return u
}

func found(err error) (bool, error) {
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	return err == nil, err
}

// ownedBy says whether a member's set is this hub's. One that lost the label still is, while it says that it
// comes from the hub's set.
func ownedBy(live metav1.Object, hubID, setUID string) bool {
	if hub, ok := live.GetLabels()[v1alpha1.LabelManagedBy]; ok {
		return hub == hubID
	}
	return setUID != "" && live.GetAnnotations()[v1alpha1.AnnotationOriginUID] == setUID
}
