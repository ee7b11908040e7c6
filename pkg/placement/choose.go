package placement

import (
	"cmp"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/api/v1alpha1"
)

// Choose returns the policy that places set, and why it and no other. Without one it returns nil and why.
// A policy that names the set beats a selector, then the higher priority wins, then the older policy, then
// the name. Policies of other namespaces and those with a selector that cannot be read never match.
func Choose(set *lwsv1.LeaderWorkerSet, policies []v1alpha1.PlacementPolicy) (*v1alpha1.PlacementPolicy, string) {
	var best *v1alpha1.PlacementPolicy
	matches := 0
	for i := range policies {
		p := &policies[i]
		if !Selects(p, set) {
			continue
		}
		matches++
		if best == nil || comparePolicies(p, best) < 0 {
			best = p
		}
	}
	if best == nil {
		return nil, fmt.Sprintf("no PlacementPolicy in namespace %q selects the set", set.Namespace)
	}
	reason := fmt.Sprintf("PlacementPolicy %q selects the set", best.Name)
	if names(best) {
		reason = fmt.Sprintf("PlacementPolicy %q names the set", best.Name)
	}
	if matches > 1 {
		reason += fmt.Sprintf(", before %d more", matches-1)
	}
	return best, reason
}

// Selects says whether a policy matches a set. Which of several wins is for Choose.
func Selects(p *v1alpha1.PlacementPolicy, set *lwsv1.LeaderWorkerSet) bool {
	if p.Namespace != set.Namespace {
		return false
	}
	if names(p) {
		return slices.Contains(p.Spec.Names, set.Name)
	}
	if p.Spec.Selector == nil {
		return false
	}
	s, err := metav1.LabelSelectorAsSelector(p.Spec.Selector)
	return err == nil && s.Matches(labels.Set(set.Labels))
}

func names(p *v1alpha1.PlacementPolicy) bool { return len(p.Spec.Names) > 0 }

// comparePolicies is negative where a wins.
func comparePolicies(a, b *v1alpha1.PlacementPolicy) int {
	if names(a) != names(b) {
		if names(a) {
			return -1
		}
		return 1
	}
	return cmp.Or(
		cmp.Compare(b.Spec.Priority, a.Spec.Priority),
		a.CreationTimestamp.Compare(b.CreationTimestamp.Time),
		cmp.Compare(a.Name, b.Name),
	)
}
