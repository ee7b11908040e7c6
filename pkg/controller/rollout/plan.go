package rollout

import (
	"cmp"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/pkg/revision"
)

// historyLimit is how many revisions that no member uses are kept, for undoing changes.
const historyLimit = 10

// historyPlan is what to do about a set's history.
type historyPlan struct {
	create []*appsv1.ControllerRevision
	trim   []*appsv1.ControllerRevision
}

// planHistory decides on the hub's revisions of a set, of which members use others.
func planHistory(set *lwsv1.LeaderWorkerSet, stored, used []*appsv1.ControllerRevision) (historyPlan, error) {
	mirrored := map[string]revision.Content{}
	for _, r := range used {
		if content, err := revision.Decode(r); err == nil && key(r) != "" {
			mirrored[key(r)] = content
		}
	}
	plan, err := revision.PlanRevisions(revision.Observed{Set: set, Revisions: stored, Stored: mirrored, Referenced: keysOf(used)})
	if err != nil {
		return historyPlan{}, err
	}
	return historyPlan{create: plan.Create, trim: excess(stored, used, plan.Key)}, nil
}

// excess are the oldest of the stored revisions that are neither current nor used, beyond the limit.
func excess(stored, used []*appsv1.ControllerRevision, current string) []*appsv1.ControllerRevision {
	inUse := keysOf(used).Insert(current)
	var unused []*appsv1.ControllerRevision
	for _, r := range stored {
		if r.DeletionTimestamp == nil && !inUse.Has(key(r)) {
			unused = append(unused, r)
		}
	}
	slices.SortFunc(unused, func(a, b *appsv1.ControllerRevision) int {
		return cmp.Or(cmp.Compare(a.Revision, b.Revision), cmp.Compare(a.Name, b.Name))
	})
	return unused[:max(0, len(unused)-historyLimit)]
}

func keysOf(revisions []*appsv1.ControllerRevision) sets.Set[string] {
	keys := sets.New[string]()
	for _, r := range revisions {
		if key(r) != "" {
			keys.Insert(key(r))
		}
	}
	return keys
}
