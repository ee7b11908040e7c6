package rollout

// PlanGroups decides the leader StatefulSet's replicas, partition and maxUnavailable. It is called at every
// reconcile and remembers nothing. The package documentation has the rules.
func PlanGroups(s Snapshot) Plan {
	st := newState(s)
	plan := Plan{Replicas: st.wanted, MaxUnavailable: max(1, st.u+st.s)}
	switch {
	case !s.Exists:
		plan.Reason = st.creating()
	case st.now < st.wanted:
		// The new groups are at or above p and come with the StatefulSet's template. Nothing else moves until
		// they are counted in a later snapshot, so no surge either.
		plan.Partition = st.scaleUpPartition(s.NewTemplate)
		plan.Reason = st.scaling()
	case s.NewTemplate:
		plan.Replicas = st.replicas(true)
		plan.Partition = st.walk(min(st.now, plan.Replicas), st.wanted, plan.Replicas).partition
		plan.Reason = st.starting(plan)
	default:
		st.step(&plan, s.Updating)
		plan.Replace = st.toReplace(s.Key, plan.Replicas)
	}
	return plan
}

// step plans an update under way, or a set at rest.
func (st *state) step(plan *Plan, updating bool) {
	plan.Replicas = st.replicas(updating)
	from := min(st.p, st.now, plan.Replicas)
	w := st.walk(from, st.floor, plan.Replicas)
	plan.Partition = w.partition
	settled := st.unfinished(0) == 0
	if !updating && settled {
		plan.Partition = st.floor0
	}
	plan.Done = plan.Partition == st.p && plan.Replicas == st.now && st.now == st.wanted && st.unfinished(st.floor) == 0
	plan.Reason = st.stepping(*plan, w)
}

// replicas is R and the surge to have: what the update needs, or what still stands in for wanted groups.
// Without grow it is never more than there is.
func (st *state) replicas(grow bool) int {
	need := st.wanted + st.surge(st.unfinished(st.floor))
	if need >= st.now {
		if grow && st.oldBelowPartition() {
			return need
		}
		return st.now
	}
	n := min(st.now, st.wanted+st.s)
	for n > need && st.mayReclaim(n) {
		n--
	}
	return n
}

// surge is the surge that k unfinished groups need. The last ones may go down within u, without surge.
func (st *state) surge(k int) int {
	if k > st.s {
		return st.s
	}
	return max(0, k-st.u)
}

// mayReclaim tells whether the highest of n groups, a surge group, can go. Groups below the floor are left
// out: the update does not touch them, and if they are broken it would keep the surge for ever.
func (st *state) mayReclaim(n int) bool {
	if !st.available(n-1, st.p) {
		return true
	}
	left := 0
	for o := st.floor; o < n-1; o++ {
		if st.available(o, st.p) {
			left++
		}
	}
	return left >= st.wanted-st.floor-st.u
}

// walked is how far the partition falls.
type walked struct {
	partition int
	spare     int // ready groups that may still go down; below 0 if too few are available
	blocked   bool
}

// walk lowers the partition from from, at most to floor, past groups that cost nothing and past as many ready
// old groups as the budget bears. n is the planned replicas.
func (st *state) walk(from, floor, n int) walked {
	w := walked{partition: from, spare: st.spare(from, n)}
	for w.partition > floor {
		g := st.groups[w.partition-1]
		if g.Ready && !g.Updated {
			if w.spare <= 0 {
				w.blocked = true
				return w
			}
			w.spare--
		}
		w.partition--
	}
	return w
}

// spare is how many ready groups may go down with partition p and n replicas.
func (st *state) spare(p, n int) int {
	available, broken := 0, 0
	for o := range n {
		switch g := st.groups[o]; {
		case st.available(o, p):
			available++
		case o < min(p, st.wanted) && g.Broken && !g.Ready && !g.Updated:
			broken++
		}
	}
	return available - (st.wanted - st.u - broken)
}

// toReplace lists the leaders of another key at or above the StatefulSet's partition, below n, highest first.
// It looks at the leader alone: a new leader may still wait for its workers.
func (st *state) toReplace(key string, n int) []int {
	if key == "" {
		return nil
	}
	var ordinals []int
	for o := min(n, st.now) - 1; o >= st.p; o-- {
		if g := st.groups[o]; g.Key != "" && g.Key != key {
			ordinals = append(ordinals, o)
		}
	}
	return ordinals
}
