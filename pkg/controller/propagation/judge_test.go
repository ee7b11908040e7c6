package propagation

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/api/v1alpha1"
)

// marked is a member's set with a label of a hub and an annotation of an origin; "" is none.
func marked(hub, origin string) *lwsv1.LeaderWorkerSet {
	live := &lwsv1.LeaderWorkerSet{}
	if hub != "" {
		live.Labels = map[string]string{v1alpha1.LabelManagedBy: hub}
	}
	if origin != "" {
		live.Annotations = map[string]string{v1alpha1.AnnotationOriginUID: origin}
	}
	return live
}

func deleted(live *lwsv1.LeaderWorkerSet) *lwsv1.LeaderWorkerSet {
	live.DeletionTimestamp = &metav1.Time{}
	return live
}

func TestJudge(t *testing.T) {
	unlabelled := marked("", "other")
	unlabelled.Labels = map[string]string{v1alpha1.LabelManagedBy: ""}
	for name, c := range map[string]struct {
		live         *lwsv1.LeaderWorkerSet
		abort, adopt verdict
	}{
		"nothing":                              {nil, absent, absent},
		"the hub's":                            {marked("hub", "set"), own, own},
		"the hub's, origin lost":               {marked("hub", ""), own, own},
		"the hub's, label lost":                {marked("", "set"), own, own},
		"the hub's, being deleted":             {deleted(marked("hub", "set")), leaving, leaving},
		"the hub's, of an earlier set":         {marked("hub", "earlier"), outdated, outdated},
		"of an earlier set, being deleted":     {deleted(marked("hub", "earlier")), leaving, leaving},
		"nobody's":                             {marked("", ""), foreign, own},
		"nobody's, being deleted":              {deleted(marked("", "")), foreign, leaving},
		"nobody's, of an earlier set":          {marked("", "earlier"), foreign, own},
		"nobody's, with an empty label":        {unlabelled, foreign, own},
		"another hub's":                        {marked("other", "theirs"), otherHub, otherHub},
		"another hub's, with our set's origin": {marked("other", "set"), otherHub, otherHub},
		"another hub's, being deleted":         {deleted(marked("other", "theirs")), otherHub, otherHub},
	} {
		t.Run(name, func(t *testing.T) {
			for resolution, want := range map[v1alpha1.ConflictResolution]verdict{
				"": c.abort, v1alpha1.ConflictAbort: c.abort, v1alpha1.ConflictAdopt: c.adopt,
			} {
				if got := judge(c.live, "hub", v1alpha1.PlacementSpec{SetUID: "set", ConflictResolution: resolution}); got != want {
					t.Errorf("judge with %q = %d, want %d", resolution, got, want)
				}
			}
		})
	}
}

// A Placement of before the field was written must not make every set without an origin the hub's.
func TestWithoutAnOriginNothingIsTheHubsButByItsLabel(t *testing.T) {
	for name, c := range map[string]struct {
		live *lwsv1.LeaderWorkerSet
		want bool
	}{
		"no mark":   {marked("", ""), false},
		"a label":   {marked("hub", ""), true},
		"an origin": {marked("", "set"), false},
	} {
		if got := ownedBy(c.live, "hub", ""); got != c.want {
			t.Errorf("%s: ownedBy = %v, want %v", name, got, c.want)
		}
	}
}
