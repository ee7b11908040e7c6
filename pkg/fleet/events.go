package fleet

import (
	"context"
	"fmt"
	"time"

	eventsv1 "k8s.io/api/events/v1"
	eventsclient "k8s.io/client-go/kubernetes/typed/events/v1"
	"k8s.io/client-go/tools/events"
)

// eventsAtOnce is how many events are on their way to a member. client-go starts a goroutine for each event; without
// a bound those of many sets would crowd out the work that they tell of.
const eventsAtOnce = 2

// newEvents makes what writes a member's events, over the line for calls.
func newEvents(c *connection, timeout time.Duration) (events.EventBroadcaster, error) {
	made, err := eventsclient.NewForConfigAndClient(c.call.config, c.call.http)
	if err != nil {
		return nil, fmt.Errorf("make the client of events: %w", err)
	}
	sink := &eventSink{to: &events.EventSinkImpl{Interface: made}, timeout: timeout, places: make(chan struct{}, eventsAtOnce)}
	return events.NewBroadcaster(sink), nil
}

// eventSink bounds the calls of another sink, in number and in time.
type eventSink struct {
	to      events.EventSink
	timeout time.Duration
	places  chan struct{}
}

// Create writes an event that is new.
func (s *eventSink) Create(ctx context.Context, event *eventsv1.Event) (*eventsv1.Event, error) {
	return s.call(ctx, func(ctx context.Context) (*eventsv1.Event, error) { return s.to.Create(ctx, event) })
}

// Update writes an event that has changed.
func (s *eventSink) Update(ctx context.Context, event *eventsv1.Event) (*eventsv1.Event, error) {
	return s.call(ctx, func(ctx context.Context) (*eventsv1.Event, error) { return s.to.Update(ctx, event) })
}

// Patch counts an event that has come again.
func (s *eventSink) Patch(ctx context.Context, event *eventsv1.Event, data []byte) (*eventsv1.Event, error) {
	return s.call(ctx, func(ctx context.Context) (*eventsv1.Event, error) { return s.to.Patch(ctx, event, data) })
}

func (s *eventSink) call(ctx context.Context, do func(context.Context) (*eventsv1.Event, error)) (*eventsv1.Event, error) {
	select {
	case s.places <- struct{}{}:
		defer func() { <-s.places }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	return do(ctx)
}
