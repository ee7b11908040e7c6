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

// ControllerOptions are the options of a controller whose keys name members. multicluster-runtime does not take
// them from the manager. concurrency bounds the keys under way in all members together.
func ControllerOptions(base logr.Logger, name string, concurrency int) controller.TypedOptions[mcreconcile.Request] {
	return controller.TypedOptions[mcreconcile.Request]{
		MaxConcurrentReconciles: concurrency,
		RateLimiter:             workqueue.NewTypedItemExponentialFailureRateLimiter[mcreconcile.Request](firstRetry, lastRetry),
		LogConstructor:          LogConstructor(base, name),
	}
}
