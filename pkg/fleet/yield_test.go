package fleet

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/go-logr/logr/testr"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	mcreconcile "sigs.k8s.io/multicluster-runtime/pkg/reconcile"
)

// workload is keys of one member that a guard works on. Each reconciliation lasts until the test ends it.
type workload struct {
	guard   *Guard
	begun   chan string
	release chan struct{}
	queue   workqueue.TypedRateLimitingInterface[mcreconcile.Request]
}

func newWorkload(t *testing.T, f *Fleet, perMember int) *workload {
	w := &workload{begun: make(chan string, 100), release: make(chan struct{})}
	w.guard = f.Guard(perMember, 0, mcreconcile.Func(func(_ context.Context, req mcreconcile.Request) (ctrl.Result, error) {
		w.begun <- req.Name
		<-w.release
		return ctrl.Result{}, nil
	}))
	w.queue = workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[mcreconcile.Request]())
	w.guard.queue = w.queue
	t.Cleanup(w.queue.ShutDown)
	for range 50 {
		go func() {
			for {
				req, shutdown := w.queue.Get()
				if shutdown {
					return
				}
				_, _ = w.guard.Reconcile(t.Context(), req)
				w.queue.Done(req)
			}
		}()
	}
	return w
}

func (w *workload) add(n int) {
	for i := range n {
		req := mcreconcile.Request{ClusterName: "east"}
		req.Name = fmt.Sprint(i)
		w.queue.Add(req)
	}
}

// running waits until n reconciliations have begun, and fails if there are more.
func (w *workload) running(t *testing.T, n int) {
	t.Helper()
	for i := range n {
		select {
		case <-w.begun:
		case <-time.After(10 * time.Second):
			t.Fatalf("%d reconciliations have begun, want %d", i, n)
		}
	}
	select {
	case name := <-w.begun:
		t.Fatalf("key %s has begun beside %d others", name, n)
	case <-time.After(50 * time.Millisecond):
	}
}

// A guard that yields works on one key of a member while keys of that member wait at the first guard, and on as
// many as it may from then on.
func TestYield(t *testing.T) {
	f := New(Options{Log: testr.New(t)})
	first, second := newWorkload(t, f, 2), newWorkload(t, f, 4)
	first.guard.First()
	second.guard.Yield()

	first.add(4)
	first.running(t, 2)
	second.add(8)
	second.running(t, 1)
	second.release <- struct{}{}
	second.running(t, 1)

	first.release <- struct{}{}
	first.release <- struct{}{}
	first.running(t, 2) // Nothing waits any more.
	second.release <- struct{}{}
	second.running(t, 4)
	close(first.release)
	close(second.release)
	second.running(t, 2)
}
