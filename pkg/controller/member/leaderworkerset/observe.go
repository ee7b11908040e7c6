package leaderworkerset

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/pkg/fleet"
	"github.com/lwsfed/lwsfed/pkg/history"
)

// observation is what one member shows of a set.
type observation struct {
	set       *lwsv1.LeaderWorkerSet
	revisions []*appsv1.ControllerRevision
	// statefulSet is what has the set's name; it may be another's. Nil if absent.
	statefulSet *appsv1.StatefulSet
	// service is what has the set's name; it may be another's. Nil if absent.
	service *corev1.Service
	// groups are the set's leaders with their workers, by ordinal.
	groups []group
	// workers are all worker StatefulSets with the set's name, with or without a leader.
	workers []*appsv1.StatefulSet
}

// group is a leader pod and the StatefulSet of its workers.
type group struct {
	ordinal int
	leader  *corev1.Pod
	// workers is owned by this very leader. Nil if absent, or left over from a leader before it.
	workers *appsv1.StatefulSet
}

func observe(ctx context.Context, reader client.Reader, set *lwsv1.LeaderWorkerSet) (*observation, error) {
	o := &observation{set: set}
	key := client.ObjectKeyFromObject(set)
	var err error
	if o.statefulSet, err = get(ctx, reader, key, &appsv1.StatefulSet{}); err != nil {
		return nil, fmt.Errorf("get leader StatefulSet: %w", err)
	}
	if o.service, err = get(ctx, reader, key, &corev1.Service{}); err != nil {
		return nil, fmt.Errorf("get Service: %w", err)
	}
	if o.revisions, err = history.ForSet(ctx, reader, set); err != nil {
		return nil, err
	}
	named := []client.ListOption{client.InNamespace(set.Namespace), client.MatchingFields{fleet.IndexSet: set.Name}}
	statefulSets := &appsv1.StatefulSetList{}
	if err := reader.List(ctx, statefulSets, named...); err != nil {
		return nil, fmt.Errorf("list StatefulSets: %w", err)
	}
	pods := &corev1.PodList{}
	if err := reader.List(ctx, pods, named...); err != nil {
		return nil, fmt.Errorf("list pods: %w", err)
	}
	o.addWorkers(statefulSets.Items)
	o.addGroups(pods.Items)
	return o, nil
}

// get returns nil, and no error, for an object that does not exist.
func get[T client.Object](ctx context.Context, reader client.Reader, key client.ObjectKey, o T) (T, error) {
	err := reader.Get(ctx, key, o)
	if apierrors.IsNotFound(err) {
		var none T
		return none, nil
	}
	return o, err
}

func (o *observation) addWorkers(statefulSets []appsv1.StatefulSet) {
	for i := range statefulSets {
		if _, worker := statefulSets[i].Labels[lwsv1.LabelGroupIndex]; worker {
			o.workers = append(o.workers, &statefulSets[i])
		}
	}
}

func (o *observation) addGroups(pods []corev1.Pod) {
	if o.statefulSet == nil {
		return
	}
	byOwner := make(map[types.UID]*appsv1.StatefulSet, len(o.workers))
	for _, workers := range o.workers {
		if owner := metav1.GetControllerOf(workers); owner != nil {
			byOwner[owner.UID] = workers
		}
	}
	for i := range pods {
		pod := &pods[i]
		ordinal, ok := ordinalOf(pod.Name, o.set.Name)
		if ok && pod.Labels[lwsv1.LabelWorkerIndex] == "0" && metav1.IsControlledBy(pod, o.statefulSet) {
			o.groups = append(o.groups, group{ordinal: ordinal, leader: pod, workers: byOwner[pod.UID]})
		}
	}
	slices.SortFunc(o.groups, func(a, b group) int { return cmp.Compare(a.ordinal, b.ordinal) })
}

// ordinalOf is the number at the end of a StatefulSet's pod name.
func ordinalOf(pod, statefulSet string) (int, bool) {
	digits, ok := strings.CutPrefix(pod, statefulSet+"-")
	ordinal, err := strconv.Atoi(digits)
	return ordinal, ok && err == nil
}

// ownsStatefulSet reports whether the StatefulSet of the set's name is the set's. Another's, and that of a
// deleted set of the same name, is never taken over.
func (o *observation) ownsStatefulSet() bool {
	return o.statefulSet != nil && metav1.IsControlledBy(o.statefulSet, o.set)
}
