package placement

import (
	"fmt"
	"strings"

	"github.com/lwsfed/lwsfed/api/v1alpha1"
)

// maxNamed is the most clusters that a message names.
const maxNamed = 8

func (p picked) scheduled(why string) string {
	return v1alpha1.Message(fmt.Sprintf("%s: %s%s", why, count(len(p.chosen), "cluster"), p.notChosen()))
}

func (p picked) insufficientRoom(left, total int32) string {
	return v1alpha1.Message(fmt.Sprintf("%d of %s have no room in %s%s",
		left, count(int(total), "group"), count(len(p.chosen), "cluster"), p.notChosen()))
}

func (p picked) noCluster(policy string, members int) string {
	if len(p.refused) == 0 {
		return v1alpha1.Message(fmt.Sprintf("PlacementPolicy %q matches none of %s", policy, count(members, "MemberCluster")))
	}
	return v1alpha1.Message(fmt.Sprintf("PlacementPolicy %q matches no cluster that can run the set%s", policy, p.notChosen()))
}

// notChosen names the clusters that match and do not run the set, the first of them.
func (p picked) notChosen() string {
	if len(p.refused) == 0 {
		return ""
	}
	var parts []string
	for _, r := range p.refused[:min(len(p.refused), maxNamed)] {
		parts = append(parts, fmt.Sprintf("%s (%s)", r.name, r.reason))
	}
	if more := len(p.refused) - len(parts); more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return "; not chosen: " + strings.Join(parts, ", ")
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
