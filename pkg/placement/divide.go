package placement

import (
	"cmp"
	"container/heap"
	"math"
	"slices"
)

// Claim is one cluster's claim on the groups of a set.
type Claim struct {
	// Name is unique among the claims and breaks ties.
	Name string
	// Weight is the part of the whole; 0 claims Min groups only. At most 1,000,000.
	Weight int32
	// Min is how many groups come first. More than Max counts as Max.
	Min int32
	// Max is the most groups, math.MaxInt32 for no bound.
	Max int32
}

// Bound says what held a share.
type Bound int

const (
	// ByWeight is a share in proportion to the weight.
	ByWeight Bound = iota
	// ByMin is a share that is Min because the weight asks for no more, or a part of Min.
	ByMin
	// ByMax is a share that is Max because the weight asks for more.
	ByMax
)

// Share is what one claim got.
type Share struct {
	Groups int32
	Bound  Bound
}

// Divide hands out total groups and returns the share of each claim, in the order of claims. Groups above
// the room of all claims are handed to nobody. See the package comment for what holds.
func Divide(total int32, claims []Claim) []Share {
	order := make([]int, len(claims))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(claims[a].Name, claims[b].Name) })
	sorted := make([]claim, len(claims))
	for rank, i := range order {
		sorted[rank] = normalize(claims[i])
	}
	shares := divide(int64(max(total, 0)), sorted)
	out := make([]Share, len(claims))
	for rank, i := range order {
		out[i] = shares[rank]
	}
	return out
}

// claim is a Claim with min ≤ max. A weight of 0 gives max = min.
type claim struct{ weight, min, max int64 }

func normalize(c Claim) claim {
	n := claim{weight: int64(max(c.Weight, 0)), max: int64(max(c.Max, 0))}
	n.min = min(int64(max(c.Min, 0)), n.max)
	if n.weight == 0 {
		n.max = n.min
	}
	return n
}

func divide(total int64, claims []claim) []Share {
	var mins, room int64
	for _, c := range claims {
		mins += c.min
		room += c.max
	}
	if total < mins {
		return divideMins(total, claims)
	}
	total = min(total, room)
	f := newFair(claims)
	given := f.wholeAtOrBefore(total)
	handOut(total, given, func(i int, k int64) (job, bool) {
		c := claims[i]
		if k > c.max {
			return job{}, false
		}
		return job{
			release:  f.floor(k-1, c.weight) + 1,
			deadline: f.ceil(k, c.weight),
			weight:   c.weight,
		}, true
	})
	return f.shares(total, given)
}

// divideMins hands out fewer groups than all min together, in proportion to min.
func divideMins(total int64, claims []claim) []Share {
	weights := make([]claim, len(claims))
	for i, c := range claims {
		weights[i] = claim{weight: c.min, max: c.min}
	}
	var sum int64
	for _, c := range weights {
		sum += c.weight
	}
	given := make([]int64, len(claims))
	handOut(total, given, func(i int, k int64) (job, bool) {
		m := claims[i].min
		if k > m {
			return job{}, false
		}
		return job{release: mulDiv(sum, k-1, m) + 1, deadline: mulDivUp(sum, k, m), weight: m}, true
	})
	out := make([]Share, len(claims))
	for i, n := range given {
		out[i] = Share{Groups: int32(n), Bound: ByMin}
	}
	return out
}

// job is the next group of a claim: it may be the release-th group that is handed out or a later one, and
// the deadline-th at the latest.
type job struct {
	claim             int
	release, deadline int64
	weight            int64
}

// handOut adds to given until it sums up to total. next returns the k-th group of claim i, or false if
// there is none.
func handOut(total int64, given []int64, next func(i int, k int64) (job, bool)) {
	ready := &queue{less: sooner}
	later := &queue{less: func(a, b job) bool { return a.release < b.release }}
	var n int64
	for i, g := range given {
		n += g
		if j, ok := next(i, g+1); ok {
			j.claim = i
			later.jobs = append(later.jobs, j)
		}
	}
	heap.Init(later)
	for n++; n <= total; n++ {
		for len(later.jobs) > 0 && later.jobs[0].release <= n {
			heap.Push(ready, heap.Pop(later))
		}
		if len(ready.jobs) == 0 {
			return
		}
		i := ready.jobs[0].claim
		given[i]++
		j, ok := next(i, given[i]+1)
		switch {
		case !ok:
			heap.Pop(ready)
		case j.release <= n+1:
			j.claim = i
			ready.jobs[0] = j
			heap.Fix(ready, 0)
		default:
			j.claim = i
			heap.Pop(ready)
			heap.Push(later, j)
		}
	}
}

// sooner orders by deadline, then the greater weight, then the name (claims are sorted by name).
func sooner(a, b job) bool {
	return cmp.Or(
		cmp.Compare(a.deadline, b.deadline),
		cmp.Compare(b.weight, a.weight),
		cmp.Compare(a.claim, b.claim),
	) < 0
}

type queue struct {
	jobs []job
	less func(a, b job) bool
}

func (q *queue) Len() int           { return len(q.jobs) }
func (q *queue) Less(i, j int) bool { return q.less(q.jobs[i], q.jobs[j]) }
func (q *queue) Swap(i, j int)      { q.jobs[i], q.jobs[j] = q.jobs[j], q.jobs[i] }
func (q *queue) Push(x any)         { q.jobs = append(q.jobs, x.(job)) }
func (q *queue) Pop() any {
	last := q.jobs[len(q.jobs)-1]
	q.jobs = q.jobs[:len(q.jobs)-1]
	return last
}

const unbounded = math.MaxInt32
