package bench

import (
	"context"
	"fmt"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/lwsfed/lwsfed/clusters/local"
	"github.com/lwsfed/lwsfed/test/world"
)

const (
	groups    = 100
	groupSize = 4
	// inFlight is how many requests a client makes at the same time.
	inFlight = 16
)

// 100 groups of 4 pods in one member, created on the hub, are ready in less than 1.5 times the time that the same
// pods take where only the StatefulSets are created, all at once, in the member.
func TestGroups(t *testing.T) {
	const member, unmeasured, rounds = "east", 1, 3
	w := start(t, world.Options{
		Fleet: local.Options{Members: []local.Member{{Name: member}}},
		Flags: shipped,
	})
	var ours, floor []time.Duration
	for i := range unmeasured + rounds {
		sides := []func(){
			func() { floor = append(floor, bareStatefulSets(t, w, member, fmt.Sprintf("floor-%d", i))) },
			func() { ours = append(ours, setOfGroups(t, w, member, fmt.Sprintf("lwsfed-%d", i))) },
		}
		// Neither side is always the first.
		sides[i%2]()
		sides[(i+1)%2]()
	}
	reportRatio(t, "100 groups of 4 pods ready", 1.5, ours[unmeasured:], floor[unmeasured:])
}

// setOfGroups measures lwsfed.
func setOfGroups(t *testing.T, w *world.World, member, name string) time.Duration {
	t.Helper()
	prepare(t, w, name)
	set := world.Set(name, "web", groups, groupSize)
	took := podsReady(t, w, member, name, func() { create(t, w.Hub, set) })
	available(t, w, set)
	remove(t, w, set)
	empty(t, w, member, name)
	return took
}

// bareStatefulSets measures the floor.
func bareStatefulSets(t *testing.T, w *world.World, member, name string) time.Duration {
	t.Helper()
	c := w.Members[member]
	namespace(t, c, name)
	took := podsReady(t, w, member, name, func() {
		group, ctx := errgroup.WithContext(t.Context())
		group.SetLimit(inFlight)
		group.Go(func() error { return c.Create(ctx, bareStatefulSet(name, "leaders", groups)) })
		for i := range groups {
			group.Go(func() error {
				return c.Create(ctx, bareStatefulSet(name, fmt.Sprintf("workers-%d", i), groupSize-1))
			})
		}
		if err := group.Wait(); err != nil {
			t.Fatal(err)
		}
	})
	empty(t, w, member, name)
	return took
}

// bareStatefulSet runs pods of the template that the set has.
func bareStatefulSet(namespace, name string, replicas int32) *appsv1.StatefulSet {
	labels := map[string]string{"app": name}
	template := world.Set(namespace, name, 1, 1).Spec.LeaderWorkerTemplate.WorkerTemplate
	template.Labels = labels
	return &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: appsv1.StatefulSetSpec{
			Replicas:            ptr.To(replicas),
			PodManagementPolicy: appsv1.ParallelPodManagement,
			Selector:            &metav1.LabelSelector{MatchLabels: labels},
			Template:            template,
		},
	}
}

// podsReady returns how long it takes from the begin of run until all pods are ready.
func podsReady(t *testing.T, w *world.World, member, name string, run func()) time.Duration {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	pods := watchFor(ctx, t, w.Fleet.Member(member), name, &corev1.Pod{}, groups*groupSize, func(o client.Object) bool {
		return world.PodReady(o.(*corev1.Pod))
	})
	soon(t, "pods may be created", func(ctx context.Context) error {
		return w.Members[member].Get(ctx, client.ObjectKey{Namespace: name, Name: "default"}, &corev1.ServiceAccount{})
	})
	time.Sleep(calm)
	begin := time.Now()
	run()
	return wait(t, "all pods are ready", begin, pods)
}

// empty deletes the namespace in the member and waits until it is gone.
func empty(t *testing.T, w *world.World, member, name string) {
	t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if err := w.Members[member].Delete(t.Context(), namespace); err != nil {
		t.Fatal(err)
	}
	soon(t, "namespace "+name+" is gone", func(ctx context.Context) error { return gone(ctx, w.Members[member], namespace) })
}
