package placement

import (
	"fmt"

	"k8s.io/utils/ptr"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/api/v1alpha1"
)

// give returns the groups of each chosen member, and how many groups no member has room for.
func give(set *lwsv1.LeaderWorkerSet, r rules, chosen []candidate) ([]v1alpha1.ClusterDecision, int32) {
	out := make([]v1alpha1.ClusterDecision, len(chosen))
	for i, c := range chosen {
		out[i] = v1alpha1.ClusterDecision{Name: c.member.Name, Patches: r.patches(c.member)}
	}
	total := replicas(set)
	if r.policy.Spec.Replicas.Type != v1alpha1.Divided {
		for i := range out {
			out[i].Replicas, out[i].Reason = total, fmt.Sprintf("all %d groups: Duplicated", total)
		}
		return out, 0
	}
	left := total
	claims, shares := share(total, r.policy.Spec.Replicas.Preferences, chosen)
	var weights int64
	for _, c := range claims {
		weights += int64(c.Weight)
	}
	for i, s := range shares {
		out[i].Replicas = s.Groups
		out[i].Reason = fmt.Sprintf("%d of %d groups: %s", s.Groups, total, because(claims[i], s, weights, chosen[i]))
		left -= s.Groups
	}
	return out, left
}

// share divides total among the chosen. A member that is not Ready claims at most the groups it has.
func share(total int32, preferences []v1alpha1.ClusterPreference, chosen []candidate) ([]Claim, []Share) {
	preferred := make(map[string]v1alpha1.ClusterPreference, len(preferences))
	for _, p := range preferences {
		preferred[p.Cluster] = p
	}
	claims := make([]Claim, len(chosen))
	for i, c := range chosen {
		p := preferred[c.member.Name]
		claims[i] = Claim{
			Name:   c.member.Name,
			Weight: ptr.Deref(p.Weight, 1),
			Min:    ptr.Deref(p.Min, 0),
			Max:    ptr.Deref(p.Max, unbounded),
		}
		if !Ready(c.member) {
			claims[i].Max = min(claims[i].Max, c.groups)
		}
	}
	return claims, Divide(total, claims)
}

// because says what a share follows from.
func because(c Claim, s Share, weights int64, of candidate) string {
	switch {
	case s.Bound == ByMax && !Ready(of.member) && c.Max == of.groups:
		return "no more while the cluster is not Ready"
	case s.Bound == ByMax:
		return fmt.Sprintf("max %d", c.Max)
	case s.Bound == ByMin && c.Min > 0:
		return fmt.Sprintf("min %d", c.Min)
	default:
		return fmt.Sprintf("weight %d of %d", c.Weight, weights)
	}
}
