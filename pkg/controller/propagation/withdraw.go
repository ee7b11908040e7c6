package propagation

import (
	"context"
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/api/v1alpha1"
)

// withdraw takes the set away from a member that the Placement does not choose, as its policy said. The
// member is clean once its API server says that no set of this hub is there.
func (r *Reconciler) withdraw(ctx context.Context, o observed) (*Outcome, error) {
	if o.gone {
		return o.clean("the cluster is no member any more"), nil
	}
	if o.member == nil {
		return nil, nil // its first connection is an event
	}
	if o.live == nil && r.isClean(o) {
		return nil, nil
	}
	if err := o.confirm(ctx); err != nil {
		return nil, fmt.Errorf("confirm that the set is gone: %w", err)
	}
	switch {
	case o.live == nil:
		return o.clean("gone"), nil
	case !ownedBy(o.live, r.HubID, o.placement.Spec.SetUID):
		return o.clean("the set there is not the hub's"), nil
	case o.placement.Spec.DeletionPolicy == v1alpha1.DeletionOrphan && o.live.DeletionTimestamp == nil:
		if err := release(ctx, o); err != nil {
			return nil, err
		}
		return o.clean("left running, as the policy says"), nil
	case o.live.DeletionTimestamp == nil:
		if err := deleteSet(ctx, o); err != nil {
			return nil, err
		}
	}
	return o.outcome(v1alpha1.ClusterLeaving, v1alpha1.ReasonLeaving, "waiting until its groups are gone"), nil
}

// isClean says that the member is known to be clean under this Placement.
func (r *Reconciler) isClean(o observed) bool {
	before, ok := r.Outcomes.Get(o.key.cluster, o.key.set)
	return ok && before.Clean && before.PlacementUID == o.placement.UID
}

func (o observed) clean(message string) *Outcome {
	out := o.outcome(v1alpha1.ClusterLeaving, v1alpha1.ReasonLeaving, "%s", message)
	out.Clean = true
	return out
}

// release takes the hub's mark off the member's set, so that it can be taken over, by this hub or another.
func release(ctx context.Context, o observed) error {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{
		"uid":             o.live.UID,
		"resourceVersion": o.live.ResourceVersion,
		"labels":          map[string]any{v1alpha1.LabelManagedBy: nil},
		"annotations": map[string]any{
			v1alpha1.AnnotationOriginUID:     nil,
			v1alpha1.AnnotationFleetRevision: nil,
			annotationAppliedHash:            nil,
		},
	}})
	if err != nil {
		return err
	}
	target := &lwsv1.LeaderWorkerSet{}
	target.SetNamespace(o.key.set.Namespace)
	target.SetName(o.key.set.Name)
	err = o.member.GetClient().Patch(ctx, target, client.RawPatch(types.MergePatchType, patch),
		client.FieldOwner(v1alpha1.FieldManager))
	if err = client.IgnoreNotFound(err); err != nil {
		return fmt.Errorf("release the member's set: %w", err)
	}
	return nil
}
