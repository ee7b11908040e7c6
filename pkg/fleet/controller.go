package fleet

import (
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/multicluster-runtime/pkg/multicluster"
	mcreconcile "sigs.k8s.io/multicluster-runtime/pkg/reconcile"
)

// Requests names the keys that an object of a member concerns.
type Requests = func(multicluster.ClusterName, client.Object) []mcreconcile.Request

// Failing keys are tried again after firstRetry, then after twice as long each time, up to lastRetry: a member or
// a person may mend the cause at any time.
const (
	firstRetry = 50 * time.Millisecond
	lastRetry  = time.Minute
)

// Coalescing makes queues where what is added waits, and what is added meanwhile is one with it.
func Coalescing(wait time.Duration) func(string, workqueue.TypedRateLimiter[mcreconcile.Request]) workqueue.TypedRateLimitingInterface[mcreconcile.Request] {
	return func(name string, limiter workqueue.TypedRateLimiter[mcreconcile.Request]) workqueue.TypedRateLimitingInterface[mcreconcile.Request] {
		return coalescing{workqueue.NewTypedRateLimitingQueueWithConfig(limiter, workqueue.TypedRateLimitingQueueConfig[mcreconcile.Request]{Name: name}), wait}
	}
}

type coalescing struct {
	workqueue.TypedRateLimitingInterface[mcreconcile.Request]
	wait time.Duration
}

// Add adds the request after the wait.
func (q coalescing) Add(req mcreconcile.Request) { q.AddAfter(req, q.wait) }

// ControllerOptions are the options of a controller whose keys name members. multicluster-runtime does not take
// them from the manager. concurrency bounds the keys under way in all members together.
func ControllerOptions(base logr.Logger, name string, concurrency int) controller.TypedOptions[mcreconcile.Request] {
	return controller.TypedOptions[mcreconcile.Request]{
		MaxConcurrentReconciles: concurrency,
		RateLimiter:             workqueue.NewTypedItemExponentialFailureRateLimiter[mcreconcile.Request](firstRetry, lastRetry),
		LogConstructor:          LogConstructor(base, name),
	}
}
