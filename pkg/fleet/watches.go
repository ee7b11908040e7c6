package fleet

import (
	"context"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	toolscache "k8s.io/client-go/tools/cache"
)

// watches hears of the failures of a member's lists and watches.
type watches struct {
	kick chan struct{} // set after a failure

	mu  sync.Mutex
	err error
}

func newWatches() *watches { return &watches{kick: make(chan struct{}, 1)} }

// failed is the caches' error handler. That a watch expired is in the order of things.
func (w *watches) failed(_ context.Context, _ *toolscache.Reflector, err error) {
	if apierrors.IsResourceExpired(err) || apierrors.IsGone(err) {
		return
	}
	w.mu.Lock()
	w.err = err
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

// takeForbidden returns the latest failure if it is a missing right, and forgets it.
func (w *watches) takeForbidden() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.err
	w.err = nil
	if apierrors.IsForbidden(err) {
		return err
	}
	return nil
}
