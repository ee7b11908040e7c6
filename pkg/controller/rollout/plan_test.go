package rollout

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/pkg/revision"
)

// sized is a set whose groups have the size; each size is another content.
func sized(size int32) *lwsv1.LeaderWorkerSet {
	return &lwsv1.LeaderWorkerSet{
		ObjectMeta: metav1.ObjectMeta{Namespace: "serving", Name: "demo", UID: "set"},
		Spec:       lwsv1.LeaderWorkerSetSpec{LeaderWorkerTemplate: lwsv1.LeaderWorkerTemplate{Size: ptr.To(size)}},
	}
}

// known are revisions of the sizes, the oldest first.
func known(sizes ...int32) (all []*appsv1.ControllerRevision) {
	for i, size := range sizes {
		content := revision.Of(&sized(size).Spec)
		all = append(all, revision.New(sized(size), content, content.Key(), int64(i+1)))
	}
	return all
}

// renamed gives the revision a key of another hash.
func renamed(r *appsv1.ControllerRevision, key string) *appsv1.ControllerRevision {
	r.Name, r.Labels[lwsv1.LabelRevision] = "demo-"+key, key
	return r
}

// sizes are what the revisions hold, with their key where it is not the content's own.
func sizes(t *testing.T, revisions []*appsv1.ControllerRevision) (all []string) {
	t.Helper()
	for _, r := range revisions {
		content, err := revision.Decode(r)
		if err != nil {
			t.Fatal(err)
		}
		words := fmt.Sprint(content.Size())
		if key(r) != content.Key() {
			words += " as " + key(r)
		}
		all = append(all, words)
	}
	return all
}

func upTo(to int32) (all []int32) {
	for i := int32(1); i <= to; i++ {
		all = append(all, i)
	}
	return all
}

func TestPlanHistory(t *testing.T) {
	for name, c := range map[string]struct {
		set          *lwsv1.LeaderWorkerSet
		stored, used []*appsv1.ControllerRevision
		create, trim []string
	}{
		"a new set":                      {set: sized(1), create: []string{"1"}},
		"at rest":                        {set: sized(1), stored: known(1), used: known(1)},
		"a new content":                  {set: sized(2), stored: known(1), used: known(1), create: []string{"2"}},
		"back to an old content":         {set: sized(1), stored: known(1, 2), used: known(2)},
		"content that an override makes": {set: sized(1), stored: known(1), used: known(1, 8), create: []string{"8"}},
		"content of members alone":       {set: sized(1), used: known(2, 1), create: []string{"1", "2"}},
		"two members use the same":       {set: sized(1), used: append(known(1), known(1)...), create: []string{"1"}},
		"a key that upstream gave": {
			set: sized(1), used: []*appsv1.ControllerRevision{renamed(known(1)[0], "upstream")}, create: []string{"1 as upstream"},
		},
		"a key that upstream gave, stored": {
			set:    sized(1),
			stored: []*appsv1.ControllerRevision{renamed(known(1)[0], "upstream")},
			used:   []*appsv1.ControllerRevision{renamed(known(1)[0], "upstream")},
		},
		"a revision without a key": {
			set: sized(1), stored: known(1), used: []*appsv1.ControllerRevision{renamed(known(2)[0], "")},
		},
		"a revision without a key that has the set's content": {
			set: sized(2), stored: known(1), used: []*appsv1.ControllerRevision{renamed(known(2)[0], "")}, create: []string{"2"},
		},
		"a member's revision that cannot be read": {
			set: sized(1), stored: known(1),
			used: []*appsv1.ControllerRevision{func() *appsv1.ControllerRevision { r := known(2)[0]; r.Data.Raw = []byte(`[]`); return r }()},
		},
		"as many unused as are kept":   {set: sized(11), stored: known(upTo(11)...), used: known(11)},
		"the oldest unused is trimmed": {set: sized(12), stored: known(upTo(12)...), used: known(12), trim: []string{"1"}},
		"what a member uses is kept":   {set: sized(13), stored: known(upTo(13)...), used: known(1, 13), trim: []string{"2"}},
		"what the set needs is kept":   {set: sized(1), stored: known(upTo(12)...), trim: []string{"2"}},
		"no member is left":            {set: sized(14), stored: known(upTo(14)...), trim: []string{"1", "2", "3"}},
	} {
		t.Run(name, func(t *testing.T) {
			plan, err := planHistory(c.set, c.stored, c.used)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.create, sizes(t, plan.create)); diff != "" {
				t.Errorf("create (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.trim, sizes(t, plan.trim)); diff != "" {
				t.Errorf("trim (-want +got):\n%s", diff)
			}
		})
	}
}

// The API server gives no order, and numbers may be equal.
func TestTheOldestAreTrimmedWhateverTheirOrder(t *testing.T) {
	stored := known(upTo(13)...)
	stored[0].Revision, stored[1].Revision, stored[0].Name, stored[1].Name = 2, 2, "b", "a"
	stored[1], stored[12] = stored[12], stored[1]
	plan, err := planHistory(sized(13), stored, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"2", "1"}, sizes(t, plan.trim)); diff != "" {
		t.Errorf("trim (-want +got):\n%s", diff)
	}
}

func TestWhatIsBeingDeletedIsNotTrimmedAgain(t *testing.T) {
	stored := known(upTo(12)...)
	stored[0].DeletionTimestamp = &metav1.Time{}
	plan, err := planHistory(sized(12), stored, known(12))
	if err != nil {
		t.Fatal(err)
	}
	if len(plan.trim) > 0 {
		t.Errorf("trim %v, want none", sizes(t, plan.trim))
	}
}
