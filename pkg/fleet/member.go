package fleet

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"

	"github.com/lwsfed/lwsfed/api/v1alpha1"
)

// member is one member. Its fields are under the fleet's lock; its goroutine is run.
type member struct {
	fleet   *Fleet
	name    string
	spec    Member
	state   State
	cluster *handle // nil until published
	stop    context.CancelFunc
}

// run connects the member and serves it, again and again with a growing pause, until ctx ends. spec is a copy, since
// Set may change the member's workloads meanwhile.
func (m *member) run(ctx context.Context, spec Member) {
	base, err := restConfig(spec.Kubeconfig)
	if err != nil {
		// Nothing but another kubeconfig helps, and that starts another goroutine.
		m.fail(unreachable(v1alpha1.ReasonInvalidCredentials, err))
		<-ctx.Done()
		return
	}
	t := m.fleet.times
	pause := wait.Backoff{Duration: t.retryMin, Factor: 2, Jitter: 0.1, Steps: 30, Cap: t.retryMax}
	for {
		engaged, err := m.attempt(ctx, base, spec)
		if ctx.Err() != nil {
			return
		}
		m.fail(classify(err))
		m.fleet.log.V(1).Info("Member is not engaged", "cluster", m.name, "reason", err.Error())
		if engaged {
			pause = wait.Backoff{Duration: t.retryMin, Factor: 2, Jitter: 0.1, Steps: 30, Cap: t.retryMax}
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause.Step()):
		}
	}
}

// attempt goes once through the member's life. It returns when something failed, or ctx ended.
func (m *member) attempt(ctx context.Context, base *rest.Config, spec Member) (engaged bool, err error) {
	c, err := connect(base, spec, m.fleet.times)
	if err != nil {
		return false, unreachable(v1alpha1.ReasonInvalidCredentials, err)
	}
	defer c.close()
	if err := c.probe.ping(ctx, m.fleet.times.connect); err != nil {
		return false, err
	}
	report, err := m.prepare(ctx, c)
	m.update(func(s *State) { s.report(report) })
	if err != nil {
		return false, fmt.Errorf("prepare: %w", err)
	}
	m.update(func(s *State) {
		s.contacted()
		s.Compatible = compatible
	})
	return m.serve(ctx, c, report.ClusterUID)
}

// prepare calls the Prepare hook.
func (m *member) prepare(ctx context.Context, c *connection) (Report, error) {
	ctx, cancel := context.WithTimeout(ctx, m.fleet.times.prepare)
	defer cancel()
	cl, err := c.prepare.client(m.fleet.scheme, m.fleet.mapper)
	if err != nil {
		return Report{}, err
	}
	return m.fleet.prepare(ctx, Access{Name: m.name, Config: c.prepare.config, HTTP: c.prepare.http, Client: cl})
}

// fail records why the member is not served.
func (m *member) fail(f *Failure) {
	m.update(func(s *State) { s.failed(f) })
}

// update changes the member's state and tells whoever watches, unless nothing but the time of contact changed.
func (m *member) update(change func(*State)) {
	f := m.fleet
	f.mu.Lock()
	before := m.state
	change(&m.state)
	m.state = m.state.derive()
	after := m.state
	current := f.members[m.name] == m
	f.mu.Unlock()
	if current && !before.says(after) {
		f.notices.publish(m.name)
	}
}

// publish hands the cluster out, or takes it back if it is nil.
func (m *member) publish(cl *handle) {
	f := m.fleet
	f.mu.Lock()
	m.cluster = cl
	f.mu.Unlock()
	m.update(func(s *State) { s.Engaged = cl != nil })
}
