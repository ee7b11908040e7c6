package revision_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"pgregory.net/rapid"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/pkg/revision"
)

func demo(spec *lwsv1.LeaderWorkerSetSpec) *lwsv1.LeaderWorkerSet {
	return &lwsv1.LeaderWorkerSet{
		ObjectMeta: metav1.ObjectMeta{Namespace: "serving", Name: "demo", UID: "set-uid"},
		Spec:       *spec,
	}
}

func TestPlanRevisions(t *testing.T) {
	a, b := revision.Of(spec("a")), revision.Of(spec("b"))
	stored := func(key string, c revision.Content, number int64) *appsv1.ControllerRevision {
		return revision.New(demo(spec("a")), c, key, number)
	}
	gone := func(r *appsv1.ControllerRevision) *appsv1.ControllerRevision {
		r.DeletionTimestamp = &metav1.Time{}
		return r
	}
	unreadable := stored("old", a, 1)
	unreadable.Data.Raw = []byte(`{"spec":{}}`)

	type want struct {
		Key      string
		Updating bool
		Create   []string
		Missing  []string
	}
	for name, tc := range map[string]struct {
		observed revision.Observed
		want     want
	}{
		"a new set gets a revision and no update": {
			revision.Observed{Set: demo(spec("a"))},
			want{Key: a.Key(), Create: []string{a.Key()}},
		},
		"a StatefulSet with the content's revision is at rest": {
			revision.Observed{Set: demo(spec("a")), HasStatefulSet: true, StatefulSetKey: a.Key(), Revisions: []*appsv1.ControllerRevision{stored(a.Key(), a, 1)}},
			want{Key: a.Key()},
		},
		"another controller's key for the same content is kept": {
			revision.Observed{Set: demo(spec("a")), HasStatefulSet: true, StatefulSetKey: "fnv", Revisions: []*appsv1.ControllerRevision{stored("fnv", a, 1)}},
			want{Key: "fnv"},
		},
		"a key from before revisions gets the spec as it is, and no update": {
			revision.Observed{Set: demo(spec("a")), HasStatefulSet: true, StatefulSetKey: "old", Referenced: sets.New("old")},
			want{Key: "old", Create: []string{"old"}},
		},
		"a lost current revision is restored from the hub, and the changed template is a normal update": {
			revision.Observed{Set: demo(spec("b")), HasStatefulSet: true, StatefulSetKey: "old", Referenced: sets.New("old"), Stored: map[string]revision.Content{"old": a}},
			want{Key: b.Key(), Updating: true, Create: []string{"old", b.Key()}},
		},
		"a new template is a new revision": {
			revision.Observed{Set: demo(spec("b")), HasStatefulSet: true, StatefulSetKey: a.Key(), Revisions: []*appsv1.ControllerRevision{stored(a.Key(), a, 1)}},
			want{Key: b.Key(), Updating: true, Create: []string{b.Key()}},
		},
		"rolling back gives back the old key": {
			revision.Observed{Set: demo(spec("a")), HasStatefulSet: true, StatefulSetKey: b.Key(), Revisions: []*appsv1.ControllerRevision{stored("fnv", a, 1), stored(b.Key(), b, 2)}},
			want{Key: "fnv", Updating: true},
		},
		"rolling back to a trimmed revision gives back the old key from the hub": {
			revision.Observed{Set: demo(spec("a")), HasStatefulSet: true, StatefulSetKey: b.Key(), Revisions: []*appsv1.ControllerRevision{stored(b.Key(), b, 2)}, Stored: map[string]revision.Content{"fnv": a, b.Key(): b}},
			want{Key: "fnv", Updating: true, Create: []string{"fnv"}},
		},
		"a key that means something else is salted": {
			revision.Observed{Set: demo(spec("b")), HasStatefulSet: true, StatefulSetKey: b.Key(), Revisions: []*appsv1.ControllerRevision{stored(b.Key(), a, 1)}},
			want{Key: b.SaltedKey(1), Updating: true, Create: []string{b.SaltedKey(1)}},
		},
		"a key that means something else in the hub's history is salted": {
			revision.Observed{Set: demo(spec("b")), Stored: map[string]revision.Content{b.Key(): a}},
			want{Key: b.SaltedKey(1), Create: []string{b.SaltedKey(1)}},
		},
		"a referenced revision that was deleted is restored from the hub": {
			revision.Observed{Set: demo(spec("b")), HasStatefulSet: true, StatefulSetKey: b.Key(), Referenced: sets.New("old", b.Key()), Revisions: []*appsv1.ControllerRevision{stored(b.Key(), b, 2)}, Stored: map[string]revision.Content{"old": a}},
			want{Key: b.Key(), Create: []string{"old"}},
		},
		"a revision that is being deleted counts as gone": {
			revision.Observed{Set: demo(spec("a")), HasStatefulSet: true, StatefulSetKey: "old", Referenced: sets.New("old"), Revisions: []*appsv1.ControllerRevision{gone(stored("old", a, 1))}, Stored: map[string]revision.Content{"old": a}},
			want{Key: "old", Create: []string{"old"}},
		},
		"a referenced revision that nobody knows is missing": {
			revision.Observed{Set: demo(spec("b")), HasStatefulSet: true, StatefulSetKey: b.Key(), Referenced: sets.New("lost", b.Key()), Revisions: []*appsv1.ControllerRevision{stored(b.Key(), b, 2)}},
			want{Key: b.Key(), Missing: []string{"lost"}},
		},
		"an unreadable current revision is read from the hub": {
			revision.Observed{Set: demo(spec("a")), HasStatefulSet: true, StatefulSetKey: "old", Revisions: []*appsv1.ControllerRevision{unreadable}, Stored: map[string]revision.Content{"old": a}},
			want{Key: "old"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			plan, err := revision.PlanRevisions(tc.observed)
			if err != nil {
				t.Fatal(err)
			}
			got := want{Key: plan.Key, Updating: plan.Updating, Create: keys(plan.Create), Missing: plan.Missing}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if plan.Reason == "" {
				t.Error("no reason")
			}
		})
	}

	t.Run("an unreadable current revision that the hub does not have is an error", func(t *testing.T) {
		_, err := revision.PlanRevisions(revision.Observed{Set: demo(spec("a")), HasStatefulSet: true, StatefulSetKey: "old", Revisions: []*appsv1.ControllerRevision{unreadable}})
		if !errors.Is(err, revision.ErrUnreadable) {
			t.Errorf("got error %v", err)
		}
	})
}

func TestUnreferencedSparesWhatIsNamed(t *testing.T) {
	a := revision.Of(spec("a"))
	o := revision.Observed{Set: demo(spec("a")), Referenced: sets.New("kept")}
	for number, key := range []string{"old", "kept", "current"} {
		o.Revisions = append(o.Revisions, revision.New(o.Set, a, key, int64(number)))
	}
	if diff := cmp.Diff([]string{"old"}, keys(revision.Unreferenced(o, "current"))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func keys(revisions []*appsv1.ControllerRevision) []string {
	var all []string
	for _, r := range revisions {
		all = append(all, revision.KeyOf(r))
	}
	return all
}

// Whatever the history, no key ever means two contents, the chosen key means the spec, and what is named stays.
func TestPlanRevisionsKeepsItsInvariants(t *testing.T) {
	images := rapid.SampledFrom([]string{"a", "b", "c"})
	someKey := rapid.SampledFrom([]string{"k1", "k2", revision.Of(spec("a")).Key(), revision.Of(spec("b")).Key()})
	rapid.Check(t, func(t *rapid.T) {
		o := revision.Observed{
			Set:            demo(spec(images.Draw(t, "image"))),
			HasStatefulSet: rapid.Bool().Draw(t, "hasStatefulSet"),
			StatefulSetKey: someKey.Draw(t, "key"),
			Referenced:     sets.New(rapid.SliceOf(someKey).Draw(t, "referenced")...),
			Stored:         map[string]revision.Content{},
		}
		meaning := map[string]revision.Content{}
		for _, key := range rapid.SliceOfDistinct(someKey, rapid.ID).Draw(t, "known") {
			content := revision.Of(spec(images.Draw(t, "content")))
			meaning[key] = content
			if rapid.Bool().Draw(t, "inHub") {
				o.Stored[key] = content
			} else {
				o.Revisions = append(o.Revisions, revision.New(o.Set, content, key, int64(len(o.Revisions))))
			}
		}
		plan, err := revision.PlanRevisions(o)
		if err != nil {
			t.Fatal(err)
		}
		exists := sets.New(keys(o.Revisions)...)
		for _, r := range plan.Create {
			key := revision.KeyOf(r)
			content, err := revision.Decode(r)
			if err != nil {
				t.Fatal(err)
			}
			if known, ok := meaning[key]; ok && !known.Equal(content) {
				t.Fatalf("key %s got another content", key)
			}
			if exists.Has(key) {
				t.Fatalf("key %s created twice", key)
			}
			meaning[key] = content
			exists.Insert(key)
		}
		if !exists.Has(plan.Key) || !meaning[plan.Key].Equal(revision.Of(&o.Set.Spec)) {
			t.Fatalf("target %s does not exist or does not mean the spec", plan.Key)
		}
		for _, r := range revision.Unreferenced(o, plan.Key) {
			if key := revision.KeyOf(r); key == plan.Key || o.Referenced.Has(key) {
				t.Fatalf("deletes %s, which is named", key)
			}
		}
	})
}
