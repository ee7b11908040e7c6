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
	unready := st.unready()
	switch {
	case p.Done && st.floor > 0 && st.unfinished(0) > 0:
		return fmt.Sprintf("updated down to partition %d of %s", st.floor, count(st.wanted))
	case p.Done:
		return fmt.Sprintf("%s updated and ready", count(st.wanted))
	case p.Partition < min(st.p, st.now) && st.now <= st.wanted+st.s:
		return fmt.Sprintf("updating %s of %d: %d of %d unavailable", span(p.Partition, min(st.p, st.now)), st.wanted, st.u-w.spare, st.u)
	case p.Replicas > st.now:
		return fmt.Sprintf("adding %d surge for the update of %s", p.Replicas-st.now, count(st.wanted))
	case p.Replicas < st.now && st.now > st.wanted+st.s:
		return fmt.Sprintf("scaling down from %d to %s", st.now, count(p.Replicas))
	case p.Replicas < st.now:
		return fmt.Sprintf("removing %d surge, %d left", st.now-p.Replicas, p.Replicas-st.wanted)
	case p.Partition != st.p:
		return fmt.Sprintf("setting partition %d", p.Partition)
	case w.blocked:
		return fmt.Sprintf("waiting before group %d of %d: %d unready, %d may be unavailable", w.partition-1, st.wanted, unready, st.u)
	}
	return fmt.Sprintf("waiting for %d of %s to become ready", unready, count(st.wanted))
}

func (st *state) unready() int {
	k := 0
	for o := range st.wanted {
		if !st.available(o, st.p) {
			k++
		}
	}
	return k
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
