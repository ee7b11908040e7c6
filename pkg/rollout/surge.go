package rollout

// replicas is R and the surge to have: what the update needs, or what still stands in for wanted groups.
// It grows only for an update.
func (st *state) replicas() int {
	need := st.wanted + st.surge(st.unfinished(st.floor))
	if need >= st.now {
		if st.updating && st.oldBelowPartition() {
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

// oldBelowPartition tells whether the update has groups before it that it has not begun to replace. Only
// these need more surge.
func (st *state) oldBelowPartition() bool {
	for o := st.floor; o < min(st.p, st.wanted); o++ {
		if !st.groups[o].Updated {
			return true
		}
	}
	return false
}
