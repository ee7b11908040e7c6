package rollout

// state is a snapshot brought into bounds, with its groups by ordinal.
type state struct {
	wanted, u, s int
	updating     bool
	now, p       int // the StatefulSet's replicas and partition
	rest         int // P within R, the partition at rest
	floor        int // the lowest partition of this update
	groups       map[int]Group
}

func newState(s Snapshot) *state {
	r := max(0, s.Replicas)
	st := &state{
		wanted:   r,
		updating: s.Updating || s.NewTemplate,
		u:        min(max(0, s.MaxUnavailable), r),
		s:        min(max(0, s.MaxSurge), r),
		now:      max(0, s.StatefulSetReplicas),
		p:        max(0, s.StatefulSetPartition),
		rest:     min(max(0, s.Partition), r),
		groups:   make(map[int]Group, len(s.Groups)),
	}
	if r > 0 && st.u == 0 && st.s == 0 {
		st.u = 1
	}
	st.floor = st.rest
	if !s.NewTemplate {
		// Groups at or above p are on their way already, whatever P says now.
		st.floor = min(st.floor, st.p)
	}
	if s.NewTemplate {
		// p belongs to the update before; what it doomed is spared by the write that starts the new one.
		st.p = st.now
	}
	for _, g := range s.Groups {
		st.groups[g.Ordinal] = g
	}
	return st
}

// available tells whether a group is ready and will not be replaced under partition p.
func (st *state) available(ordinal, p int) bool {
	g := st.groups[ordinal]
	return g.Ready && (g.Updated || ordinal < p)
}

// unfinished counts the wanted groups from ordinal from on that are not updated and ready.
func (st *state) unfinished(from int) int {
	k := 0
	for o := from; o < st.wanted; o++ {
		if g := st.groups[o]; !g.Updated || !g.Ready {
			k++
		}
	}
	return k
}

// scaleUpPartition keeps p at or below the first new group, so that it comes with the new template.
func (st *state) scaleUpPartition(newTemplate bool) int {
	if newTemplate {
		return st.now
	}
	return min(st.p, st.now)
}
