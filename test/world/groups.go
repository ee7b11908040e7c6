package world

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/pkg/revision"
)

// Group is a leader with the workers that it owns, as a member shows them.
type Group struct {
	Ordinal int
	Leader  *corev1.Pod
	// StatefulSet is of the workers; nil if there is none.
	StatefulSet *appsv1.StatefulSet
	// Workers are by index.
	Workers []*corev1.Pod
}

// Key is the revision key of the leader.
func (g Group) Key() string { return revision.KeyOf(g.Leader) }

// Pods are all of the group, the leader first.
func (g Group) Pods() []*corev1.Pod { return append([]*corev1.Pod{g.Leader}, g.Workers...) }

// Ready reports whether the group has the size and all of its pods are ready.
func (g Group) Ready(size int) bool {
	if len(g.Pods()) != size {
		return false
	}
	for _, pod := range g.Pods() {
		if !PodReady(pod) {
			return false
		}
	}
	return true
}

// Groups reads the groups of a set in a member, by ordinal. Pods that are being deleted are left out.
func Groups(ctx context.Context, member client.Client, set client.ObjectKey) ([]Group, error) {
	ofSet := []client.ListOption{client.InNamespace(set.Namespace), client.MatchingLabels{lwsv1.LabelName: set.Name}}
	pods, statefulSets := &corev1.PodList{}, &appsv1.StatefulSetList{}
	for _, list := range []client.ObjectList{pods, statefulSets} {
		if err := member.List(ctx, list, ofSet...); err != nil {
			return nil, fmt.Errorf("list %T of set %q: %w", list, set, err)
		}
	}
	var groups []Group
	for i := range pods.Items {
		if pod := &pods.Items[i]; pod.Labels[lwsv1.LabelWorkerIndex] == "0" && pod.DeletionTimestamp == nil {
			groups = append(groups, groupOf(pod, pods.Items, statefulSets.Items))
		}
	}
	slices.SortFunc(groups, func(a, b Group) int { return cmp.Compare(a.Ordinal, b.Ordinal) })
	return groups, nil
}

func groupOf(leader *corev1.Pod, pods []corev1.Pod, statefulSets []appsv1.StatefulSet) Group {
	g := Group{Leader: leader, Ordinal: number(leader.Labels[lwsv1.LabelGroupIndex])}
	for i := range statefulSets {
		if metav1.IsControlledBy(&statefulSets[i], leader) {
			g.StatefulSet = &statefulSets[i]
		}
	}
	if g.StatefulSet == nil {
		return g
	}
	for i := range pods {
		if metav1.IsControlledBy(&pods[i], g.StatefulSet) && pods[i].DeletionTimestamp == nil {
			g.Workers = append(g.Workers, &pods[i])
		}
	}
	slices.SortFunc(g.Workers, func(a, b *corev1.Pod) int {
		return cmp.Compare(number(a.Labels[lwsv1.LabelWorkerIndex]), number(b.Labels[lwsv1.LabelWorkerIndex]))
	})
	return g
}

// number is what a label says, -1 if it says none.
func number(label string) int {
	n, err := strconv.Atoi(label)
	if err != nil {
		return -1
	}
	return n
}

// PodReady reports whether a pod is ready.
func PodReady(pod *corev1.Pod) bool {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}
