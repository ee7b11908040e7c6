package fleet

import (
	"context"
	"fmt"
	"time"

	"github.com/lwsfed/lwsfed/api/v1alpha1"
)

// probe asks the member for its health, regularly and after a watch failed, until ctx ends. It signals recovered when
// the member is back after an outage.
func (m *member) probe(ctx context.Context, c *connection, w *watches, recovered chan<- struct{}) {
	t := m.fleet.times
	h := health{reachable: true}
	tick := time.NewTicker(t.probeEvery)
	defer tick.Stop()
	c.gate.arm()
	var asked time.Time
	forbidden := missing{}
	for {
		early := true
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			early = false
		case <-c.gate.shut:
		case <-w.kick:
			if err := forbidden.add(w.takeForbidden()); err != nil {
				m.fail(classify(err))
			}
		}
		// Five watches that break at once are one miss.
		if early && time.Since(asked) < t.probeEvery/2 {
			continue
		}
		asked = time.Now()
		err := c.probe.ping(ctx, t.probe)
		if ctx.Err() != nil {
			return
		}
		if err == nil {
			c.gate.open()
		} else {
			c.gate.close()
		}
		was := h.reachable
		h = h.observe(err == nil, t)
		m.observed(h, err)
		if !was && h.reachable {
			signal(recovered)
		}
		if err == nil && len(forbidden) > 0 {
			forbidden.review(ctx, c.probe, t.probe)
			if len(forbidden) == 0 {
				signal(recovered)
			}
		}
	}
}

// observed records what a probe has shown.
func (m *member) observed(h health, err error) {
	m.update(func(s *State) {
		switch {
		case err == nil && h.reachable:
			s.contacted()
		case err == nil:
			s.LastContact = time.Now()
		case !h.reachable:
			s.failed(unreachable(classify(err).Reason, classify(err).Err))
		}
	})
}

// revisit reads the capacity every minute, and prepares the member again after an outage and every ten minutes: its
// version, rights and policies may have changed. It returns an error if the address belongs to another cluster now.
func (m *member) revisit(ctx context.Context, c *connection, uid string, recovered <-chan struct{}) error {
	t := m.fleet.times
	m.measure(ctx)
	capacity := time.NewTicker(t.capacity)
	defer capacity.Stop()
	again := time.NewTimer(t.revisit)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-capacity.C:
			m.measure(ctx)
			continue
		case <-recovered:
		case <-again.C:
		}
		next := t.revisit
		report, err := m.prepare(ctx, c)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil && report.ClusterUID != uid:
			return fmt.Errorf("another cluster answers at this address: the UID of its namespace kube-system was %q and is %q", uid, report.ClusterUID)
		case err == nil:
			m.update(func(s *State) { s.report(report); s.Bootstrapped, s.Compatible = bootstrapped, compatible })
		default:
			next = t.retryMax
			// Whether the member is reachable is for the probes to say.
			if f := classify(err); f.Condition != v1alpha1.ConditionReachable {
				m.update(func(s *State) { s.report(report); s.failed(f) })
			}
		}
		again.Reset(next)
	}
}

// measure reads the capacity. A member that does not let us read its nodes has none that we know of.
func (m *member) measure(ctx context.Context) {
	state, ok := m.fleet.State(m.name)
	if !ok || !state.Reachable {
		return
	}
	m.fleet.mu.RLock()
	cl := m.cluster
	m.fleet.mu.RUnlock()
	if cl == nil {
		return
	}
	capacity, err := readCapacity(ctx, cl.GetAPIReader())
	if err != nil {
		m.fleet.log.V(1).Info("Capacity is not known", "cluster", m.name, "reason", err.Error())
		return
	}
	m.update(func(s *State) { s.Capacity = capacity })
}

func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
