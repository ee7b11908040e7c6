package rollout

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/intstr"
)

// Budget resolves maxUnavailable and maxSurge against replicas, in groups: percentages of maxUnavailable are
// rounded down, of maxSurge up, and neither is above replicas. Both 0 with replicas above 0 gives u = 1:
// admission refuses such a set, but one that got past it must not hang. It fails on a string that is not
// a percentage and on a negative value.
func Budget(replicas int, maxUnavailable, maxSurge intstr.IntOrString) (u, s int, err error) {
	u, err = resolve("maxUnavailable", replicas, maxUnavailable, false)
	if err != nil {
		return 0, 0, err
	}
	s, err = resolve("maxSurge", replicas, maxSurge, true)
	if err != nil {
		return 0, 0, err
	}
	if replicas > 0 && u == 0 && s == 0 {
		u = 1
	}
	return u, s, nil
}

func resolve(field string, replicas int, v intstr.IntOrString, up bool) (int, error) {
	n, err := intstr.GetScaledValueFromIntOrPercent(&v, replicas, up)
	if err != nil {
		return 0, fmt.Errorf("resolve %s %q: %w", field, v.String(), err)
	}
	if n < 0 {
		return 0, fmt.Errorf("resolve %s %q: must not be negative", field, v.String())
	}
	return min(n, replicas), nil
}
