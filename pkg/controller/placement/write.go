package placement

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/api/v1alpha1"
	"github.com/lwsfed/lwsfed/pkg/placement"
)

// withdraw deletes the Placement of a set that is gone. It asks the API server first: a cache that is
// behind must not make members delete groups.
func (r *Reconciler) withdraw(ctx context.Context, p *v1alpha1.Placement) (string, error) {
	set := &lwsv1.LeaderWorkerSet{}
	err := r.Live.Get(ctx, client.ObjectKeyFromObject(p), set)
	if client.IgnoreNotFound(err) != nil {
		return "", fmt.Errorf("confirm that the set is gone: %w", err)
	}
	if err == nil && set.DeletionTimestamp == nil && string(set.UID) == p.Spec.SetUID {
		return "", nil
	}
	err = r.Client.Delete(ctx, p, client.Preconditions{UID: ptr.To(p.UID)})
	if client.IgnoreNotFound(err) != nil {
		return "", fmt.Errorf("delete Placement: %w", err)
	}
	return "Deleted the Placement of a set that is gone", nil
}

// write stores a decision where it differs from what is stored.
func (r *Reconciler) write(ctx context.Context, o observed, d placement.Decision) (string, error) {
	spec := d.Spec(o.set)
	p := o.placement
	if p != nil && sameSpec(p.Spec, spec) && controllerutil.ContainsFinalizer(p, v1alpha1.FinalizerMembers) {
		return "", nil
	}
	config, err := applyConfiguration(o.set, p, spec)
	if err != nil {
		return "", err
	}
	err = r.Client.Apply(ctx, client.ApplyConfigurationFromUnstructured(config),
		client.FieldOwner(FieldManager), client.ForceOwnership)
	if err != nil {
		return "", fmt.Errorf("apply Placement: %w", err)
	}
	if p != nil {
		r.record(o.set, d) // The first decision is told by the Placement itself.
	}
	return "Placed: " + d.Message, nil
}

func applyConfiguration(set *lwsv1.LeaderWorkerSet, current *v1alpha1.Placement, spec v1alpha1.PlacementSpec) (*unstructured.Unstructured, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&spec)
	if err != nil {
		return nil, err
	}
	u := &unstructured.Unstructured{Object: map[string]any{"spec": content}}
	u.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("Placement"))
	u.SetNamespace(set.Namespace)
	u.SetName(set.Name)
	u.SetFinalizers([]string{v1alpha1.FinalizerMembers})
	if current != nil {
		u.SetUID(current.UID) // another object of that name is a conflict
	}
	return u, nil
}

// sameSpec says whether two specs mean the same. The order of clusters and the bytes of values are not meant.
func sameSpec(a, b v1alpha1.PlacementSpec) bool {
	return apiequality.Semantic.DeepEqual(canonical(a), canonical(b))
}

func canonical(spec v1alpha1.PlacementSpec) *v1alpha1.PlacementSpec {
	s := spec.DeepCopy()
	slices.SortFunc(s.Clusters, func(a, b v1alpha1.ClusterDecision) int { return cmp.Compare(a.Name, b.Name) })
	for _, c := range s.Clusters {
		for _, p := range c.Patches {
			if p.Value != nil {
				p.Value.Raw = canonicalJSON(p.Value.Raw)
			}
		}
	}
	return s
}

// canonicalJSON sorts keys and drops spaces; what is not JSON stays.
func canonicalJSON(raw []byte) []byte {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return raw
	}
	out, err := json.Marshal(value)
	if err != nil {
		return raw
	}
	return out
}

// report says on a set without a Placement why it has none. With one, the status controller does.
func (r *Reconciler) report(ctx context.Context, set *lwsv1.LeaderWorkerSet, d placement.Decision) (string, error) {
	changed := set.DeepCopy()
	if !apimeta.SetStatusCondition(&changed.Status.Conditions, d.Condition(set.Generation)) {
		return "", nil
	}
	patch := client.MergeFromWithOptions(set, client.MergeFromWithOptimisticLock{})
	err := r.Client.Status().Patch(ctx, changed, patch, client.FieldOwner(FieldManager))
	if apierrors.IsNotFound(err) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("write condition %s: %w", v1alpha1.ConditionScheduled, err)
	}
	if before := apimeta.FindStatusCondition(set.Status.Conditions, v1alpha1.ConditionScheduled); !sameAnswer(before, d) {
		r.record(set, d)
	}
	return "Not placed: " + d.Message, nil
}

func sameAnswer(before *metav1.Condition, d placement.Decision) bool {
	return before != nil && before.Reason == d.Reason && before.Message == d.Message
}

func (r *Reconciler) record(set *lwsv1.LeaderWorkerSet, d placement.Decision) {
	kind := corev1.EventTypeNormal
	if d.Reason != v1alpha1.ReasonScheduled {
		kind = corev1.EventTypeWarning
	}
	r.Recorder.Eventf(set, nil, kind, d.Reason, "Place", "%s", d.Message)
}
