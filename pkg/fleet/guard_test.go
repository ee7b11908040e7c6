package fleet

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/multicluster-runtime/pkg/multicluster"
	mcreconcile "sigs.k8s.io/multicluster-runtime/pkg/reconcile"
)

// guarded is a guard over a reconciler that works on each key until the test lets it go.
type guarded struct {
	*Guard
	fleet *Fleet
	queue workqueue.TypedRateLimitingInterface[mcreconcile.Request]

	mu   sync.Mutex
	work map[string]chan struct{} // under way
	done []string
}

func newGuarded(t *testing.T, perMember int) *guarded {
	t.Helper()
	g := &guarded{fleet: New(Options{}), work: map[string]chan struct{}{}}
	g.Guard = g.fleet.Guard(perMember, 0, mcreconcile.Func(g.reconcile))
	g.queue = workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[mcreconcile.Request]())
	t.Cleanup(g.queue.ShutDown)
	return g
}

func (g *guarded) reconcile(_ context.Context, req mcreconcile.Request) (ctrl.Result, error) {
	wait := make(chan struct{})
	g.mu.Lock()
	g.work[req.Name] = wait
	g.mu.Unlock()
	<-wait
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.work, req.Name)
	g.done = append(g.done, req.Name)
	return ctrl.Result{}, nil
}

// eu says of the member eu that it is reachable or not.
func (g *guarded) eu(reachable bool) {
	const member = "eu"
	if _, ok := g.fleet.State(member); !ok {
		g.fleet.Set(member, Member{})
	}
	g.fleet.mu.RLock()
	m := g.fleet.members[member]
	g.fleet.mu.RUnlock()
	m.update(func(s *State) {
		s.Engaged = true
		s.Contact.Status = map[bool]metav1.ConditionStatus{true: "True", false: "False"}[reachable]
	})
}

// workers take keys from the queue as a controller does.
func (g *guarded) workers(t *testing.T, n int) {
	t.Helper()
	if err := g.Source().Start(t.Context(), g.queue); err != nil {
		t.Fatal(err)
	}
	for range n {
		go func() {
			for {
				req, shutdown := g.queue.Get()
				if shutdown {
					return
				}
				_, _ = g.Reconcile(t.Context(), req)
				g.queue.Done(req)
			}
		}()
	}
}

func in(member, name string) mcreconcile.Request {
	req := mcreconcile.Request{ClusterName: multicluster.ClusterName(member)}
	req.Name = name
	return req
}

// underway waits until nothing moves any more, and returns what is worked on.
func (g *guarded) underway() []string {
	synctest.Wait()
	g.mu.Lock()
	defer g.mu.Unlock()
	var names []string
	for name := range g.work {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// finish ends the work on a key.
func (g *guarded) finish(name string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	close(g.work[name])
}

func (g *guarded) finishAll() {
	for names := g.underway(); len(names) > 0; names = g.underway() {
		for _, name := range names {
			g.finish(name)
		}
	}
}

func expect(t *testing.T, when string, want, got []string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", when, diff)
	}
}

func TestOneMembersKeysDoNotTakeAllPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGuarded(t, 2)
		g.workers(t, 8)
		for i := range 5 {
			g.queue.Add(in("eu", fmt.Sprintf("eu%d", i)))
			synctest.Wait()
		}
		g.queue.Add(in("us", "us0"))
		for i := range 3 {
			g.queue.Add(in("", fmt.Sprintf("hub%d", i)))
		}
		expect(t, "at first", []string{"eu0", "eu1", "hub0", "hub1", "hub2", "us0"}, g.underway())
		g.finish("eu1")
		expect(t, "with a place free", []string{"eu0", "eu2", "hub0", "hub1", "hub2", "us0"}, g.underway())
		g.finishAll()
		slices.Sort(g.done)
		expect(t, "in the end", []string{"eu0", "eu1", "eu2", "eu3", "eu4", "hub0", "hub1", "hub2", "us0"}, g.done)
		if len(g.members) != 0 {
			t.Errorf("%d members are kept though nothing is under way", len(g.members))
		}
	})
}

func TestKeysOfAMemberThatIsAwayWaitForIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGuarded(t, 2)
		g.eu(true)
		g.workers(t, 8)
		for i := range 5 {
			g.queue.Add(in("eu", fmt.Sprint(i)))
			synctest.Wait()
		}
		g.eu(false)
		expect(t, "what is under way goes on", []string{"0", "1"}, g.underway())
		g.finish("0")
		g.finish("1")
		expect(t, "while it is away", nil, g.underway())
		g.queue.Add(in("eu", "5"))
		g.queue.Add(in("eu", "5"))
		expect(t, "with a key more", nil, g.underway())
		g.eu(true)
		if got := g.underway(); len(got) != 2 {
			t.Errorf("under way %v when it is back, want two", got)
		}
		g.finishAll()
		slices.Sort(g.done)
		expect(t, "in the end", []string{"0", "1", "2", "3", "4", "5"}, g.done)
	})
}

func TestKeysOfAMemberThatLeftAreTheReconcilersMatter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGuarded(t, 2)
		g.eu(false)
		g.workers(t, 2)
		g.queue.Add(in("eu", "a"))
		expect(t, "while it is away", nil, g.underway())
		g.fleet.Delete("eu")
		expect(t, "after it left", []string{"a"}, g.underway())
		g.finishAll()
	})
}

// Without the source nobody would queue a key that is kept.
func TestAGuardWithoutItsSourceKeepsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGuarded(t, 1)
		g.eu(false)
		result, err := g.Reconcile(t.Context(), in("eu", "a"))
		if err != nil || result.RequeueAfter != parkedRetry {
			t.Errorf("away: %v, %v; want to be asked again after %s", result, err, parkedRetry)
		}
		g.eu(true)
		go func() { _, _ = g.Reconcile(t.Context(), in("eu", "b")) }()
		expect(t, "one", []string{"b"}, g.underway())
		result, err = g.Reconcile(t.Context(), in("eu", "c"))
		if err != nil || result.RequeueAfter < 100*time.Millisecond || result.RequeueAfter > 250*time.Millisecond {
			t.Errorf("no place: %v, %v; want to be asked again soon", result, err)
		}
		g.finishAll()
	})
}

func TestAReconciliationEndsAtItsDeadline(t *testing.T) {
	for _, member := range []string{"eu", ""} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			g := New(Options{}).Guard(0, time.Minute, mcreconcile.Func(func(ctx context.Context, _ mcreconcile.Request) (ctrl.Result, error) {
				<-ctx.Done()
				return ctrl.Result{}, ctx.Err()
			}))
			if _, err := g.Reconcile(t.Context(), in(member, "a")); err == nil || time.Since(start) != time.Minute {
				t.Errorf("member %q: %v after %s, want an error after a minute", member, err, time.Since(start))
			}
			if g.perMember != DefaultPerMember {
				t.Errorf("%d places, want %d", g.perMember, DefaultPerMember)
			}
		})
	}
}
