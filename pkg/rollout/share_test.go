package rollout

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/intstr"
	"pgregory.net/rapid"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/api/v1alpha1"
)

func configuration(partition int32, maxUnavailable, maxSurge intstr.IntOrString) lwsv1.RollingUpdateConfiguration {
	return lwsv1.RollingUpdateConfiguration{Partition: &partition, MaxUnavailable: maxUnavailable, MaxSurge: maxSurge}
}

func TestShare(t *testing.T) {
	n, pct := intstr.FromInt32, intstr.FromString
	type result struct{ Partition, MaxUnavailable, MaxSurge int32 }
	for name, c := range map[string]struct {
		cfg    lwsv1.RollingUpdateConfiguration
		kind   v1alpha1.ReplicaSchedulingType
		total  int32
		shares []int32
		want   []result
	}{
		"a percentage is of the own share and never leaves a cluster without budget": {
			configuration(0, pct("25%"), n(0)), v1alpha1.Divided, 11,
			[]int32{8, 3, 0},
			[]result{{0, 2, 0}, {0, 1, 0}, {0, 0, 0}},
		},
		"numbers stop at the share": {
			configuration(0, n(3), n(5)), v1alpha1.Divided, 6,
			[]int32{4, 2},
			[]result{{0, 3, 4}, {0, 2, 2}},
		},
		"surge alone stays legal": {
			configuration(0, n(0), n(1)), v1alpha1.Divided, 4,
			[]int32{3, 1},
			[]result{{0, 0, 1}, {0, 0, 1}},
		},
		"a divided partition goes by largest remainder": {
			configuration(5, n(1), n(0)), v1alpha1.Divided, 10,
			[]int32{5, 3, 2},
			[]result{{3, 1, 0}, {1, 1, 0}, {1, 1, 0}},
		},
		"of equal shares the earlier keeps more": {
			configuration(1, n(1), n(0)), v1alpha1.Divided, 4,
			[]int32{2, 2},
			[]result{{1, 1, 0}, {0, 1, 0}},
		},
		"a divided partition above the total keeps everything": {
			configuration(99, n(1), n(0)), v1alpha1.Divided, 5,
			[]int32{3, 2},
			[]result{{3, 1, 0}, {2, 1, 0}},
		},
		"a duplicated partition holds in every cluster": {
			configuration(3, n(1), n(0)), v1alpha1.Duplicated, 4,
			[]int32{4, 4, 2},
			[]result{{3, 1, 0}, {3, 1, 0}, {2, 1, 0}},
		},
		"an empty configuration is one unavailable": {
			lwsv1.RollingUpdateConfiguration{},
			v1alpha1.Divided, 3,
			[]int32{3},
			[]result{{0, 1, 0}},
		},
		"what cannot be read is the default": {
			configuration(0, pct("many"), n(2)), v1alpha1.Divided, 3,
			[]int32{3, 0},
			[]result{{0, 1, 0}, {0, 0, 0}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got []result
			for i := range c.shares {
				s := Share(c.cfg, c.kind, c.total, c.shares, i)
				got = append(got, result{*s.Partition, s.MaxUnavailable.IntVal, s.MaxSurge.IntVal})
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func drawBudget(t *rapid.T, label string) intstr.IntOrString {
	v := rapid.Int32Range(0, 100).Draw(t, label)
	if rapid.Bool().Draw(t, label+" in percent") {
		return intstr.FromString(fmt.Sprintf("%d%%", v))
	}
	return intstr.FromInt32(v)
}

func TestSharesAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shares := rapid.SliceOfN(rapid.Int32Range(0, 50), 1, 12).Draw(t, "shares")
		total := int32(0)
		for _, s := range shares {
			total += s
		}
		partition := rapid.Int32Range(0, 700).Draw(t, "partition")
		kind := rapid.SampledFrom([]v1alpha1.ReplicaSchedulingType{v1alpha1.Divided, v1alpha1.Duplicated}).Draw(t, "kind")
		cfg := configuration(partition, drawBudget(t, "maxUnavailable"), drawBudget(t, "maxSurge"))

		var parts []int32
		sum := int32(0)
		for i, share := range shares {
			got := Share(cfg, kind, total, shares, i)
			p, u, s := *got.Partition, got.MaxUnavailable, got.MaxSurge
			parts, sum = append(parts, p), sum+p
			switch {
			case u.Type != intstr.Int || s.Type != intstr.Int:
				t.Fatalf("not integers: %+v", got)
			case p < 0 || p > share || u.IntVal < 0 || u.IntVal > share || s.IntVal < 0 || s.IntVal > share:
				t.Fatalf("outside of the share %d: %+v", share, got)
			case share > 0 && u.IntVal+s.IntVal == 0:
				t.Fatalf("share %d cannot roll", share)
			case kind == v1alpha1.Duplicated && p != min(partition, share):
				t.Fatalf("partition %d of share %d", p, share)
			}
		}
		if kind == v1alpha1.Divided && sum != min(partition, total) {
			t.Fatalf("the partitions %v add up to %d, not %d", parts, sum, min(partition, total))
		}
		if diff := cmp.Diff(pairs(shares, parts), reordered(t, cfg, kind, total, shares)); diff != "" {
			t.Fatalf("depends on the order: %s", diff)
		}
	})
}

// reordered shares in another order, and gives the sorted pairs of share and partition.
func reordered(t *rapid.T, cfg lwsv1.RollingUpdateConfiguration, kind v1alpha1.ReplicaSchedulingType, total int32, shares []int32) [][2]int32 {
	other := rapid.Permutation(shares).Draw(t, "order")
	var parts []int32
	for i := range other {
		parts = append(parts, *Share(cfg, kind, total, other, i).Partition)
	}
	return pairs(other, parts)
}

func pairs(shares, parts []int32) [][2]int32 {
	var out [][2]int32
	for i := range shares {
		out = append(out, [2]int32{shares[i], parts[i]})
	}
	slices.SortFunc(out, func(a, b [2]int32) int { return slices.Compare(a[:], b[:]) })
	return out
}
