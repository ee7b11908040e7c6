package fleet

import (
	"context"
	"errors"
	"testing"
	"time"

	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/client-go/tools/events"
)

// stuckSink is a member that does not answer.
type stuckSink struct {
	events.EventSink
	asked chan struct{}
}

func (s *stuckSink) Create(ctx context.Context, _ *eventsv1.Event) (*eventsv1.Event, error) {
	s.asked <- struct{}{}
	<-ctx.Done()
	return nil, ctx.Err()
}

// Events of a member that does not answer are given up, and no more than a few are on their way at once.
func TestEventsOfAMemberThatHangs(t *testing.T) {
	const all = 3 * eventsAtOnce
	to := &stuckSink{asked: make(chan struct{}, all)}
	sink := &eventSink{to: to, timeout: 50 * time.Millisecond, places: make(chan struct{}, eventsAtOnce)}
	start, ended := time.Now(), make(chan error, all)
	for range all {
		go func() {
			_, err := sink.Create(t.Context(), &eventsv1.Event{})
			ended <- err
		}()
	}
	for range all {
		if err := <-ended; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("an event ended with %v", err)
		}
	}
	if took := time.Since(start); took < 3*sink.timeout {
		t.Errorf("%d events took %v: more than %d were on their way at once", all, took, eventsAtOnce)
	}
	if len(to.asked) != all {
		t.Errorf("%d events were sent, want %d", len(to.asked), all)
	}
}
