package fleet

import (
	"context"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	toolscache "k8s.io/client-go/tools/cache"
)

// watches hears of the failures of a member's lists and watches.
type watches struct {
	kick chan struct{} // set after a failure

	mu        sync.Mutex
	err       error
	forbidden map[schema.GroupResource]error
}

func newWatches() *watches {
	return &watches{kick: make(chan struct{}, 1), forbidden: map[schema.GroupResource]error{}}
}

// failed is the caches' error handler. That a watch expired is in the order of things.
func (w *watches) failed(_ context.Context, _ *toolscache.Reflector, err error) {
	if apierrors.IsResourceExpired(err) || apierrors.IsGone(err) {
		return
	}
	w.mu.Lock()
	w.err = err
	if apierrors.IsForbidden(err) {
		w.forbidden[resourceOf(err)] = err
	}
	w.mu.Unlock()
	select {
	case w.kick <- struct{}{}:
	default:
	}
}

// last returns the latest failure.
func (w *watches) last() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// takeForbidden returns the latest failure of each resource that was a missing right, and forgets all failures.
func (w *watches) takeForbidden() map[schema.GroupResource]error {
	w.mu.Lock()
	defer w.mu.Unlock()
	taken := w.forbidden
	w.err, w.forbidden = nil, map[schema.GroupResource]error{}
	return taken
}
