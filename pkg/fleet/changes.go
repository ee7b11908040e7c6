package fleet

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/source"
	mcreconcile "sigs.k8s.io/multicluster-runtime/pkg/reconcile"
)

// Changes is a raw source that fires when what State says of a member changes (its time of last contact aside),
// when a member is engaged, and when it is deleted. At its start it fires once for every member.
// toRequests may read caches; it must not call a member. It runs on a goroutine of this source alone.
func (f *Fleet) Changes(toRequests func(name string) []mcreconcile.Request) source.TypedSource[mcreconcile.Request] {
	return source.TypedFunc[mcreconcile.Request](func(ctx context.Context, q workqueue.TypedRateLimitingInterface[mcreconcile.Request]) error {
		changed, stop := f.notices.subscribe()
		changed.add(f.names()...)
		go func() {
			defer stop()
			for {
				select {
				case <-ctx.Done():
					return
				case <-changed.signal:
				}
				for _, name := range changed.take() {
					for _, req := range toRequests(name) {
						q.Add(req)
					}
				}
			}
		}()
		return nil
	})
}

// notices tells every subscriber the names of changed members. Publishing never blocks: a slow subscriber finds
// each name once.
type notices struct {
	mu   sync.Mutex
	subs map[*dirty]struct{}
}

func (n *notices) subscribe() (*dirty, func()) {
	d := &dirty{names: sets.New[string](), signal: make(chan struct{}, 1)}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.subs == nil {
		n.subs = map[*dirty]struct{}{}
	}
	n.subs[d] = struct{}{}
	return d, func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		delete(n.subs, d)
	}
}

func (n *notices) publish(name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for d := range n.subs {
		d.add(name)
	}
}

// dirty is a set of names with a signal that is set while the set is not empty.
type dirty struct {
	mu     sync.Mutex
	names  sets.Set[string]
	signal chan struct{}
}

func (d *dirty) add(names ...string) {
	if len(names) == 0 {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.names.Insert(names...)
	select {
	case d.signal <- struct{}{}:
	default:
	}
}

func (d *dirty) take() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	names := sets.List(d.names)
	d.names = sets.New[string]()
	return names
}
