package propagation

import (
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	mcreconcile "sigs.k8s.io/multicluster-runtime/pkg/reconcile"

	"github.com/lwsfed/lwsfed/api/v1alpha1"
)

func in(cluster, set string) key {
	return key{cluster: cluster, set: types.NamespacedName{Namespace: "serving", Name: set}}
}

func TestOutcomesAreKeptBySetAndCluster(t *testing.T) {
	var o Outcomes
	o.forget(in("eu", "demo").set)
	o.set(in("eu", "demo"), Outcome{Message: "1"})
	o.set(in("us", "demo"), Outcome{Message: "2"})
	o.set(in("eu", "other"), Outcome{Message: "3"})
	all := func() map[string]string {
		said := map[string]string{}
		for _, k := range []key{in("eu", "demo"), in("us", "demo"), in("eu", "other"), in("us", "other")} {
			if out, ok := o.Get(k.cluster, k.set); ok {
				said[k.cluster+"/"+k.set.Name] = out.Message
			}
		}
		return said
	}
	want := map[string]string{"eu/demo": "1", "us/demo": "2", "eu/other": "3"}
	if diff := cmp.Diff(want, all()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	o.forget(in("eu", "demo").set)
	if diff := cmp.Diff(map[string]string{"eu/other": "3"}, all()); diff != "" {
		t.Errorf("after one set was forgotten (-want +got):\n%s", diff)
	}
}

// sourced are the keys that an Outcomes' source queues, in order.
func sourced(t *testing.T, o *Outcomes) func() []string {
	t.Helper()
	q := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[mcreconcile.Request]())
	t.Cleanup(q.ShutDown)
	source := o.Source(func(cluster string, set types.NamespacedName) []mcreconcile.Request {
		var req mcreconcile.Request
		req.NamespacedName = types.NamespacedName{Namespace: cluster, Name: set.Name}
		return []mcreconcile.Request{req}
	})
	if err := source.Start(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	return func() (all []string) {
		for q.Len() > 0 {
			req, _ := q.Get()
			q.Done(req)
			all = append(all, req.String())
		}
		return all
	}
}

func TestOnlyAChangedOutcomeIsTold(t *testing.T) {
	first := Outcome{State: v1alpha1.ClusterPending, Reason: v1alpha1.ReasonPending, Message: "m", PlacementUID: "p"}
	for name, c := range map[string]struct {
		change func(*Outcome)
		told   bool
	}{
		"nothing changed":             {func(*Outcome) {}, false},
		"another state":               {func(o *Outcome) { o.State = v1alpha1.ClusterApplied }, true},
		"another reason":              {func(o *Outcome) { o.Reason = v1alpha1.ReasonRejected }, true},
		"another message":             {func(o *Outcome) { o.Message = "n" }, true},
		"the member is clean":         {func(o *Outcome) { o.Clean = true }, true},
		"the same of a new Placement": {func(o *Outcome) { o.PlacementUID = "q" }, true},
	} {
		t.Run(name, func(t *testing.T) {
			var o Outcomes
			queued, alsoQueued := sourced(t, &o), sourced(t, &o)
			if !o.set(in("eu", "demo"), first) {
				t.Error("the first outcome is no change")
			}
			if got := queued(); len(got) != 1 {
				t.Errorf("queued %v after the first outcome, want one key", got)
			}
			alsoQueued()
			next := first
			c.change(&next)
			if got := o.set(in("eu", "demo"), next); got != c.told {
				t.Errorf("set = %v, want %v", got, c.told)
			}
			for _, got := range [][]string{queued(), alsoQueued()} {
				if (len(got) == 1) != c.told {
					t.Errorf("queued %v, want a key: %v", got, c.told)
				}
			}
		})
	}
}

func TestAForgottenOutcomeIsToldAnewAndNotMissed(t *testing.T) {
	var o Outcomes
	queued := sourced(t, &o)
	o.set(in("eu", "demo"), Outcome{Message: "m"})
	queued()
	o.forget(in("eu", "demo").set)
	if got := queued(); got != nil {
		t.Errorf("queued %v by forgetting, want nothing", got)
	}
	if !o.set(in("eu", "demo"), Outcome{Message: "m"}) {
		t.Error("the same outcome after it was forgotten is no change, want one")
	}
}

// Whoever is told may look the outcome up at once.
func TestOutcomesOfManyWorkers(t *testing.T) {
	var o Outcomes
	source := o.Source(func(cluster string, set types.NamespacedName) []mcreconcile.Request {
		if _, ok := o.Get(cluster, set); !ok {
			t.Errorf("told of %s in %s before it is there", set, cluster)
		}
		return nil
	})
	if err := source.Start(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	var workers sync.WaitGroup
	for w := range 8 {
		workers.Go(func() {
			for i := range 100 {
				k := in(fmt.Sprintf("c%d", w), fmt.Sprintf("s%d", i%5))
				o.set(k, Outcome{Message: fmt.Sprint(i)})
				o.Get("c0", k.set)
			}
		})
	}
	workers.Go(func() {
		for range 100 {
			o.forget(in("", "none").set)
		}
	})
	workers.Wait()
	for w := range 8 {
		if out, _ := o.Get(fmt.Sprintf("c%d", w), in("", "s4").set); out.Message != "99" {
			t.Errorf("worker %d's last outcome is %q, want 99", w, out.Message)
		}
	}
}
