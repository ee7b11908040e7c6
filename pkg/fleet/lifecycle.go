package fleet

import (
	"bytes"
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/multicluster-runtime/pkg/multicluster"
)

// Start runs the members until ctx ends, and waits for their ends. multicluster-runtime calls it.
func (f *Fleet) Start(ctx context.Context, aware multicluster.Aware) error {
	f.mu.Lock()
	f.run, f.aware = ctx, aware
	for _, m := range f.members {
		f.launch(m)
	}
	f.mu.Unlock()

	<-ctx.Done()
	for {
		f.mu.RLock()
		var end <-chan struct{}
		for _, end = range f.last {
			break
		}
		f.mu.RUnlock()
		if end == nil {
			return nil
		}
		<-end
	}
}

// Set adds a member or changes it. The same value does nothing; other workloads take effect at once; anything else
// stops the member's cluster and starts a new one.
func (f *Fleet) Set(name string, spec Member) {
	f.mu.Lock()
	old, ok := f.members[name]
	switch {
	case ok && old.spec.equal(spec):
		f.mu.Unlock()
		return
	case ok && old.spec.connection().equal(spec.connection()):
		old.spec.Workloads = spec.Workloads
		old.state.Workloads = spec.Workloads
	default:
		if ok {
			old.stop()
		}
		m := &member{fleet: f, name: name, spec: spec, state: newState(spec.Workloads), stop: func() {}}
		m.spec.Kubeconfig = bytes.Clone(spec.Kubeconfig)
		f.members[name] = m
		if f.run != nil {
			f.launch(m)
		}
	}
	f.mu.Unlock()
	f.notices.publish(name)
}

// Delete forgets a member and stops its cluster. Nothing is deleted in the member.
func (f *Fleet) Delete(name string) {
	f.mu.Lock()
	m, ok := f.members[name]
	if ok {
		m.stop()
		delete(f.members, name)
	}
	f.mu.Unlock()
	if ok {
		f.notices.publish(name)
	}
}

// launch starts the member's goroutine after the one of its predecessor has ended. The caller holds the lock.
func (f *Fleet) launch(m *member) {
	ctx, cancel := context.WithCancel(f.run)
	m.stop = cancel
	spec := m.spec
	before, end := f.last[m.name], make(chan struct{})
	f.last[m.name] = end
	go func() {
		defer func() {
			cancel()
			f.mu.Lock()
			if f.last[m.name] == (<-chan struct{})(end) {
				delete(f.last, m.name)
			}
			f.mu.Unlock()
			close(end)
		}()
		if before != nil {
			<-before
		}
		m.run(ctx, spec)
	}()
}

// IndexField adds an index to the caches of all members, present and future.
func (f *Fleet) IndexField(ctx context.Context, obj client.Object, field string, extract client.IndexerFunc) error {
	f.mu.Lock()
	f.indexes = append(f.indexes, index{obj, field, extract})
	engaged := map[string]*handle{}
	for name, m := range f.members {
		if m.cluster != nil {
			engaged[name] = m.cluster
		}
	}
	f.mu.Unlock()
	for name, cl := range engaged {
		if err := cl.GetFieldIndexer().IndexField(ctx, obj, field, extract); err != nil {
			return fmt.Errorf("index %q on cluster %q: %w", field, name, err)
		}
	}
	return nil
}

func (f *Fleet) currentIndexes() []index {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return append([]index(nil), f.indexes...)
}

func (m Member) equal(o Member) bool {
	return bytes.Equal(m.Kubeconfig, o.Kubeconfig) && m.QPS == o.QPS && m.Burst == o.Burst && m.Workloads == o.Workloads
}

// connection is the part of a member that its clients are made of.
func (m Member) connection() Member {
	m.Workloads = ""
	return m
}
