package fleet

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	"k8s.io/client-go/util/workqueue"
	mcreconcile "sigs.k8s.io/multicluster-runtime/pkg/reconcile"
)

// listening are the members of which a source told since the last call.
func listening(t *testing.T, f *Fleet) func() []string {
	t.Helper()
	q := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[mcreconcile.Request]())
	t.Cleanup(q.ShutDown)
	source := f.Changes(func(name string) []mcreconcile.Request { return []mcreconcile.Request{in("", name)} })
	if err := source.Start(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	return func() (names []string) {
		synctest.Wait()
		for q.Len() > 0 {
			req, _ := q.Get()
			q.Done(req)
			names = append(names, req.Name)
		}
		return names
	}
}

func TestChangesOfMembersAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := New(Options{})
		f.Set("eu", Member{QPS: 1})
		told := listening(t, f)
		expect(t, "those that are there at the start", []string{"eu"}, told())
		f.Set("us", Member{})
		expect(t, "a new one", []string{"us"}, told())
		f.Set("eu", Member{QPS: 1})
		expect(t, "the same again", nil, told())
		f.Set("eu", Member{QPS: 1, Workloads: "All"})
		expect(t, "other workloads", []string{"eu"}, told())
		m := f.members["eu"]
		m.update(func(s *State) { s.contacted() })
		expect(t, "a first answer", []string{"eu"}, told())
		m.update(func(s *State) { s.contacted() })
		expect(t, "another answer", nil, told())
		f.Set("eu", Member{QPS: 2})
		expect(t, "another connection", []string{"eu"}, told())
		m.update(func(s *State) { s.Version = "v1" })
		expect(t, "of its connection before", nil, told())
		f.Delete("eu")
		expect(t, "one that left", []string{"eu"}, told())
		f.Delete("eu")
		expect(t, "one that left already", nil, told())
	})
}

// A subscriber that is slow finds each name once, and nobody waits for it.
func TestASlowSubscriberDelaysNobody(t *testing.T) {
	var n notices
	slow, stop := n.subscribe()
	quick, stopQuick := n.subscribe()
	defer stopQuick()
	var publishers sync.WaitGroup
	for i := range 4 {
		publishers.Go(func() {
			for range 100 {
				n.publish(fmt.Sprint(i))
				quick.take()
			}
		})
	}
	publishers.Wait()
	if !isSignalled(slow.signal) {
		t.Error("no signal")
	}
	expect(t, "names", []string{"0", "1", "2", "3"}, slow.take())
	if got := slow.take(); len(got) != 0 {
		t.Errorf("names %v once more", got)
	}
	stop()
	n.publish("5")
	if got := slow.take(); len(got) != 0 || isSignalled(slow.signal) {
		t.Errorf("told of %v after it stopped", got)
	}
}
