package placement

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// fair knows the exact fair shares above the sum of all min. As the level rises, a claim grows from
// level min/weight to level max/weight. Between two such levels the sum of the shares is a straight line.
type fair struct {
	claims   []claim
	segments []segment
}

// segment starts at a level and says that all shares together are held + growing × level from there on.
type segment struct {
	from    ratio
	held    int64 // groups of claims that do not grow here
	growing int64 // weights of claims that grow here
}

// ratio is num/den, den > 0.
type ratio struct{ num, den int64 }

func (a ratio) compare(b ratio) int { return cmp.Compare(a.num*b.den, b.num*a.den) }

func newFair(claims []claim) fair {
	type turn struct {
		at    ratio
		claim claim
		stops bool
	}
	var turns []turn
	start := segment{from: ratio{0, 1}}
	for _, c := range claims {
		start.held += c.min
		if c.max > c.min {
			turns = append(turns, turn{ratio{c.min, c.weight}, c, false}, turn{ratio{c.max, c.weight}, c, true})
		}
	}
	slices.SortFunc(turns, func(a, b turn) int { return a.at.compare(b.at) })
	f := fair{claims: claims, segments: []segment{start}}
	now := start
	for _, t := range turns {
		if t.stops {
			now.held += t.claim.max
			now.growing -= t.claim.weight
		} else {
			now.held -= t.claim.min
			now.growing += t.claim.weight
		}
		if last := &f.segments[len(f.segments)-1]; last.from.compare(t.at) == 0 {
			last.held, last.growing = now.held, now.growing
			continue
		}
		now.from = t.at
		f.segments = append(f.segments, now)
	}
	return f
}

// at returns the segment of a level.
func (f fair) at(level ratio) segment {
	i, found := slices.BinarySearchFunc(f.segments, level, func(s segment, l ratio) int { return s.from.compare(l) })
	if !found {
		i--
	}
	return f.segments[i]
}

// floor returns the sum of all shares at level groups/weight, rounded down.
func (f fair) floor(groups, weight int64) int64 {
	s := f.at(ratio{groups, weight})
	return s.held + mulDiv(s.growing, groups, weight)
}

// ceil returns the sum of all shares at level groups/weight, rounded up.
func (f fair) ceil(groups, weight int64) int64 {
	s := f.at(ratio{groups, weight})
	return s.held + mulDivUp(s.growing, groups, weight)
}

// wholeAtOrBefore returns the shares at the last point at or before total where all are whole numbers.
func (f fair) wholeAtOrBefore(total int64) []int64 {
	end := total
	for i := len(f.segments) - 1; i >= 0; i-- {
		s := f.segments[i]
		if start := s.held + mulDivUp(s.growing, s.from.num, s.from.den); start <= end {
			if shares, ok := f.wholeIn(s, start, end); ok {
				return shares
			}
		}
		end = min(end, s.held+mulDiv(s.growing, s.from.num, s.from.den))
	}
	shares := make([]int64, len(f.claims))
	for i, c := range f.claims {
		shares[i] = c.min
	}
	return shares
}

// wholeIn looks for the last sum of s between start and end at which all shares are whole numbers.
func (f fair) wholeIn(s segment, start, end int64) ([]int64, bool) {
	var divisor int64
	for _, c := range f.claims {
		if f.grows(c, s) {
			divisor = gcd(divisor, c.weight)
		}
	}
	var rounds, period int64
	if divisor > 0 {
		period = s.growing / divisor
		rounds = (end - s.held) / period
	}
	if s.held+rounds*period < start {
		return nil, false
	}
	shares := make([]int64, len(f.claims))
	for i, c := range f.claims {
		switch {
		case f.grows(c, s):
			shares[i] = rounds * (c.weight / divisor)
		case c.max > c.min && s.from.compare(ratio{c.max, c.weight}) >= 0:
			shares[i] = c.max
		default:
			shares[i] = c.min
		}
	}
	return shares, true
}

// grows says whether c grows in s.
func (f fair) grows(c claim, s segment) bool {
	return c.max > c.min && s.from.compare(ratio{c.min, c.weight}) >= 0 && s.from.compare(ratio{c.max, c.weight}) < 0
}

// shares says for each claim what held it when total groups were handed out.
func (f fair) shares(total int64, given []int64) []Share {
	s := f.segments[0]
	for _, next := range f.segments[1:] {
		if next.held+mulDivUp(next.growing, next.from.num, next.from.den) > total {
			break
		}
		s = next
	}
	out := make([]Share, len(given))
	for i, c := range f.claims {
		out[i] = Share{Groups: int32(given[i]), Bound: ByWeight}
		switch {
		case c.max > c.min && f.grows(c, s):
		case c.max > c.min && s.from.compare(ratio{c.max, c.weight}) >= 0:
			out[i].Bound = ByMax
		default:
			out[i].Bound = ByMin
		}
	}
	return out
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// mulDiv returns a×b/c rounded down, math.MaxInt64/2 if it is greater. None is negative.
func mulDiv(a, b, c int64) int64 {
	q, _ := mulDivRem(a, b, c)
	return q
}

// mulDivUp is mulDiv rounded up.
func mulDivUp(a, b, c int64) int64 {
	q, rem := mulDivRem(a, b, c)
	if rem > 0 {
		q++
	}
	return q
}

func mulDivRem(a, b, c int64) (int64, uint64) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi >= uint64(c) {
		return math.MaxInt64 / 2, 0
	}
	q, rem := bits.Div64(hi, lo, uint64(c))
	return int64(min(q, math.MaxInt64/2)), rem
}
