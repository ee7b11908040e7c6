package rollout

import "fmt"

func (st *state) creating() string {
	return fmt.Sprintf("creating %s", count(st.wanted))
}

func (st *state) scaling() string {
	return fmt.Sprintf("scaling up from %d to %s before anything else", st.now, count(st.wanted))
}

func (st *state) starting(p Plan) string {
	if p.Replicas > st.wanted {
		return fmt.Sprintf("starting the update of %s with %d surge", count(st.wanted), p.Replicas-st.wanted)
	}
	return fmt.Sprintf("starting the update of %s", count(st.wanted))
}

func (st *state) stepping(p Plan, w walked) string {
	down, bound := st.down(p)
	top := min(st.p, st.now, p.Replicas)
	switch {
	case p.Done && st.floor > 0 && st.unfinished(0) > 0:
		return fmt.Sprintf("updated down to partition %d of %s", st.floor, count(st.wanted))
	case p.Done:
		return fmt.Sprintf("%s updated and ready", count(st.wanted))
	case p.Replicas < st.now && st.now > st.wanted+st.s:
		return fmt.Sprintf("scaling down from %d to %s", st.now, count(p.Replicas))
	case p.Replicas < st.now:
		return fmt.Sprintf("removing %d surge, %d left", st.now-p.Replicas, p.Replicas-st.wanted)
	case p.Replicas > st.now:
		return fmt.Sprintf("adding %d surge for the update of %s", p.Replicas-st.now, count(st.wanted))
	case p.Partition < top:
		return fmt.Sprintf("updating %s of %d: %d of %d unavailable", span(p.Partition, top), st.wanted, down, bound)
	case p.Partition != st.p:
		return fmt.Sprintf("setting partition %d", p.Partition)
	case w.blocked:
		return fmt.Sprintf("waiting to update group %d of %d: %d of %d unavailable", w.partition-1, st.wanted, down, bound)
	}
	state := "ready"
	if st.updating {
		state = "updated and ready"
	}
	return fmt.Sprintf("waiting for %d of %s to be %s", st.unfinished(st.floor), count(st.wanted), state)
}

// down counts the wanted groups that the plan has unavailable, and how many may be: u and what surge is ready.
func (st *state) down(p Plan) (down, bound int) {
	bound = st.u
	for o := range p.Replicas {
		switch ok := st.available(o, p.Partition); {
		case !ok && o < st.wanted:
			down++
		case ok && o >= st.wanted:
			bound++
		}
	}
	return down, bound
}

func count(n int) string {
	if n == 1 {
		return "1 group"
	}
	return fmt.Sprintf("%d groups", n)
}

// span names the groups from ordinal from to below to.
func span(from, to int) string {
	if to-from == 1 {
		return fmt.Sprintf("group %d", from)
	}
	return fmt.Sprintf("groups %d to %d", from, to-1)
}
