package leaderworkerset

import (
	"context"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/lwsfed/lwsfed/api/v1alpha1"
	"github.com/lwsfed/lwsfed/pkg/revision"
)

// owner is the field manager of all writes.
const owner = client.FieldOwner(v1alpha1.FieldManager)

// applier carries out a decision in one member, and remembers what it wrote, for events.
type applier struct {
	client client.Client
	done   []done
}

// done is something that was written, as an event says it.
type done struct{ reason, action, note string }

func (a *applier) did(reason, action, note string, args ...any) {
	a.done = append(a.done, done{reason, action, fmt.Sprintf(note, args...)})
}

// apply writes what differs, in the order that keeps a revision before all that carries its key.
func (a *applier) apply(ctx context.Context, o *observation, d *decision) error {
	for _, r := range d.revisions.Create {
		if err := a.client.Create(ctx, r, owner); err != nil {
			return fmt.Errorf("create revision %q: %w", r.Name, err)
		}
		a.did("CreatingRevision", "CreateRevision", "created revision %s: %s", revision.KeyOf(r), d.revisions.Reason)
	}
	if err := a.applyService(ctx, o, d.service); err != nil {
		return err
	}
	if o.statefulSet == nil {
		return a.createStatefulSet(ctx, d)
	}
	if err := a.updateStatefulSet(ctx, o.statefulSet, d); err != nil {
		return err
	}
	if err := a.replace(ctx, o, d.rollout.Replace); err != nil {
		return err
	}
	return a.trim(ctx, d.trim)
}

func (a *applier) applyService(ctx context.Context, o *observation, want *corev1.Service) error {
	if want == nil || o.service != nil {
		return nil
	}
	if err := a.client.Create(ctx, want, owner); err != nil {
		return fmt.Errorf("create Service %q: %w", want.Name, err)
	}
	a.did("CreatedService", "CreateService", "created headless Service %s", want.Name)
	return nil
}

func (a *applier) createStatefulSet(ctx context.Context, d *decision) error {
	if err := a.client.Create(ctx, d.statefulSet, owner); err != nil {
		return fmt.Errorf("create leader StatefulSet %q: %w", d.statefulSet.Name, err)
	}
	a.did("CreatedStatefulSet", "CreateStatefulSet", "created leader StatefulSet %s with %d groups at revision %s",
		d.statefulSet.Name, *d.statefulSet.Spec.Replicas, d.revisions.Key)
	return nil
}

// updateStatefulSet writes only on top of what was observed: a plan made from an older state than the
// cluster's could take down more groups than allowed.
func (a *applier) updateStatefulSet(ctx context.Context, live *appsv1.StatefulSet, d *decision) error {
	want := d.statefulSet
	if sameStatefulSet(live, want) {
		return nil
	}
	patch := client.MergeFromWithOptions(live, client.MergeFromWithOptimisticLock{})
	if err := a.client.Patch(ctx, want.DeepCopy(), patch, owner); err != nil {
		return fmt.Errorf("update leader StatefulSet %q: %w", live.Name, err)
	}
	if before, after := revision.KeyOf(live), revision.KeyOf(want); before != after {
		a.did("GroupsUpdating", "Update", "updating groups from revision %s to %s", before, after)
	}
	if before, after := ptr.Deref(live.Spec.Replicas, 1), *want.Spec.Replicas; before != after {
		a.did("GroupsScaling", "Scale", "groups %d to %d: %s", before, after, d.rollout.Reason)
	}
	return nil
}

// sameStatefulSet leaves out the StatefulSet's own maxUnavailable where the API server does not keep it.
func sameStatefulSet(live, want *appsv1.StatefulSet) bool {
	if rolling := live.Spec.UpdateStrategy.RollingUpdate; rolling != nil && rolling.Partition != nil && rolling.MaxUnavailable == nil {
		want = want.DeepCopy()
		want.Spec.UpdateStrategy.RollingUpdate.MaxUnavailable = nil
	}
	return apiequality.Semantic.DeepEqual(live, want)
}

// replace deletes leaders that the rollout gave up to the StatefulSet controller, which is slower, or held up
// by broken leaders. It waits until that controller has seen the partition: before, it would make the leader
// anew as it was.
func (a *applier) replace(ctx context.Context, o *observation, ordinals []int) error {
	if o.statefulSet.Status.ObservedGeneration < o.statefulSet.Generation {
		return nil
	}
	for _, g := range o.groups {
		if !slices.Contains(ordinals, g.ordinal) || g.leader.DeletionTimestamp != nil {
			continue
		}
		err := a.client.Delete(ctx, g.leader, client.Preconditions{UID: ptr.To(g.leader.UID)}, client.PropagationPolicy(metav1.DeletePropagationForeground))
		if client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete leader pod %q to update its group: %w", g.leader.Name, err)
		}
	}
	return nil
}

func (a *applier) trim(ctx context.Context, unused []*appsv1.ControllerRevision) error {
	for _, r := range unused {
		err := a.client.Delete(ctx, r, client.Preconditions{UID: ptr.To(r.UID), ResourceVersion: ptr.To(r.ResourceVersion)})
		if client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete revision %q: %w", r.Name, err)
		}
	}
	return nil
}

// conflict says why the set cannot run under its name in the member, "" if it can.
func (o *observation) conflict() string {
	if o.statefulSet != nil && !o.ownsStatefulSet() {
		return fmt.Sprintf("StatefulSet %q is not this set's: %s; rename the set, or delete the StatefulSet", o.statefulSet.Name, ownerOf(o.statefulSet))
	}
	if o.service != nil && !metav1.IsControlledBy(o.service, o.set) {
		return fmt.Sprintf("Service %q is not this set's: %s; rename the set, or delete the Service", o.service.Name, ownerOf(o.service))
	}
	return ""
}

func ownerOf(o metav1.Object) string {
	controller := metav1.GetControllerOf(o)
	if controller == nil {
		return "it has no controller"
	}
	return fmt.Sprintf("it belongs to %s %q (uid %s)", controller.Kind, controller.Name, controller.UID)
}

// taken reports whether err says that another object has the name, which the cache does not show: one
// without the set's label, or one that is only just going.
func taken(err error) bool { return apierrors.IsAlreadyExists(err) }
