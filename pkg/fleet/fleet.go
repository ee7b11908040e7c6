package fleet

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/multicluster-runtime/pkg/multicluster"

	"github.com/lwsfed/lwsfed/api/v1alpha1"
)

// Member is how a member is reached and what may run there.
type Member struct {
	// Kubeconfig is self-contained: it names no file and no program.
	Kubeconfig []byte
	// QPS and Burst bound all calls to the member together. Below 1 means 1000 and 2000.
	QPS, Burst int32
	// Workloads says which sets lwsfed runs in the member.
	Workloads v1alpha1.Workloads
}

// Options of a Fleet.
type Options struct {
	Log logr.Logger
	// Scheme defaults to NewScheme().
	Scheme *runtime.Scheme
	// Prepare is called for each member before it is engaged. Nil does nothing.
	Prepare Prepare
}

// Fleet is the members. It implements multicluster.Provider and multicluster.ProviderRunnable.
type Fleet struct {
	log     logr.Logger
	scheme  *runtime.Scheme
	mapper  meta.RESTMapper
	prepare Prepare
	times   timings
	notices notices
	first   atomic.Pointer[Guard]

	mu      sync.RWMutex
	members map[string]*member
	last    map[string]<-chan struct{} // ends of the members' last goroutines, kept while they run
	indexes []index
	run     context.Context // nil before Start
	aware   multicluster.Aware
}

var (
	_ multicluster.Provider         = &Fleet{}
	_ multicluster.ProviderRunnable = &Fleet{}
)

// index is a cache index that every member gets.
type index struct {
	obj     client.Object
	field   string
	extract client.IndexerFunc
}

// New returns a fleet without members. It talks to no member before Start.
func New(o Options) *Fleet {
	if o.Scheme == nil {
		o.Scheme = NewScheme()
	}
	if o.Prepare == nil {
		o.Prepare = func(context.Context, Access) (Report, error) { return Report{}, nil }
	}
	return &Fleet{
		log:     o.Log,
		scheme:  o.Scheme,
		mapper:  newMapper(o.Scheme),
		prepare: o.Prepare,
		times:   defaultTimings,
		members: map[string]*member{},
		last:    map[string]<-chan struct{}{},
		indexes: setIndexes(),
	}
}

// State returns what is known of a member, and whether it is a member at all.
func (f *Fleet) State(name string) (State, bool) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	m, ok := f.members[name]
	if !ok {
		return State{}, false
	}
	return m.state, true
}

// Workloads says which sets lwsfed runs in the member; "" for an unknown one.
func (f *Fleet) Workloads(name string) v1alpha1.Workloads {
	state, _ := f.State(name)
	return state.Workloads
}

// Get returns an engaged member. It returns an error that is multicluster.ErrClusterNotFound for one that is unknown
// or was never connected.
func (f *Fleet) Get(_ context.Context, name multicluster.ClusterName) (cluster.Cluster, error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	m, ok := f.members[string(name)]
	if !ok || m.cluster == nil {
		return nil, fmt.Errorf("cluster %q: %w", name, multicluster.ErrClusterNotFound)
	}
	return m.cluster, nil
}

// names returns the names of all members.
func (f *Fleet) names() []string {
	f.mu.RLock()
	defer f.mu.RUnlock()
	names := make([]string, 0, len(f.members))
	for name := range f.members {
		names = append(names, name)
	}
	return names
}
