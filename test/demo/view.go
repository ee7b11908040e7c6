package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/api/v1alpha1"
	"github.com/lwsfed/lwsfed/pkg/revision"
	"github.com/lwsfed/lwsfed/test/invariant"
	"github.com/lwsfed/lwsfed/test/world"
)

// lookTimeout bounds one look at the whole fleet.
const lookTimeout = 5 * time.Second

// view is what the fleet looks like at one moment.
type view struct {
	steps    []progress
	clusters []cluster
	groups   []group
	// desired, ready and updated are the Placement's.
	desired, ready, updated int32
	revision                string
	// watched counts the groups that ever were, broken tells where workers were of another revision than their leader.
	watched int
	broken  []string
	// trouble is why the fleet could not be seen.
	trouble string
}

// cluster is the hub or a member.
type cluster struct{ name, kubeconfig string }

// group is one group in a member.
type group struct {
	cluster, name, image, revision string
	leaderReady                    bool
	workers                        []worker
	size                           int
}

type worker struct {
	revision string
	ready    bool
}

func (g group) ready() bool { return g.leaderReady && g.workersReady() == g.size-1 }

func (g group) workersReady() int {
	n := 0
	for _, w := range g.workers {
		if w.ready {
			n++
		}
	}
	return n
}

// observer looks at a fleet.
type observer struct {
	world    *world.World
	clusters []cluster
	journals []*invariant.Journal
}

func newObserver(ctx context.Context, w *world.World) (*observer, error) {
	o := &observer{world: w}
	o.clusters = append(o.clusters, cluster{w.Fleet.Hub().Name(), w.Fleet.Hub().Kubeconfig()})
	for _, m := range w.Fleet.Members() {
		o.clusters = append(o.clusters, cluster{m.Name(), m.Kubeconfig()})
		journal := invariant.NewJournal()
		if err := invariant.Watch(ctx, m.RESTConfig(), journal); err != nil {
			return nil, fmt.Errorf("watch %s: %w", m.Name(), err)
		}
		o.journals = append(o.journals, journal)
	}
	return o, nil
}

// look reads the clusters. With an error, what could be read is in the view.
func (o *observer) look(ctx context.Context) (view, error) {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	v := view{clusters: o.clusters}
	for _, journal := range o.journals {
		broken, watched := journal.Violations(set.Namespace)
		v.broken = append(v.broken, broken...)
		v.watched += watched
	}
	p := &v1alpha1.Placement{}
	if err := o.world.Hub.Get(ctx, set, p); client.IgnoreNotFound(err) != nil {
		return v, fmt.Errorf("hub: %w", err)
	}
	v.desired, v.ready, v.updated, v.revision = p.Status.Desired, p.Status.Ready, p.Status.Updated, p.Status.Revision
	for _, m := range o.world.Fleet.Members() {
		groups, err := world.Groups(ctx, o.world.Members[m.Name()], set)
		if err != nil {
			return v, fmt.Errorf("%s: %w", m.Name(), err)
		}
		for _, g := range groups {
			v.groups = append(v.groups, groupOf(m.Name(), g))
		}
	}
	return v, nil
}

func groupOf(cluster string, g world.Group) group {
	made := group{
		cluster: cluster, name: g.Leader.Name, revision: g.Key(), size: 1,
		image: g.Leader.Spec.Containers[0].Image, leaderReady: world.PodReady(g.Leader),
	}
	if size, err := strconv.Atoi(g.Leader.Annotations[lwsv1.AnnotationSize]); err == nil {
		made.size = size
	}
	for _, pod := range g.Workers {
		made.workers = append(made.workers, workerOf(pod))
	}
	return made
}

func workerOf(pod *corev1.Pod) worker {
	return worker{revision: revision.KeyOf(pod), ready: world.PodReady(pod)}
}
