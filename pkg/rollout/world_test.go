package rollout

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// world simulates one set in one cluster: the StatefulSet controller, the leaders, their workers, and a
// reconciler that does what PlanGroups says. Templates are numbered; a higher one is newer.
type world struct {
	r, u, s, partition int // the user's spec
	target             int // the user's template

	exists          bool
	n, p, maxDown   int // the StatefulSet's replicas, partition, maxUnavailable
	current, update int // the StatefulSet's revisions

	parallel bool // feature gate MaxUnavailableStatefulSet
	replace  bool // the reconciler honours Plan.Replace
	patience bool // the reconciler tells which groups are Broken
	slow     int  // steps a leader takes to get ready; workers take one more

	brokenLeader, brokenWorkers map[int]map[int]bool // by template, then ordinal: never ready
	pods                        map[int]*leader
}

// leader is a leader pod and its group.
type leader struct {
	template    int
	age         int // steps lived
	terminating bool
}

func newWorld(r, u, s, partition int) *world {
	return &world{
		r: r, u: u, s: s, partition: partition, target: 1, slow: 1, replace: true,
		brokenLeader: map[int]map[int]bool{}, brokenWorkers: map[int]map[int]bool{}, pods: map[int]*leader{},
	}
}

// breakGroup makes an ordinal never ready with a template.
func (w *world) breakGroup(where map[int]map[int]bool, template, ordinal int) {
	if where[template] == nil {
		where[template] = map[int]bool{}
	}
	where[template][ordinal] = true
}

func (w *world) leaderReady(o int) bool {
	l := w.pods[o]
	return l != nil && !l.terminating && l.age >= w.slow && !w.brokenLeader[l.template][o]
}

func (w *world) ready(o int) bool {
	return w.leaderReady(o) && w.pods[o].age > w.slow && !w.brokenWorkers[w.pods[o].template][o]
}

// updated needs workers of the target too, which appear one step after the leader.
func (w *world) updated(o int) bool {
	l := w.pods[o]
	return l != nil && l.template == w.target && l.age > 0
}

func (w *world) broken(o int) bool {
	l := w.pods[o]
	return l != nil && (w.brokenLeader[l.template][o] || w.brokenWorkers[l.template][o])
}

func (w *world) readyGroups() int {
	k := 0
	for o := range w.pods {
		if w.ready(o) {
			k++
		}
	}
	return k
}

func (w *world) ordinals() []int { return slices.Sorted(maps.Keys(w.pods)) }

func (w *world) snapshot() Snapshot {
	s := Snapshot{
		Replicas: w.r, MaxUnavailable: w.u, MaxSurge: w.s, Partition: w.partition, Exists: w.exists,
		StatefulSetReplicas: w.n, StatefulSetPartition: w.p, Key: fmt.Sprint(w.target),
		NewTemplate: w.exists && w.update != w.target,
	}
	s.Updating = s.NewTemplate
	for _, o := range w.ordinals() {
		g := Group{Ordinal: o, Updated: w.updated(o), Ready: w.ready(o), Key: fmt.Sprint(w.pods[o].template)}
		g.Broken = w.patience && w.broken(o)
		s.Groups = append(s.Groups, g)
		s.Updating = s.Updating || w.pods[o].template != w.target
	}
	return s
}

// apply writes a plan.
func (w *world) apply(plan Plan) {
	if !w.exists {
		w.exists, w.current = true, w.target
	}
	w.update = w.target
	w.n, w.p, w.maxDown = plan.Replicas, plan.Partition, plan.MaxUnavailable
	if w.replace {
		for _, o := range plan.Replace {
			w.remove(o)
		}
	}
}

// remove begins the deletion of a leader.
func (w *world) remove(o int) {
	if l := w.pods[o]; l != nil {
		l.terminating = true
	}
}

// kubelet lets one leader and its workers live for a step.
func (w *world) kubelet(o int) {
	switch l := w.pods[o]; {
	case l == nil:
	case l.terminating:
		delete(w.pods, o)
	default:
		l.age++
	}
}

// statefulSet is one sync of the StatefulSet controller with Parallel pod management, as in Kubernetes 1.36.
func (w *world) statefulSet() {
	if !w.exists {
		return
	}
	for o := range w.n {
		if w.pods[o] == nil {
			template := w.update
			if o < w.p {
				template = w.current
			}
			w.pods[o] = &leader{template: template}
		}
	}
	down, atUpdate := 0, 0
	for _, o := range w.ordinals() {
		switch {
		case o >= w.n:
			w.remove(o)
		case !w.leaderReady(o):
			down++
		case w.pods[o].template == w.update:
			atUpdate++
		}
	}
	limit := 1
	if w.parallel {
		limit = w.maxDown
	}
	for o := w.n - 1; o >= w.p && down < limit; o-- {
		if l := w.pods[o]; l.template != w.update && !l.terminating {
			w.remove(o)
			down++
		}
	}
	if atUpdate == w.n && len(w.pods) == w.n {
		w.current = w.update
	}
}

// String shows the groups in one line: template, and "!" if not ready, "-" if absent, "x" if terminating.
func (w *world) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "n=%d p=%d |", w.n, w.p)
	top := w.n
	if o := w.ordinals(); len(o) > 0 {
		top = max(top, o[len(o)-1]+1)
	}
	for o := range top {
		if o == w.r {
			b.WriteString(" +")
		}
		switch l := w.pods[o]; {
		case l == nil:
			b.WriteString(" -")
		case l.terminating:
			fmt.Fprintf(&b, " %dx", l.template)
		case !w.ready(o):
			fmt.Fprintf(&b, " %d!", l.template)
		default:
			fmt.Fprintf(&b, " %d", l.template)
		}
	}
	return b.String()
}
