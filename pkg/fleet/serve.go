package fleet

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/multicluster-runtime/pkg/multicluster"

	"github.com/lwsfed/lwsfed/api/v1alpha1"
)

// serve fills the member's caches, engages it and watches over it. It returns when ctx ends or when the member must
// start anew, after the cluster's last goroutine has ended.
func (m *member) serve(ctx context.Context, c *connection, uid string) (engaged bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()

	w := newWatches()
	cl, err := m.newCluster(ctx, c, w.failed)
	if err != nil {
		return false, err
	}
	defer cl.events.Shutdown()
	if err := cl.events.StartRecordingToSinkWithContext(ctx); err != nil {
		return false, fmt.Errorf("start to record events: %w", err)
	}
	ended := make(chan error, 1)
	running.Go(func() { ended <- cl.Start(ctx) })
	if err := m.sync(ctx, cl, w); err != nil {
		return false, err
	}
	w.takeForbidden() // whatever it was, it is over
	m.publish(cl)
	defer m.publish(nil)
	m.update(func(s *State) { s.contacted(); s.Bootstrapped = bootstrapped })
	if err := m.engage(ctx, cl); err != nil {
		return false, err
	}

	recovered := make(chan struct{}, 1)
	moved := make(chan error, 1)
	running.Go(func() { m.probe(ctx, c, w, recovered) })
	running.Go(func() { moved <- m.revisit(ctx, c, uid, recovered) })
	select {
	case <-ctx.Done():
		return true, ctx.Err()
	case err := <-moved:
		return true, err
	case err := <-ended:
		return true, fmt.Errorf("the member's caches ended: %w", errors.Join(err, errors.New("unexpected end")))
	}
}

// Conditions of a member that is well.
var (
	bootstrapped = Condition{metav1.ConditionTrue, v1alpha1.ReasonBootstrapped, "CRDs and pod stamping are installed and proven"}
	compatible   = Condition{metav1.ConditionTrue, v1alpha1.ReasonCompatible, "the member can run sets"}
)

// sync waits for the caches. What holds them up is reported while it waits.
func (m *member) sync(ctx context.Context, cl *handle, w *watches) error {
	t := m.fleet.times
	ctx, cancel := context.WithTimeout(ctx, t.sync)
	defer cancel()
	synced := make(chan bool, 1)
	go func() { synced <- cl.GetCache().WaitForCacheSync(ctx) }()
	slow := time.NewTimer(t.slowSync)
	defer slow.Stop()
	for {
		select {
		case ok := <-synced:
			if ok {
				return nil
			}
			if err := w.last(); err != nil {
				return err
			}
			return notRead(fmt.Errorf("the member's objects were not read within %s", t.sync))
		case <-w.kick:
			if err := w.last(); err != nil {
				m.fail(classify(err))
			}
		case <-slow.C:
			if w.last() == nil {
				m.fail(notRead(fmt.Errorf("the member's objects were not read within %s; still trying", t.slowSync)))
			}
		}
	}
}

func notRead(err error) *Failure {
	return &Failure{v1alpha1.ConditionBootstrapped, v1alpha1.ReasonBootstrapFailed, err}
}

// engage gives the member to the controllers. It does not trust them to come back: one that watches a kind that is not
// in the caches would wait for ever.
func (m *member) engage(ctx context.Context, cl *handle) error {
	done := make(chan error, 1)
	go func() { done <- m.fleet.aware.Engage(ctx, multicluster.ClusterName(m.name), cl) }()
	watchdog := time.NewTimer(m.fleet.times.engage)
	defer watchdog.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case err := <-done:
		if err != nil {
			return notRead(fmt.Errorf("engage: %w", err))
		}
		return nil
	case <-watchdog.C:
		return notRead(fmt.Errorf("the controllers did not accept the member within %s", m.fleet.times.engage))
	}
}
