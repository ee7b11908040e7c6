package bench

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/api/v1alpha1"
	"github.com/lwsfed/lwsfed/clusters/local"
	"github.com/lwsfed/lwsfed/test/world"
)

const (
	sets       = 200
	setGroups  = 8
	setMembers = 4
)

// 200 sets, applied on the hub at once and divided over 4 members, are in all members in less than twice the time
// that a client needs to apply the same 800 sets in the members directly, and cost the hub 3 writes each.
func TestSets(t *testing.T) {
	const unmeasured, rounds = 1, 3
	w := start(t, world.Options{
		Fleet: local.Options{Audit: true, Members: []local.Member{
			{Name: "east", APIOnly: true},
			{Name: "west", APIOnly: true},
			{Name: "north", APIOnly: true},
			{Name: "south", APIOnly: true},
		}},
		Flags: shipped,
	})
	var ours, floor []time.Duration
	var writes map[string][]string
	for i := range unmeasured + rounds {
		floor = append(floor, appliedInMembers(t, w, fmt.Sprintf("floor-%d", i)))
		var took time.Duration
		took, writes = appliedOnHub(t, w, fmt.Sprintf("lwsfed-%d", i))
		ours = append(ours, took)
	}
	reportRatio(t, "200 sets in 4 members", 2, ours[unmeasured:], floor[unmeasured:])
	reportWrites(t, writes)
}

// appliedInMembers measures the floor. lwsfed does not run meanwhile, so that it takes nothing from the client.
func appliedInMembers(t *testing.T, w *world.World, name string) time.Duration {
	t.Helper()
	if err := w.Lwsfed.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	var all []applied
	for _, c := range w.Members {
		namespace(t, c, name)
		for i := range sets {
			all = append(all, applied{c, manifest(t, paddedSet(name, i, setGroups/setMembers))})
		}
	}
	// A set goes to all members before the next one does, as it does with lwsfed.
	slices.SortStableFunc(all, func(a, b applied) int { return strings.Compare(a.set.GetName(), b.set.GetName()) })
	took := arriveAfter(t, w, name, func() { apply(t, all) })
	if err := w.Lwsfed.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return took
}

// appliedOnHub measures lwsfed, and returns its writes on the hub by set.
func appliedOnHub(t *testing.T, w *world.World, name string) (time.Duration, map[string][]string) {
	t.Helper()
	prepare(t, w, name)
	prepare(t, w, name+"-before")
	// It works again once a set is in every member.
	apply(t, []applied{{w.Hub, manifest(t, paddedSet(name+"-before", 0, setGroups))}})
	settled(t, w, name+"-before", 1)
	var all []applied
	for i := range sets {
		all = append(all, applied{w.Hub, manifest(t, paddedSet(name, i, setGroups))})
	}
	since := time.Now()
	took := arriveAfter(t, w, name, func() { apply(t, all) })
	settled(t, w, name, sets)
	time.Sleep(calm) // Writes after the last are writes too.
	return took, hubWrites(t, w, name, since)
}

// applied is a set to be applied.
type applied struct {
	to  client.Client
	set *unstructured.Unstructured
}

// apply applies sets, as many at the same time as are in flight.
func apply(t *testing.T, all []applied) {
	t.Helper()
	group, ctx := errgroup.WithContext(t.Context())
	group.SetLimit(inFlight)
	for _, a := range all {
		group.Go(func() error {
			return a.to.Apply(ctx, client.ApplyConfigurationFromUnstructured(a.set), client.FieldOwner("bench"))
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
}

// arriveAfter returns how long it takes from the begin of run until every member has every set.
func arriveAfter(t *testing.T, w *world.World, namespace string, run func()) time.Duration {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var goals []*goal
	for _, m := range w.Fleet.Members() {
		goals = append(goals, watchFor(ctx, t, m, namespace, &lwsv1.LeaderWorkerSet{}, sets, anything))
	}
	time.Sleep(calm)
	begin := time.Now()
	run()
	return wait(t, "every member has every set", begin, goals...)
}

// settled waits until the hub says that n sets are in all of their members.
func settled(t *testing.T, w *world.World, namespace string, n int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	g := watchFor(ctx, t, w.Fleet.Hub(), namespace, &v1alpha1.Placement{}, n, func(o client.Object) bool {
		p := o.(*v1alpha1.Placement)
		return len(p.Spec.Clusters) == setMembers && world.IsTrue(p.Status.Conditions, v1alpha1.ConditionApplied, "Placement") == nil
	})
	wait(t, "all sets are applied", time.Now(), g)
}

// paddedSet has a template of about 1.5 KB.
func paddedSet(namespace string, i int, replicas int32) *lwsv1.LeaderWorkerSet {
	return world.Set(namespace, fmt.Sprintf("set-%03d", i), replicas, 4, func(set *lwsv1.LeaderWorkerSet) {
		c := &set.Spec.LeaderWorkerTemplate.WorkerTemplate.Spec.Containers[0]
		for j := range 12 {
			c.Env = append(c.Env, corev1.EnvVar{Name: fmt.Sprintf("PAD_%d", j), Value: strings.Repeat("x", 85)})
		}
	})
}

// manifest is a set as a person writes it.
func manifest(t *testing.T, set *lwsv1.LeaderWorkerSet) *unstructured.Unstructured {
	t.Helper()
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(set)
	if err != nil {
		t.Fatal(err)
	}
	u := &unstructured.Unstructured{Object: content}
	u.SetGroupVersionKind(lwsv1.GroupVersion.WithKind(lwsv1.Kind))
	unstructured.RemoveNestedField(u.Object, "status")
	unstructured.RemoveNestedField(u.Object, "metadata", "creationTimestamp")
	return u
}

// hubWrites are the requests by which lwsfed has written about the sets of a namespace on the hub, failed ones too.
func hubWrites(t *testing.T, w *world.World, namespace string, since time.Time) map[string][]string {
	t.Helper()
	events, err := w.Fleet.Hub().AuditEvents(since)
	if err != nil {
		t.Fatal(err)
	}
	writes := map[string][]string{}
	for _, e := range events {
		if e.User.Username != world.User || e.ObjectRef == nil || e.ObjectRef.Namespace != namespace {
			continue
		}
		switch e.Verb {
		case "create", "update", "patch", "delete", "deletecollection":
			what := strings.TrimSuffix(e.Verb+" "+e.ObjectRef.Resource+"/"+e.ObjectRef.Subresource, "/")
			writes[setOf(e.ObjectRef.Name)] = append(writes[setOf(e.ObjectRef.Name)], what)
		}
	}
	return writes
}

// setOf is the set that an object on the hub is about: names of sets are equally long, and those of their revisions
// and events begin with them.
func setOf(name string) string { return name[:min(len(name), len("set-000"))] }

// reportWrites reports the writes for the set with the most.
func reportWrites(t *testing.T, writes map[string][]string) {
	t.Helper()
	if len(writes) != sets {
		t.Fatalf("the audit log has writes for %d sets, want %d", len(writes), sets)
	}
	kinds, numbers := map[string]int{}, map[int]int{}
	most := 0
	for _, of := range writes {
		most = max(most, len(of))
		numbers[len(of)]++
		for _, kind := range of {
			kinds[kind]++
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		t.Logf("%.2f times a set: %s", float64(kinds[kind])/sets, kind)
	}
	for _, n := range slices.Sorted(maps.Keys(numbers)) {
		t.Logf("%d sets with %d writes", numbers[n], n)
	}
	report(t, result{claim: "writes on the hub for a set, at most", measured: float64(most), limit: 3, unit: "writes"})
}
