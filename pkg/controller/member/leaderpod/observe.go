package leaderpod

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/pkg/fleet"
)

// observation is what one member shows of a group.
type observation struct {
	set    *lwsv1.LeaderWorkerSet
	leader *corev1.Pod
	// workers has the leader's name; it may be another's, or left over from a leader before. Nil if absent.
	workers *appsv1.StatefulSet
	// service has the leader's name; it may be another's. Nil if absent.
	service *corev1.Service
	// pods are the workers that the leader's own StatefulSet controls.
	pods []*corev1.Pod
	// lost are names of workers that are not those which were seen before.
	lost []string
}

// observe returns nil where there is nothing to do: the leader is gone or going, or it leads no group of a
// set that is there.
func (r *Reconciler) observe(ctx context.Context, reader client.Reader, key client.ObjectKey) (*observation, error) {
	leader, err := get(ctx, reader, key, &corev1.Pod{})
	if err != nil || leader == nil {
		return nil, err
	}
	if leader.DeletionTimestamp != nil || leader.Labels[lwsv1.LabelWorkerIndex] != "0" {
		return nil, nil
	}
	o := &observation{leader: leader}
	setKey := client.ObjectKey{Namespace: leader.Namespace, Name: leader.Labels[lwsv1.LabelName]}
	if o.set, err = get(ctx, reader, setKey, &lwsv1.LeaderWorkerSet{}); err != nil || o.set == nil {
		return nil, err
	}
	statefulSet, err := get(ctx, reader, setKey, &appsv1.StatefulSet{})
	if err != nil {
		return nil, err
	}
	if statefulSet == nil || !metav1.IsControlledBy(statefulSet, o.set) || !metav1.IsControlledBy(leader, statefulSet) {
		return nil, nil // A pod that only has the labels, or one of a deleted set of the same name.
	}
	if o.workers, err = get(ctx, reader, key, &appsv1.StatefulSet{}); err != nil {
		return nil, err
	}
	if o.service, err = get(ctx, reader, key, &corev1.Service{}); err != nil {
		return nil, err
	}
	return o, o.listPods(ctx, reader)
}

func (o *observation) listPods(ctx context.Context, reader client.Reader) error {
	if !o.ownsWorkers() {
		return nil
	}
	list := &corev1.PodList{}
	if err := reader.List(ctx, list, client.InNamespace(o.leader.Namespace), client.MatchingFields{fleet.IndexOwner: string(o.workers.UID)}); err != nil {
		return fmt.Errorf("list workers: %w", err)
	}
	for i := range list.Items {
		o.pods = append(o.pods, &list.Items[i])
	}
	return nil
}

// ownsWorkers reports whether the StatefulSet of the leader's name is that of this very leader's workers.
func (o *observation) ownsWorkers() bool {
	return o.workers != nil && metav1.IsControlledBy(o.workers, o.leader)
}

// get returns nil, and no error, for an object that does not exist.
func get[T client.Object](ctx context.Context, reader client.Reader, key client.ObjectKey, o T) (T, error) {
	err := reader.Get(ctx, key, o)
	if apierrors.IsNotFound(err) {
		var none T
		return none, nil
	}
	if err != nil {
		return o, fmt.Errorf("get %T %q: %w", o, key, err)
	}
	return o, nil
}
