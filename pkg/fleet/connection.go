package fleet

import (
	"fmt"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Bounds of a member that gives none.
const (
	defaultQPS   = 1000
	defaultBurst = 2000
)

// line is one way to a member: a timeout of its own on connections of its own. Separate connections keep a
// congested watch from delaying a call, and a probe from waiting behind either.
type line struct {
	config *rest.Config
	http   *http.Client
}

// connection is all the ways to a member.
type connection struct {
	probe, prepare, call, watch line
	// gate is before the line watch.
	gate *gate
}

// connect makes the clients of a member. It does not touch the network.
func connect(base *rest.Config, spec Member, t timings) (*connection, error) {
	qps, burst := spec.QPS, spec.Burst
	if qps < 1 {
		qps, burst = defaultQPS, defaultBurst
	}
	// One limiter for the member: left to itself, a client makes one for each kind.
	limiter := flowcontrol.NewTokenBucketRateLimiter(float32(qps), int(max(burst, qps)))
	c := &connection{}
	for _, l := range []struct {
		to      *line
		timeout time.Duration
		limiter flowcontrol.RateLimiter
	}{
		{&c.probe, t.connect, nil},
		{&c.prepare, t.prepareOne, limiter},
		{&c.call, t.call, limiter},
		{&c.watch, t.watch, nil},
	} {
		made, err := newLine(base, l.timeout, l.limiter, l.to == &c.probe)
		if err != nil {
			return nil, fmt.Errorf("make an HTTP client: %w", err)
		}
		*l.to = made
	}
	c.gate = newGate(c.watch.http.Transport)
	c.watch.http.Transport = c.gate
	return c, nil
}

func newLine(base *rest.Config, timeout time.Duration, limiter flowcontrol.RateLimiter, http1 bool) (line, error) {
	cfg := rest.CopyConfig(base)
	cfg.Timeout, cfg.RateLimiter, cfg.QPS = timeout, limiter, -1
	if cfg.Proxy == nil {
		cfg.Proxy = http.ProxyFromEnvironment
	}
	// A config with a Proxy function is never taken from client-go's global cache of transports, so the
	// connections are this member's alone and can be closed with it.
	if http1 {
		// A probe that got no answer then gives its connection up, and the next one opens another.
		cfg.NextProtos = []string{"http/1.1"}
	}
	hc, err := rest.HTTPClientFor(cfg)
	if err != nil {
		return line{}, err
	}
	return line{cfg, hc}, nil
}

// client returns an uncached client on the line.
func (l line) client(scheme *runtime.Scheme, mapper meta.RESTMapper) (client.Client, error) {
	return client.New(l.config, client.Options{HTTPClient: l.http, Scheme: scheme, Mapper: mapper})
}

// close gives up idle connections. Those in use end with their requests.
func (c *connection) close() {
	for _, l := range []line{c.probe, c.prepare, c.call, c.watch} {
		utilnet.CloseIdleConnectionsFor(l.http.Transport)
	}
}
