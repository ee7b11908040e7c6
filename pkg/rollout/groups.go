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
		plan.Replicas = st.replicas()
		plan.Partition = st.walk(min(st.now, plan.Replicas), st.wanted, plan.Replicas).partition
		plan.Reason = st.starting(plan)
	default:
		st.step(&plan)
		plan.Replace = st.toReplace(s.Key, plan.Replicas)
	}
	return plan
}

// step plans an update under way, or a set at rest.
func (st *state) step(plan *Plan) {
	plan.Replicas = st.replicas()
	from, floor := min(st.p, st.now, plan.Replicas), st.floor
	if plan.Replicas < st.now {
		// Groups go first; what may then be updated is decided on the groups that are left.
		floor = from
	}
	w := st.walk(from, floor, plan.Replicas)
	plan.Partition = w.partition
	settled := st.unfinished(0) == 0
	if !st.updating && settled {
		plan.Partition = st.rest
	}
	plan.Done = plan.Partition == st.p && plan.Replicas == st.now && st.now == st.wanted && st.unfinished(st.floor) == 0
	plan.Reason = st.stepping(*plan, w)
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
