package rollout

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
