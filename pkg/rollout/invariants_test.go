package rollout

import (
	"fmt"
	"reflect"
	"slices"
)

// failer is what testing.T and rapid.T share here.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// reconcile plans, checks the plan against every invariant, and applies it.
func (w *world) reconcile(t failer) Plan {
	t.Helper()
	s := w.snapshot()
	plan := PlanGroups(s)
	if broken := violation(s, plan); broken != "" {
		t.Fatalf("%s\nworld: %s\nsnapshot: %+v\nplan: %+v", broken, w, s, plan)
	}
	w.apply(plan)
	return plan
}

// violation names the rule that a plan breaks, "" if none. It is written from the rules, not from the planner.
func violation(s Snapshot, plan Plan) string {
	shuffled := s
	shuffled.Groups = slices.Clone(s.Groups)
	slices.Reverse(shuffled.Groups)
	r, surge := s.Replicas, min(s.MaxSurge, s.Replicas)
	switch {
	case !reflect.DeepEqual(plan, PlanGroups(shuffled)):
		return "the plan depends on the order of the groups"
	case plan.Reason == "":
		return "the plan has no reason"
	case plan.Replicas < r || plan.Replicas > r+surge:
		return fmt.Sprintf("replicas %d outside of %d to %d", plan.Replicas, r, r+surge)
	case plan.Partition < 0 || plan.Partition > plan.Replicas:
		return fmt.Sprintf("partition %d outside of 0 to %d", plan.Partition, plan.Replicas)
	case plan.MaxUnavailable < 1:
		return "maxUnavailable below 1"
	case !s.Exists:
		if plan.Replicas != r || plan.Partition != 0 || plan.Done {
			return "creation is not all groups at once"
		}
		return ""
	case !s.Updating && plan.Replicas > max(r, s.StatefulSetReplicas):
		return "surge without an update"
	case s.Updating && !s.NewTemplate && plan.Partition > s.StatefulSetPartition:
		return "the partition rises within an update"
	case plan.Partition < min(s.Partition, r) && (s.NewTemplate || plan.Partition < s.StatefulSetPartition):
		// A scale-up's new groups may be what lies between.
		if s.StatefulSetReplicas >= r {
			return "the partition falls below the user's"
		}
	case plan.Done && !finished(s, plan):
		return "done, but is not"
	}
	return overBudget(s, plan)
}

// finished tells whether the StatefulSet is as planned and every group it updates is updated and ready.
func finished(s Snapshot, plan Plan) bool {
	ok := 0
	for _, g := range s.Groups {
		if g.Ordinal >= s.Replicas || g.Ordinal < plan.Partition {
			continue
		}
		if g.Updated && g.Ready {
			ok++
		}
	}
	return ok == s.Replicas-plan.Partition && plan.Replicas == s.Replicas &&
		s.StatefulSetReplicas == plan.Replicas && s.StatefulSetPartition == plan.Partition
}

// overBudget looks at the ready groups that a plan newly gives up. A wanted one may go only if R-u stay
// available, surge counted, groups called broken left out. A surge one may go only if it stands in for none.
func overBudget(s Snapshot, plan Plan) string {
	r := s.Replicas
	u := min(s.MaxUnavailable, r)
	if u == 0 && min(s.MaxSurge, r) == 0 {
		u = 1
	}
	partition := s.StatefulSetPartition
	if s.NewTemplate {
		partition = s.StatefulSetReplicas
	}
	floor := min(s.Partition, r, partition)
	before, after, afterAboveFloor, broken := 0, 0, 0, 0
	lostWanted, lostSurge := false, false
	for _, g := range s.Groups {
		had := g.Ready && g.Ordinal < s.StatefulSetReplicas && (g.Updated || g.Ordinal < partition)
		has := g.Ready && g.Ordinal < plan.Replicas && (g.Updated || g.Ordinal < plan.Partition)
		if g.Ordinal < min(r, partition) && g.Broken && !g.Ready && !g.Updated {
			broken++
		}
		if had {
			before++
		}
		if has {
			after++
			if g.Ordinal >= floor {
				afterAboveFloor++
			}
		}
		if had && !has {
			switch {
			case g.Ordinal < plan.Replicas:
				lostWanted = true // replaced, wanted or surge
			case g.Ordinal < r+min(s.MaxSurge, r):
				lostSurge = true
			}
		}
	}
	if lostWanted && after < r-u-broken {
		return fmt.Sprintf("of %d available groups %d are left, %d must stay", before, after, r-u-broken)
	}
	if lostSurge && afterAboveFloor < r-floor-u {
		return fmt.Sprintf("a surge group in use is given back: %d left, %d must stay", afterAboveFloor, r-floor-u)
	}
	return ""
}
