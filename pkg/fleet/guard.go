package fleet

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/source"
	"sigs.k8s.io/multicluster-runtime/pkg/multicluster"
	mcreconcile "sigs.k8s.io/multicluster-runtime/pkg/reconcile"
)

// DefaultPerMember is the bound of concurrent reconciliations a member where a Guard is given none.
const DefaultPerMember = 4

// parkedRetry is how long a key of an unreachable member waits where the guard's Source was not added.
const parkedRetry = 5 * time.Second

// Guard keeps one member from holding up the others in a controller that is keyed by member. It bounds how many
// of a member's keys are worked on at once, returns at once while the member is known but not reachable, and ends
// each reconciliation at a deadline. Keys of the hub (cluster "") and of unknown members pass with the deadline only.
//
// Keys that had to wait are kept and queued again when a place is free, or when the member's state changes; for
// that the controller must add Source with WatchesRawSource. Losing the kept keys at a restart is harmless: every
// key is queued anew then.
type Guard struct {
	fleet     *Fleet
	next      mcreconcile.Reconciler
	perMember int
	deadline  time.Duration
	yields    bool

	mu      sync.Mutex
	queue   workqueue.TypedRateLimitingInterface[mcreconcile.Request]
	members map[multicluster.ClusterName]*lane
}

// Guard wraps a reconciler. perMember < 1 means DefaultPerMember; deadline 0 means none.
func (f *Fleet) Guard(perMember int, deadline time.Duration, next mcreconcile.Reconciler) *Guard {
	if perMember < 1 {
		perMember = DefaultPerMember
	}
	return &Guard{fleet: f, next: next, perMember: perMember, deadline: deadline, members: map[multicluster.ClusterName]*lane{}}
}

// First makes this the guard that others of its fleet may yield to.
func (g *Guard) First() *Guard {
	g.fleet.first.Store(g)
	return g
}

// Yield makes the guard work on one key of a member at a time while keys of that member wait at the first guard.
// A place that a yielding guard has is left to none: it goes on, only more slowly.
func (g *Guard) Yield() *Guard {
	g.yields = true
	return g
}

// places is how many of a member's keys may be worked on now.
func (g *Guard) places(name multicluster.ClusterName) int {
	if first := g.fleet.first.Load(); g.yields && first != nil && first.crowded(name) {
		return 1
	}
	return g.perMember
}

// crowded reports whether keys of the member wait for a place.
func (g *Guard) crowded(name multicluster.ClusterName) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	l, ok := g.members[name]
	return ok && len(l.waiting.order) > 0
}

// lane is one member's part of a guard.
type lane struct {
	busy    int   // reconciliations under way
	waiting *keys // keys that found no place
	parked  *keys // keys that found the member unreachable
}

// keys is a set of keys in the order of arrival.
type keys struct {
	order []mcreconcile.Request
	has   map[mcreconcile.Request]struct{}
}

func newKeys() *keys { return &keys{has: map[mcreconcile.Request]struct{}{}} }

func (k *keys) push(req mcreconcile.Request) {
	if _, ok := k.has[req]; !ok {
		k.has[req] = struct{}{}
		k.order = append(k.order, req)
	}
}

// pop returns up to n of the oldest keys.
func (k *keys) pop(n int) []mcreconcile.Request {
	n = min(n, len(k.order))
	popped := k.order[:n:n]
	k.order = k.order[n:]
	for _, req := range popped {
		delete(k.has, req)
	}
	return popped
}

// Source queues kept keys again. Add it to the controller with WatchesRawSource.
func (g *Guard) Source() source.TypedSource[mcreconcile.Request] {
	changes := g.fleet.Changes(g.unpark)
	return source.TypedFunc[mcreconcile.Request](func(ctx context.Context, q workqueue.TypedRateLimitingInterface[mcreconcile.Request]) error {
		g.mu.Lock()
		g.queue = q
		g.mu.Unlock()
		return changes.Start(ctx, q)
	})
}

// Reconcile does the wrapped reconciliation, or keeps the key for later.
func (g *Guard) Reconcile(ctx context.Context, req mcreconcile.Request) (ctrl.Result, error) {
	if g.deadline > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, g.deadline)
		defer cancel()
	}
	if req.ClusterName == "" {
		return g.next.Reconcile(ctx, req)
	}
	if result, ok := g.enter(req); !ok {
		return result, nil
	}
	defer g.leave(req.ClusterName)
	return g.next.Reconcile(ctx, req)
}

// enter takes a place for the key. If there is none, or the member is not reachable, it keeps the key.
func (g *Guard) enter(req mcreconcile.Request) (ctrl.Result, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	l := g.lane(req.ClusterName)
	// The state is read under the lock that unpark takes after a change: either the change is seen here, or
	// unpark finds the key.
	if !g.passable(req.ClusterName) {
		if g.queue == nil {
			return ctrl.Result{RequeueAfter: parkedRetry}, false
		}
		// Those that wait for a place join it: nobody will leave a place to them before the member is back.
		for _, waiting := range l.waiting.pop(len(l.waiting.order)) {
			l.parked.push(waiting)
		}
		l.parked.push(req)
		return ctrl.Result{}, false
	}
	if l.busy >= g.places(req.ClusterName) {
		if g.queue == nil {
			return ctrl.Result{RequeueAfter: 100*time.Millisecond + rand.N(150*time.Millisecond)}, false
		}
		l.waiting.push(req)
		return ctrl.Result{}, false
	}
	l.busy++
	return ctrl.Result{}, true
}

// leave gives the place, and others that have come free, to the keys that have waited longest.
func (g *Guard) leave(name multicluster.ClusterName) {
	g.mu.Lock()
	defer g.mu.Unlock()
	l := g.lane(name)
	l.busy--
	for _, req := range l.waiting.pop(max(0, g.places(name)-l.busy)) {
		g.queue.Add(req)
	}
	if l.busy == 0 && len(l.waiting.order) == 0 && len(l.parked.order) == 0 {
		delete(g.members, name)
	}
}

// unpark returns the kept keys of a member that is reachable again, or gone.
func (g *Guard) unpark(name string) []mcreconcile.Request {
	g.mu.Lock()
	defer g.mu.Unlock()
	l, ok := g.members[multicluster.ClusterName(name)]
	if !ok || !g.passable(multicluster.ClusterName(name)) {
		return nil
	}
	return l.parked.pop(len(l.parked.order))
}

// passable reports whether keys of the member go to the reconciler: it is reachable, or unknown, which is the
// reconciler's matter.
func (g *Guard) passable(name multicluster.ClusterName) bool {
	state, known := g.fleet.State(string(name))
	return !known || state.Reachable
}

func (g *Guard) lane(name multicluster.ClusterName) *lane {
	l, ok := g.members[name]
	if !ok {
		l = &lane{waiting: newKeys(), parked: newKeys()}
		g.members[name] = l
	}
	return l
}
