// Package membercluster brings members into the fleet and says how they are.
//
// Reconciling one MemberCluster: read its kubeconfig, give it to the fleet, and write what the fleet knows of the
// member to its status, if it differs. The fleet does all that waits for the member.
package membercluster

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	mcbuilder "sigs.k8s.io/multicluster-runtime/pkg/builder"
	mchandler "sigs.k8s.io/multicluster-runtime/pkg/handler"
	mcmanager "sigs.k8s.io/multicluster-runtime/pkg/manager"
	mcreconcile "sigs.k8s.io/multicluster-runtime/pkg/reconcile"

	"github.com/lwsfed/lwsfed/api/v1alpha1"
	"github.com/lwsfed/lwsfed/pkg/fleet"
)

const (
	name     = "membercluster"
	deadline = 15 * time.Second
	// indexSecret is the index of MemberClusters by the name of their Secret.
	indexSecret = "lwsfed.io/kubeconfig-secret"
)

// Reconciler brings members into the fleet.
type Reconciler struct {
	// Client reads the hub's cache, which holds the Secrets of lwsfed-system, and writes to the hub.
	Client client.Client
	// Recorder records events on MemberClusters.
	Recorder events.EventRecorder
	// Fleet is the members.
	Fleet *fleet.Fleet
}

// SetupWithManager registers the controller.
func (r *Reconciler) SetupWithManager(mgr mcmanager.Manager) error {
	indexer := mgr.GetLocalManager().GetFieldIndexer()
	if err := indexer.IndexField(context.Background(), &v1alpha1.MemberCluster{}, indexSecret, bySecret); err != nil {
		return fmt.Errorf("index MemberClusters by Secret: %w", err)
	}
	hub, members := mcbuilder.WithEngageWithLocalCluster(true), mcbuilder.WithEngageWithProviderClusters(false)
	return mcbuilder.ControllerManagedBy(mgr).
		Named(name).
		For(&v1alpha1.MemberCluster{}, hub, members, mcbuilder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&corev1.Secret{}, mchandler.EnqueueRequestsFromMapFunc(r.ofSecret), hub, members).
		WatchesRawSource(r.Fleet.Changes(request)).
		WithClusterNotFoundWrapper(false).
		WithOptions(fleet.ControllerOptions(mgr.GetLogger(), name, 8)).
		Complete(r)
}

// Reconcile brings one member into the fleet, or takes it out.
func (r *Reconciler) Reconcile(ctx context.Context, req mcreconcile.Request) (ctrl.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	member := &v1alpha1.MemberCluster{}
	err := r.Client.Get(ctx, req.NamespacedName, member)
	if apierrors.IsNotFound(err) || err == nil && member.DeletionTimestamp != nil {
		r.Fleet.Delete(req.Name)
		return ctrl.Result{}, nil
	}
	if err != nil {
		return ctrl.Result{}, fmt.Errorf("get MemberCluster: %w", err)
	}
	kubeconfig, refused, err := r.kubeconfig(ctx, member)
	if err != nil {
		return ctrl.Result{}, err
	}
	if refused == "" {
		r.Fleet.Set(member.Name, fleet.Member{
			Kubeconfig: kubeconfig,
			QPS:        member.Spec.Client.QPS,
			Burst:      member.Spec.Client.Burst,
			Workloads:  member.Spec.Workloads,
		})
	}
	state, _ := r.Fleet.State(member.Name)
	return ctrl.Result{}, r.writeStatus(ctx, member, statusOf(member, state, refused))
}

// kubeconfig returns the member's kubeconfig, or why there is none, for a person to mend. A member that runs is
// left alone then: what cannot be read is not gone.
func (r *Reconciler) kubeconfig(ctx context.Context, member *v1alpha1.MemberCluster) (config []byte, refused string, err error) {
	ref := member.Spec.KubeconfigSecretRef
	if ref == nil {
		return nil, "spec.clusterProfileRef is not supported yet; set spec.kubeconfigSecretRef instead", nil
	}
	secret := &corev1.Secret{}
	err = r.Client.Get(ctx, client.ObjectKey{Namespace: v1alpha1.SystemNamespace, Name: ref.Name}, secret)
	if apierrors.IsNotFound(err) {
		return nil, fmt.Sprintf("Secret %q of spec.kubeconfigSecretRef does not exist in namespace %s; create it", ref.Name, v1alpha1.SystemNamespace), nil
	}
	if err != nil {
		return nil, "", fmt.Errorf("get Secret %q: %w", ref.Name, err)
	}
	if len(secret.Data[v1alpha1.KubeconfigKey]) == 0 {
		return nil, fmt.Sprintf("Secret %q has no key %q; put the member's kubeconfig there", ref.Name, v1alpha1.KubeconfigKey), nil
	}
	return secret.Data[v1alpha1.KubeconfigKey], "", nil
}

func (r *Reconciler) writeStatus(ctx context.Context, member *v1alpha1.MemberCluster, status v1alpha1.MemberClusterStatus) error {
	if apiequality.Semantic.DeepEqual(member.Status, status) {
		return nil
	}
	next := member.DeepCopy()
	next.Status = status
	if err := r.Client.Status().Patch(ctx, next, client.MergeFrom(member), client.FieldOwner(v1alpha1.FieldManager)); err != nil {
		return fmt.Errorf("write status: %w", err)
	}
	r.record(member, status)
	return nil
}

// record tells of a member that became Ready, or is not any more.
func (r *Reconciler) record(member *v1alpha1.MemberCluster, status v1alpha1.MemberClusterStatus) {
	before := meta.FindStatusCondition(member.Status.Conditions, v1alpha1.ConditionReady)
	after := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionReady)
	if before != nil && before.Status == after.Status && before.Reason == after.Reason {
		return
	}
	if after.Reason == v1alpha1.ReasonPending || after.Reason == v1alpha1.ReasonConnecting {
		return // On the way to an answer.
	}
	kind := corev1.EventTypeWarning
	if after.Status == metav1.ConditionTrue {
		kind = corev1.EventTypeNormal
	}
	r.Recorder.Eventf(member, nil, kind, after.Reason, "Join", "%s", after.Message)
}

func bySecret(o client.Object) []string {
	if ref := o.(*v1alpha1.MemberCluster).Spec.KubeconfigSecretRef; ref != nil {
		return []string{ref.Name}
	}
	return nil
}

func (r *Reconciler) ofSecret(ctx context.Context, secret client.Object) []reconcile.Request {
	if secret.GetNamespace() != v1alpha1.SystemNamespace {
		return nil
	}
	list := &v1alpha1.MemberClusterList{}
	if err := r.Client.List(ctx, list, client.MatchingFields{indexSecret: secret.GetName()}); err != nil {
		return nil // The cache fails only when it stops.
	}
	var requests []reconcile.Request
	for _, member := range list.Items {
		requests = append(requests, reconcile.Request{NamespacedName: types.NamespacedName{Name: member.Name}})
	}
	return requests
}

func request(member string) []mcreconcile.Request {
	return []mcreconcile.Request{{Request: reconcile.Request{NamespacedName: types.NamespacedName{Name: member}}}}
}
