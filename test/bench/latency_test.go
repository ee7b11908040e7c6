package bench

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/api/v1alpha1"
	"github.com/lwsfed/lwsfed/test/world"
)

// On an idle fleet, a set that is created on the hub is in both members within 100 ms.
func TestLatency(t *testing.T) {
	const (
		namespace        = "latency"
		unmeasured, runs = 3, 30
	)
	w := start(t, world.Options{Fleet: two(), Flags: shipped})
	prepare(t, w, namespace)
	var all []time.Duration
	for i := range unmeasured + runs {
		took := arrival(t, w, world.Set(namespace, fmt.Sprintf("run-%d", i), 2, 2))
		if i >= unmeasured {
			all = append(all, took)
		}
	}
	slices.Sort(all)
	t.Logf("%d runs: %v", len(all), rounded(all))
	report(t, result{
		claim: "a set reaches 2 members of an idle fleet", unit: "ms", limit: 100,
		measured: float64(median(all).Microseconds()) / 1e3,
	})
}

// arrival creates a set and returns how long it takes until every member has it. It leaves an idle fleet without it.
func arrival(t *testing.T, w *world.World, set *lwsv1.LeaderWorkerSet) time.Duration {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var goals []*goal
	for _, m := range w.Fleet.Members() {
		goals = append(goals, watchFor(ctx, t, m, set.Namespace, &lwsv1.LeaderWorkerSet{}, 1, func(o client.Object) bool {
			return o.GetName() == set.Name
		}))
	}
	time.Sleep(calm)
	begin := time.Now()
	create(t, w.Hub, set)
	took := wait(t, "bring "+set.Name+" to every member", begin, goals...)
	available(t, w, set)
	remove(t, w, set)
	return took
}

// available waits until the hub says that all groups of a set are ready.
func available(t *testing.T, w *world.World, set *lwsv1.LeaderWorkerSet) {
	t.Helper()
	soon(t, "all groups of "+set.Name+" are ready", func(ctx context.Context) error {
		live := &lwsv1.LeaderWorkerSet{}
		if err := w.Hub.Get(ctx, client.ObjectKeyFromObject(set), live); err != nil {
			return err
		}
		return world.IsTrue(live.Status.Conditions, lwsv1.ConditionAvailable, "set")
	})
}

// remove deletes a set on the hub and waits until no member has anything of it.
func remove(t *testing.T, w *world.World, set *lwsv1.LeaderWorkerSet) {
	t.Helper()
	if err := w.Hub.Delete(t.Context(), set); err != nil {
		t.Fatal(err)
	}
	soon(t, "members are clean of "+set.Name, func(ctx context.Context) error {
		p := &v1alpha1.Placement{}
		p.Namespace, p.Name = set.Namespace, set.Name
		return gone(ctx, w.Hub, p)
	})
}
