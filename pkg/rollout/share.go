package rollout

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/util/intstr"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/api/v1alpha1"
)

// Share resolves a set's rollout configuration for the i-th of its clusters, of which each runs shares[j]
// groups. The result holds integers only, in groups: a member resolves nothing, so a percentage that is
// legal for the whole set cannot become illegal for a small share.
//
// maxUnavailable and maxSurge are resolved against the cluster's own share, so never both 0 for a share
// above 0; if one cannot be resolved both are the default, 1 and 0. They bound one cluster: how many
// clusters roll at once is bounded elsewhere.
//
// A Divided set's partition is an ordinal of the whole set: total groups, of which the partition keeps
// some. The clusters keep shares of it in proportion to their groups, by largest remainder, then the larger
// share, then the earlier cluster, and none keeps more than it runs. A Duplicated set's holds in every cluster.
func Share(
	cfg lwsv1.RollingUpdateConfiguration,
	replicas v1alpha1.ReplicaSchedulingType,
	total int32,
	shares []int32,
	i int,
) lwsv1.RollingUpdateConfiguration {
	own := max(0, shares[i])
	u, s, err := Budget(int(own), cfg.MaxUnavailable, cfg.MaxSurge)
	if err != nil {
		u, s = min(1, int(own)), 0
	}
	partition := int32(0)
	if cfg.Partition != nil {
		partition = max(0, *cfg.Partition)
	}
	if replicas == v1alpha1.Divided {
		partition = spread(min(partition, max(0, total)), shares)[i]
	}
	partition = min(partition, own)
	return lwsv1.RollingUpdateConfiguration{
		Partition:      &partition,
		MaxUnavailable: intstr.FromInt32(int32(u)),
		MaxSurge:       intstr.FromInt32(int32(s)),
	}
}

// spread divides n over shares in proportion, each at most its share. The parts sum up to n, or to the sum
// of the shares if that is less.
func spread(n int32, shares []int32) []int32 {
	sum := int64(0)
	for _, s := range shares {
		sum += int64(max(0, s))
	}
	parts := make([]int32, len(shares))
	if sum == 0 {
		return parts
	}
	rest := min(int64(n), sum)
	left := rest
	remainder := make([]int64, len(shares))
	order := make([]int, len(shares))
	for i, s := range shares {
		product := rest * int64(max(0, s))
		parts[i], remainder[i], order[i] = int32(product/sum), product%sum, i
		left -= product / sum
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(remainder[b], remainder[a]), cmp.Compare(shares[b], shares[a]))
	})
	// Whoever has a remainder has room for one more: its part is below its share.
	for _, i := range order[:left] {
		parts[i]++
	}
	return parts
}
