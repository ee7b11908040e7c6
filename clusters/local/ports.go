package local

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"strings"
	"sync"
)

// Ports lie below the range from which Linux takes the ports of outgoing connections (from 32768),
// so that nobody takes the port of an API server while it is stopped.
const (
	firstPort = 20000
	lastPort  = 31999
)

// ports gives every port of a fleet once.
type ports struct {
	mu    sync.Mutex
	given map[int]bool
}

// next returns a port on which nobody listens now. Another process may take it before it is used:
// whoever starts a program tries again on a clash.
func (p *ports) next() (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for range 200 {
		port := firstPort + rand.IntN(lastPort-firstPort+1)
		if p.given[port] {
			continue
		}
		listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			continue
		}
		_ = listener.Close()
		if p.given == nil {
			p.given = map[int]bool{}
		}
		p.given[port] = true
		return port, nil
	}
	return 0, fmt.Errorf("no free port between %d and %d", firstPort, lastPort)
}

// clashed reports whether a program ended because its port was taken.
func clashed(err error, log string) bool {
	if !errors.Is(err, errExited) {
		return false
	}
	content, readErr := os.ReadFile(log)
	return readErr == nil && strings.Contains(string(content), "address already in use")
}
