package leaderpod

import (
	"context"
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/api/v1alpha1"
	"github.com/lwsfed/lwsfed/pkg/render"
	"github.com/lwsfed/lwsfed/pkg/revision"
	"github.com/lwsfed/lwsfed/pkg/stamping"
)

const owner = client.FieldOwner(v1alpha1.FieldManager)

// builder writes one group's objects.
type builder struct {
	client   client.Client
	live     client.Reader // not cached
	recorder events.EventRecorder
	*observation
}

// recreate deletes the leader, and with it what it owns; its StatefulSet makes both anew. The deletion is in
// the foreground, so that the new leader comes only when the old workers are gone.
func (b *builder) recreate(ctx context.Context, reason string) error {
	err := b.client.Delete(ctx, b.leader,
		client.Preconditions{UID: ptr.To(b.leader.UID)},
		client.PropagationPolicy(metav1.DeletePropagationForeground))
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil // Another leader has the name by now.
	}
	if err != nil {
		return fmt.Errorf("recreate group: delete leader pod %q: %w", b.leader.Name, err)
	}
	b.event(corev1.EventTypeNormal, "RecreateGroup", "Recreate", "recreating group %s: %s", b.leader.Name, reason)
	return nil
}

// build creates what the group lacks.
func (b *builder) build(ctx context.Context, content revision.Content) error {
	if err := stamping.Verify(b.leader); err != nil {
		b.event(corev1.EventTypeWarning, "PodNotStamped", "CreateWorkers",
			"the group waits: the pod was created while the stamping policy was away, delete it: %v", err)
		return nil
	}
	if err := b.buildService(ctx, content); err != nil {
		return err
	}
	if content.Size() == 1 {
		return nil
	}
	if b.set.Spec.StartupPolicy == lwsv1.StartupPolicyLeaderReady && b.workers == nil && !ready(b.leader) {
		return nil
	}
	return b.buildWorkers(ctx, content)
}

func (b *builder) buildService(ctx context.Context, content revision.Content) error {
	if content.Subdomain() != lwsv1.SubdomainUniquePerReplica {
		return nil
	}
	if b.service != nil {
		b.reportForeign(b.service)
		return nil
	}
	service := render.GroupService(b.leader)
	if err := b.client.Create(ctx, service, owner); err != nil {
		return b.failedCreate(ctx, service, err)
	}
	return nil
}

func (b *builder) buildWorkers(ctx context.Context, content revision.Content) error {
	if b.workers == nil {
		workers := render.WorkerStatefulSet(b.set, b.leader, content)
		if err := b.client.Create(ctx, workers, owner); err != nil {
			return b.failedCreate(ctx, workers, err)
		}
		b.event(corev1.EventTypeNormal, "CreatedWorkers", "CreateWorkers", "created %d workers of group %s at revision %s",
			*workers.Spec.Replicas, b.leader.Name, revision.KeyOf(b.leader))
		return nil
	}
	if !b.ownsWorkers() {
		b.reportForeign(b.workers)
		return nil
	}
	return b.restoreReplicas(ctx, content.Size()-1)
}

// restoreReplicas puts right a worker StatefulSet that was scaled by hand.
func (b *builder) restoreReplicas(ctx context.Context, want int32) error {
	if b.workers.DeletionTimestamp != nil || ptr.Deref(b.workers.Spec.Replicas, 1) == want {
		return nil
	}
	patch := fmt.Appendf(nil, `{"metadata":{"uid":%q},"spec":{"replicas":%d}}`, b.workers.UID, want)
	workers := &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Namespace: b.workers.Namespace, Name: b.workers.Name}}
	if err := b.client.Patch(ctx, workers, client.RawPatch("application/merge-patch+json", patch), owner); err != nil {
		return fmt.Errorf("restore replicas of worker StatefulSet %q: %w", b.workers.Name, err)
	}
	b.event(corev1.EventTypeNormal, "RestoredWorkers", "Scale", "group %s has %d workers again", b.leader.Name, want)
	return nil
}

// reportForeign says that another's object has the name that the group needs, and returns whether it did. What a
// leader before this one left is not reported: it goes with its owner, and its deletion brings this leader back here.
func (b *builder) reportForeign(o client.Object) bool {
	controller := metav1.GetControllerOf(o)
	switch {
	case metav1.IsControlledBy(o, b.leader):
	case controller != nil && controller.Kind == "Pod" && controller.Name == b.leader.Name:
	default:
		b.event(corev1.EventTypeWarning, "NameConflict", "CreateWorkers",
			"the group waits: %T %q is not its own; delete it or rename the set", o, o.GetName())
		return true
	}
	return false
}

// failedCreate reports a creation that a person must help with. A name that is taken is none if what has it is the
// group's own, which the cache does not show yet; another's object may have no label that would bring it there.
func (b *builder) failedCreate(ctx context.Context, o client.Object, err error) error {
	err = fmt.Errorf("create %T %q: %w", o, o.GetName(), err)
	if !apierrors.IsAlreadyExists(err) {
		b.event(corev1.EventTypeWarning, "FailedCreate", "CreateWorkers", "%v", err)
		return err
	}
	if getErr := b.live.Get(ctx, client.ObjectKeyFromObject(o), o); getErr != nil {
		return errors.Join(err, getErr)
	}
	if b.reportForeign(o) {
		return err
	}
	return nil
}

// event reports on the set, about the leader.
func (b *builder) event(kind, reason, action, note string, args ...any) {
	b.recorder.Eventf(b.set, b.leader, kind, reason, action, note, args...)
}

func ready(pod *corev1.Pod) bool {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}
