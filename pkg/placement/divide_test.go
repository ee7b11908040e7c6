package placement

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestDivide(t *testing.T) {
	const none = math.MaxInt32
	cases := map[string]struct {
		total  int32
		claims []Claim
		want   []Share
	}{
		"in proportion to the weights": {
			6, []Claim{{"a", 2, 0, none}, {"b", 1, 0, none}}, []Share{{4, ByWeight}, {2, ByWeight}},
		},
		"of equal weights the first name gets the odd group": {
			7, []Claim{{"b", 1, 0, none}, {"a", 1, 0, none}}, []Share{{3, ByWeight}, {4, ByWeight}},
		},
		"the greater weight gets the first group": {
			1, []Claim{{"a", 1, 0, none}, {"b", 2, 0, none}}, []Share{{0, ByWeight}, {1, ByWeight}},
		},
		"where largest remainder takes a group away": {
			11,
			[]Claim{{"a", 6, 0, none}, {"b", 6, 0, none}, {"c", 2, 0, none}},
			[]Share{{5, ByWeight}, {5, ByWeight}, {1, ByWeight}},
		},
		"max leaves the rest to the others": {
			9,
			[]Claim{{"a", 1, 0, 2}, {"b", 1, 0, none}, {"c", 1, 0, none}},
			[]Share{{2, ByMax}, {4, ByWeight}, {3, ByWeight}},
		},
		"min comes out of the others' shares": {
			9,
			[]Claim{{"a", 1, 5, none}, {"b", 1, 0, none}, {"c", 1, 0, none}},
			[]Share{{5, ByMin}, {2, ByWeight}, {2, ByWeight}},
		},
		"too few groups for every min": {
			4,
			[]Claim{{"a", 1, 4, none}, {"b", 9, 2, none}, {"c", 100, 0, none}},
			[]Share{{3, ByMin}, {1, ByMin}, {0, ByMin}},
		},
		"weight 0 gets min only": {
			9, []Claim{{"a", 0, 1, none}, {"b", 1, 0, none}}, []Share{{1, ByMin}, {8, ByWeight}},
		},
		"groups without room are over": {
			9, []Claim{{"a", 1, 0, 3}, {"b", 0, 2, none}}, []Share{{3, ByMax}, {2, ByMin}},
		},
		"min above max counts as max": {
			9, []Claim{{"a", 1, 5, 3}, {"b", 1, 0, none}}, []Share{{3, ByMin}, {6, ByWeight}},
		},
		"no groups":   {0, []Claim{{"a", 1, 0, none}}, []Share{{0, ByWeight}}},
		"no clusters": {3, nil, []Share{}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, Divide(c.total, c.claims)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// drawClaims draws claims whose bounds and weights are often equal, 0, or coprime.
func drawClaims(t *rapid.T) []Claim {
	n := rapid.IntRange(1, 7).Draw(t, "clusters")
	claims := make([]Claim, n)
	for i := range claims {
		lo := rapid.OneOf(rapid.Just[int32](0), rapid.Int32Range(0, 12)).Draw(t, "min")
		hi := rapid.OneOf(rapid.Just[int32](math.MaxInt32), rapid.Int32Range(0, 40)).Draw(t, "max")
		weight := rapid.OneOf(rapid.Int32Range(0, 6), rapid.Int32Range(0, 1000000)).Draw(t, "weight")
		claims[i] = Claim{Name: fmt.Sprintf("c%d", i), Weight: weight, Min: lo, Max: hi}
	}
	return claims
}

func groups(shares []Share) []int32 {
	out := make([]int32, len(shares))
	for i, s := range shares {
		out[i] = s.Groups
	}
	return out
}

func TestDivideStaysWithinQuotaAndNeverTakesAway(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		claims := drawClaims(t)
		upTo := rapid.Int32Range(1, 120).Draw(t, "groups")
		before := make([]int32, len(claims))
		for h := int32(0); h <= upTo; h++ {
			got := groups(Divide(h, claims))
			fair := exactShares(h, claims)
			var sum, room int64
			for i, c := range claims {
				sum += int64(got[i])
				room += int64(capacity(c))
				if got[i] < before[i] {
					t.Fatalf("%d groups: %s fell from %d to %d", h, c.Name, before[i], got[i])
				}
				if got[i] > max(c.Max, 0) {
					t.Fatalf("%d groups: %s has %d, max is %d", h, c.Name, got[i], c.Max)
				}
				low, high := floorOf(fair[i]), ceilOf(fair[i])
				if int64(got[i]) < low || int64(got[i]) > high {
					t.Fatalf("%d groups: %s has %d, exact share is %s", h, c.Name, got[i], fair[i].RatString())
				}
			}
			if want := min(int64(h), room); sum != want {
				t.Fatalf("%d groups: %d were given, want %d", h, sum, want)
			}
			before = got
		}
	})
}

func TestDivideGivesMinFirst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		claims := drawClaims(t)
		h := rapid.Int32Range(0, 120).Draw(t, "groups")
		got := groups(Divide(h, claims))
		var mins int32
		for _, c := range claims {
			mins += min(c.Min, c.Max)
		}
		for i, c := range claims {
			m := min(c.Min, c.Max)
			if h >= mins && got[i] < m {
				t.Fatalf("%s has %d of %d groups, min %d was possible", c.Name, got[i], h, m)
			}
			if h < mins && got[i] > m {
				t.Fatalf("%s has %d of %d groups, above min %d while others lack theirs", c.Name, got[i], h, m)
			}
		}
	})
}

func TestDivideDoesNotDependOnTheOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		claims := drawClaims(t)
		h := rapid.Int32Range(0, 300).Draw(t, "groups")
		byName := func(claims []Claim) map[string]Share {
			out := map[string]Share{}
			for i, s := range Divide(h, claims) {
				out[claims[i].Name] = s
			}
			return out
		}
		want := byName(claims)
		given := slices.Clone(claims)
		got := byName(rapid.Permutation(claims).Draw(t, "order"))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("-ordered +shuffled\n%s", diff)
		}
		if diff := cmp.Diff(given, claims); diff != "" {
			t.Fatalf("the claims were changed: -before +after\n%s", diff)
		}
	})
}

// TestDivideFromAWholePoint compares the work that starts at the last whole point with the work that starts
// at the sum of all min.
func TestDivideFromAWholePoint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		claims := drawClaims(t)
		normal := make([]claim, len(claims))
		given := make([]int64, len(claims))
		var mins, room int64
		for i, c := range claims {
			normal[i] = normalize(c)
			given[i] = normal[i].min
			mins += normal[i].min
			room += normal[i].max
		}
		h := min(mins+rapid.Int64Range(0, 400).Draw(t, "groups"), room)
		f := newFair(normal)
		handOut(h, given, func(i int, k int64) (job, bool) {
			c := normal[i]
			return job{release: f.floor(k-1, max(c.weight, 1)) + 1, deadline: f.ceil(k, max(c.weight, 1)), weight: c.weight}, k <= c.max
		})
		want := make([]int32, len(given))
		for i, g := range given {
			want[i] = int32(g)
		}
		if diff := cmp.Diff(want, groups(divide(h, normal))); diff != "" {
			t.Fatalf("-from the start +from a whole point\n%s", diff)
		}
	})
}

func TestDivideIsFastForTheGreatestSets(t *testing.T) {
	claims := make([]Claim, 1024)
	for i := range claims {
		claims[i] = Claim{Name: fmt.Sprintf("c%04d", i), Weight: int32(1000000 - 7*i*i%999983 + i%3), Max: math.MaxInt32}
	}
	start := time.Now()
	var sum int64
	for _, s := range Divide(1000000, claims) {
		sum += int64(s.Groups)
	}
	if sum != 1000000 {
		t.Errorf("%d groups were given", sum)
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("took %s", took)
	}
}

func BenchmarkDivide(b *testing.B) {
	for _, total := range []int32{1000, 1000000} {
		for _, weights := range []string{"small", "coprime"} {
			claims := make([]Claim, 1024)
			for i := range claims {
				w := int32(1 + i%5)
				if weights == "coprime" {
					w = int32(1000000 - i)
				}
				claims[i] = Claim{Name: fmt.Sprintf("c%04d", i), Weight: w, Max: math.MaxInt32}
			}
			b.Run(fmt.Sprintf("groups=%d/weights=%s", total, weights), func(b *testing.B) {
				for b.Loop() {
					Divide(total, claims)
				}
			})
		}
	}
}

func capacity(c Claim) int32 {
	if c.Weight == 0 {
		return min(c.Min, c.Max)
	}
	return c.Max
}

// exactShares finds the fair shares by growing the level from one bound to the next, in exact fractions.
func exactShares(h int32, claims []Claim) []*big.Rat {
	out := make([]*big.Rat, len(claims))
	sum := new(big.Rat)
	for i, c := range claims {
		out[i] = new(big.Rat).SetInt64(int64(min(c.Min, c.Max)))
		sum.Add(sum, out[i])
	}
	left := new(big.Rat).Sub(new(big.Rat).SetInt64(int64(h)), sum)
	if left.Sign() < 0 {
		for i := range out {
			out[i].Mul(out[i], new(big.Rat).Quo(new(big.Rat).SetInt64(int64(h)), sum))
		}
		return out
	}
	level := new(big.Rat)
	for left.Sign() > 0 {
		next, growing := nextLevel(level, claims)
		if next == nil {
			return out
		}
		step := new(big.Rat).Sub(next, level)
		if need := new(big.Rat).Mul(step, new(big.Rat).SetInt64(growing)); growing > 0 && need.Cmp(left) > 0 {
			step.Quo(left, new(big.Rat).SetInt64(growing))
		}
		for i, c := range claims {
			if grows(level, c) {
				add := new(big.Rat).Mul(step, new(big.Rat).SetInt64(int64(c.Weight)))
				out[i].Add(out[i], add)
				left.Sub(left, add)
			}
		}
		level = new(big.Rat).Add(level, step)
	}
	return out
}

func grows(level *big.Rat, c Claim) bool {
	lo, hi := levels(c)
	return c.Weight > 0 && c.Max > c.Min && level.Cmp(lo) >= 0 && level.Cmp(hi) < 0
}

func levels(c Claim) (*big.Rat, *big.Rat) {
	w := int64(max(c.Weight, 1))
	return big.NewRat(int64(c.Min), w), big.NewRat(int64(c.Max), w)
}

func nextLevel(level *big.Rat, claims []Claim) (next *big.Rat, growing int64) {
	for _, c := range claims {
		if grows(level, c) {
			growing += int64(c.Weight)
		}
		if c.Weight == 0 || c.Max <= c.Min {
			continue
		}
		lo, hi := levels(c)
		for _, l := range []*big.Rat{lo, hi} {
			if l.Cmp(level) > 0 && (next == nil || l.Cmp(next) < 0) {
				next = l
			}
		}
	}
	return next, growing
}

func floorOf(r *big.Rat) int64 { return new(big.Int).Div(r.Num(), r.Denom()).Int64() }

func ceilOf(r *big.Rat) int64 {
	f := floorOf(r)
	if r.IsInt() {
		return f
	}
	return f + 1
}
