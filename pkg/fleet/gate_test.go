package fleet

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
)

// trips is a transport that answers with the error at hand, and counts.
type trips struct {
	mu  sync.Mutex
	err error
	n   int
}

func (t *trips) RoundTrip(*http.Request) (*http.Response, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n++
	return nil, t.err
}

func (t *trips) answer(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.err = err
}

func (t *trips) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.n
}

func watchThrough(ctx context.Context, g *gate) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://member/api/v1/pods?watch=true", nil)
	if err != nil {
		return err
	}
	_, err = g.RoundTrip(req)
	return err
}

func isSignalled(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func TestWatchesWaitWhileAMemberDoesNotAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		next := &trips{err: errors.New("refused")}
		g := newGate(next)
		g.arm()
		if err := watchThrough(t.Context(), g); err == nil {
			t.Fatal("the first watch did not fail")
		}
		if !isSignalled(g.shut) {
			t.Error("nobody is told that a watch failed")
		}
		done := make(chan error, 5)
		for range cap(done) {
			go func() { done <- watchThrough(t.Context(), g) }()
		}
		synctest.Wait()
		if len(done) != 0 || next.count() != 1 {
			t.Errorf("%d watches are back and %d were sent, want all to wait", len(done), next.count())
		}
		next.answer(nil)
		g.open()
		synctest.Wait()
		if len(done) != 5 || next.count() != 6 {
			t.Errorf("%d of 5 watches are back after the member answered", len(done))
		}
		if isSignalled(g.shut) {
			t.Error("told of a failure where there was none")
		}
	})
}

func TestAWatchThatIsGivenUpAtTheGateEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		next := &trips{}
		g := newGate(next)
		g.arm()
		g.close()
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- watchThrough(ctx, g) }()
		synctest.Wait()
		cancel()
		synctest.Wait()
		if len(done) != 1 || !errors.Is(<-done, context.Canceled) || next.count() != 0 {
			t.Error("the watch did not end, want its context's error and no request")
		}
	})
}

func TestWhatShutsTheGate(t *testing.T) {
	refused := errors.New("refused")
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		armed bool
		watch func(g *gate, next *trips)
		shut  bool
	}{
		"a failure":                       {true, func(g *gate, next *trips) { next.answer(refused); _ = watchThrough(t.Context(), g) }, true},
		"an answer":                       {true, func(g *gate, _ *trips) { _ = watchThrough(t.Context(), g) }, false},
		"before anybody would open it":    {false, func(g *gate, next *trips) { next.answer(refused); _ = watchThrough(t.Context(), g) }, false},
		"a watch that is given up":        {true, func(g *gate, next *trips) { next.answer(context.Canceled); _ = watchThrough(gone, g) }, false},
		"a probe without an answer":       {true, func(g *gate, _ *trips) { g.close() }, true},
		"opened before it was shut":       {true, func(g *gate, _ *trips) { g.open(); g.close() }, true},
		"opened after it was shut, twice": {true, func(g *gate, _ *trips) { g.close(); g.open(); g.open() }, false},
	} {
		t.Run(name, func(t *testing.T) {
			next := &trips{}
			g := newGate(next)
			if c.armed {
				g.arm()
			}
			c.watch(g, next)
			g.mu.Lock()
			defer g.mu.Unlock()
			if g.isOpen() == c.shut {
				t.Errorf("open %v, want %v", g.isOpen(), !c.shut)
			}
		})
	}
}

func TestTheGateOfManyWatches(t *testing.T) {
	next := &trips{err: errors.New("refused")}
	g := newGate(next)
	g.arm()
	ctx, cancel := context.WithCancel(t.Context())
	var watches, probes sync.WaitGroup
	probes.Go(func() {
		for ctx.Err() == nil {
			g.open()
			g.close()
			isSignalled(g.shut)
		}
	})
	for range 8 {
		watches.Go(func() {
			for range 100 {
				_ = watchThrough(ctx, g)
			}
		})
	}
	watches.Wait()
	cancel()
	probes.Wait()
	if next.count() != 800 {
		t.Errorf("%d requests were sent, want 800", next.count())
	}
}
