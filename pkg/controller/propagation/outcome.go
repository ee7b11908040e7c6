package propagation

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/source"
	mcreconcile "sigs.k8s.io/multicluster-runtime/pkg/reconcile"

	"github.com/lwsfed/lwsfed/api/v1alpha1"
)

// Outcome is what became of a set in a member when it was last reconciled.
type Outcome struct {
	// State is that of the Placement's status.
	State v1alpha1.ClusterState
	// Reason is one of the condition Applied.
	Reason string
	// Message is for a person to read, at most 1024 bytes.
	Message string
	// Clean says that the member was seen without a set of this hub, under a Placement that does not want one
	// there: it can be left alone for good.
	Clean bool
	// PlacementUID is the UID of the Placement that was followed. An outcome of another Placement of that
	// name says nothing.
	PlacementUID types.UID
}

type key struct {
	cluster string
	set     types.NamespacedName
}

func keyOf(req mcreconcile.Request) key {
	return key{cluster: req.ClusterName.String(), set: req.NamespacedName}
}

// Outcomes holds the outcome of each set in each member. The zero value is ready for use.
type Outcomes struct {
	mu        sync.Mutex
	all       map[types.NamespacedName]map[string]Outcome // by set, then cluster
	listeners []func(key)
}

// Get returns the outcome of a set in a member, and whether there is one. There is none before the first
// reconciliation, and none while a member has never been reached since the start.
func (o *Outcomes) Get(cluster string, set types.NamespacedName) (Outcome, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	out, ok := o.all[set][cluster]
	return out, ok
}

// Source fires when an outcome changed. toRequests must not block.
func (o *Outcomes) Source(toRequests func(cluster string, set types.NamespacedName) []mcreconcile.Request) source.TypedSource[mcreconcile.Request] {
	return source.TypedFunc[mcreconcile.Request](func(_ context.Context, q workqueue.TypedRateLimitingInterface[mcreconcile.Request]) error {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.listeners = append(o.listeners, func(k key) {
			for _, req := range toRequests(k.cluster, k.set) {
				q.Add(req)
			}
		})
		return nil
	})
}

// set stores an outcome and says whether it is another than before.
func (o *Outcomes) set(k key, outcome Outcome) bool {
	o.mu.Lock()
	if before, ok := o.all[k.set][k.cluster]; ok && before == outcome {
		o.mu.Unlock()
		return false
	}
	if o.all == nil {
		o.all = map[types.NamespacedName]map[string]Outcome{}
	}
	if o.all[k.set] == nil {
		o.all[k.set] = map[string]Outcome{}
	}
	o.all[k.set][k.cluster] = outcome
	listeners := o.listeners
	o.mu.Unlock()
	for _, tell := range listeners {
		tell(k)
	}
	return true
}

// forget drops the outcomes of a set. Nobody is told: there is no Placement to report on.
func (o *Outcomes) forget(set types.NamespacedName) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.all, set)
}
