package e2e

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	pkgfleet "github.com/lwsfed/lwsfed/pkg/fleet"
	"github.com/lwsfed/lwsfed/pkg/revision"
	"github.com/lwsfed/lwsfed/test/world"
)

// watch calls seen with each version of the objects of a kind in the story's namespace that a cluster tells, never
// twice at the same time, until the story ends. gone says that it is the last one. It returns once it watches.
func (s *story) watch(cluster string, kind client.Object, seen func(o client.Object, gone bool)) {
	s.Helper()
	c := fleet.Fleet.Hub()
	if m := fleet.Fleet.Member(cluster); m != nil {
		c = m
	}
	watched, err := cache.New(c.RESTConfig(), cache.Options{
		Scheme: pkgfleet.NewScheme(), DefaultNamespaces: map[string]cache.Config{s.namespace: {}},
	})
	if err != nil {
		s.Fatal(err)
	}
	go func() { _ = watched.Start(s.Context()) }() // It fails only when it is started twice.
	informer, err := watched.GetInformer(s.Context(), kind)
	if err != nil {
		s.Fatalf("watch %T in %s: %v", kind, cluster, err)
	}
	registration, err := informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { seen(o.(client.Object), false) },
		UpdateFunc: func(_, o any) { seen(o.(client.Object), false) },
		DeleteFunc: func(o any) {
			if o, ok := o.(client.Object); ok {
				seen(o, true)
			}
		},
	})
	if err != nil {
		s.Fatalf("watch %T in %s: %v", kind, cluster, err)
	}
	if !toolscache.WaitForCacheSync(s.Context().Done(), registration.HasSynced) {
		s.Fatalf("watch %T in %s: %v", kind, cluster, context.Cause(s.Context()))
	}
}

// chronicle is every version of the pods and StatefulSets of a set in a member. Versions are those of the member's
// store, the same for all kinds, so that each state that the member ever was in can be told.
type chronicle struct {
	story       *story
	member, set string
	begin       uint64 // the version at which the chronicle was complete

	mu     sync.Mutex
	events []event
}

type event struct {
	at     uint64
	object client.Object
	gone   bool
}

// chronicle begins to write down what happens to a set in a member.
func (s *story) chronicle(member, set string) *chronicle {
	s.Helper()
	c := &chronicle{story: s, member: member, set: set}
	for _, kind := range []client.Object{&corev1.Pod{}, &appsv1.StatefulSet{}} {
		s.watch(member, kind, func(o client.Object, gone bool) {
			if o.GetLabels()[lwsv1.LabelName] != set {
				return
			}
			at, err := strconv.ParseUint(o.GetResourceVersion(), 10, 64)
			if err != nil {
				panic("resource version is not a number: " + o.GetResourceVersion())
			}
			c.mu.Lock()
			defer c.mu.Unlock()
			c.events = append(c.events, event{at, o, gone})
		})
	}
	for _, e := range c.events {
		c.begin = max(c.begin, e.at)
	}
	return c
}

// moment is a state that a member was in.
type moment struct {
	// groups are all that have a leader, one that is being deleted too, by ordinal.
	groups []world.Group
	// ready is how many of them are ready.
	ready int
}

// moments are the states of the member since the begin of the chronicle, in order, up to now.
func (c *chronicle) moments() []moment {
	c.story.Helper()
	c.catchUp()
	c.mu.Lock()
	defer c.mu.Unlock()
	slices.SortFunc(c.events, func(a, b event) int { return cmp.Compare(a.at, b.at) })
	var all []moment
	live := map[types.UID]client.Object{}
	for _, e := range c.events {
		if e.gone {
			delete(live, e.object.GetUID())
		} else {
			live[e.object.GetUID()] = e.object
		}
		if e.at > c.begin {
			all = append(all, momentOf(live))
		}
	}
	return all
}

// catchUp waits until the watches have told what the member has now.
func (c *chronicle) catchUp() {
	c.story.Helper()
	c.story.soon("the chronicle of "+c.member+" is complete", func(ctx context.Context) error {
		pods := &corev1.PodList{}
		err := fleet.Members[c.member].List(ctx, pods, client.InNamespace(c.story.namespace), client.MatchingLabels{lwsv1.LabelName: c.set})
		if err != nil {
			return err
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, pod := range pods.Items {
			if !slices.ContainsFunc(c.events, func(e event) bool {
				return e.object.GetUID() == pod.UID && e.object.GetResourceVersion() == pod.ResourceVersion
			}) {
				return fmt.Errorf("version %s of pod %s is missing", pod.ResourceVersion, pod.Name)
			}
		}
		return nil
	})
}

func momentOf(live map[types.UID]client.Object) moment {
	var m moment
	for _, o := range live {
		leader, ok := o.(*corev1.Pod)
		if !ok || leader.Labels[lwsv1.LabelWorkerIndex] != "0" {
			continue
		}
		g := world.Group{Leader: leader}
		g.Ordinal, _ = strconv.Atoi(leader.Labels[lwsv1.LabelGroupIndex])
		for _, o := range live {
			if workers, ok := o.(*appsv1.StatefulSet); ok && metav1.IsControlledBy(workers, leader) {
				g.StatefulSet = workers
			}
		}
		m.groups = append(m.groups, g)
		if countsAsReady(g) {
			m.ready++
		}
	}
	slices.SortFunc(m.groups, func(a, b world.Group) int { return cmp.Compare(a.Ordinal, b.Ordinal) })
	return m
}

// countsAsReady says whether LeaderWorkerSets count a group of more than one pod as ready: the leader is, and its
// StatefulSet says that all workers are.
func countsAsReady(g world.Group) bool {
	if g.Leader.DeletionTimestamp != nil || g.Leader.Status.Phase != corev1.PodRunning || !world.PodReady(g.Leader) {
		return false
	}
	workers := g.StatefulSet
	return workers != nil && workers.DeletionTimestamp == nil &&
		workers.Status.ObservedGeneration >= workers.Generation &&
		workers.Status.ReadyReplicas >= ptr.Deref(workers.Spec.Replicas, 1)
}

func (m moment) String() string {
	var all string
	for _, g := range m.groups {
		all += fmt.Sprintf("%d: %s ready=%t; ", g.Ordinal, revision.KeyOf(g.Leader), countsAsReady(g))
	}
	return all
}
