package fleet

import (
	"net/http"
	"sync"
)

// gate holds a member's watches while the member does not answer. Left to themselves they try again and again, ever
// more seldom, and would stay up to a minute behind a member that has been back all the time.
type gate struct {
	next http.RoundTripper
	shut chan struct{} // signalled when a watch has shut the gate

	mu    sync.Mutex
	armed bool
	way   chan struct{} // closed while the gate is open
}

func newGate(next http.RoundTripper) *gate {
	g := &gate{next: next, shut: make(chan struct{}, 1), way: make(chan struct{})}
	close(g.way)
	return g
}

// RoundTrip waits until the gate is open, and shuts it if the member does not answer.
func (g *gate) RoundTrip(req *http.Request) (*http.Response, error) {
	select {
	case <-g.passage():
	case <-req.Context().Done():
		return nil, req.Context().Err()
	}
	resp, err := g.next.RoundTrip(req)
	if err != nil && req.Context().Err() == nil && g.close() {
		signal(g.shut)
	}
	return resp, err
}

// WrappedRoundTripper is for those who look for the connections beneath.
func (g *gate) WrappedRoundTripper() http.RoundTripper { return g.next }

func (g *gate) passage() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.way
}

// arm says that somebody will open the gate when the member answers. Before, it stays open.
func (g *gate) arm() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.armed = true
}

// close shuts the gate and says whether it was open.
func (g *gate) close() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.armed || !g.isOpen() {
		return false
	}
	g.way = make(chan struct{})
	return true
}

func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.isOpen() {
		close(g.way)
	}
}

func (g *gate) isOpen() bool {
	select {
	case <-g.way:
		return true
	default:
		return false
	}
}
