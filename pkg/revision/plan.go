package revision

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
)

// Observed is what one cluster shows of a set.
type Observed struct {
	// Set is the LeaderWorkerSet.
	Set *lwsv1.LeaderWorkerSet
	// Revisions are the cluster's revisions of the set, in any order.
	Revisions []*appsv1.ControllerRevision
	// HasStatefulSet says whether the leader StatefulSet exists.
	HasStatefulSet bool
	// StatefulSetKey is the revision key that the leader StatefulSet carries.
	StatefulSetKey string
	// Referenced are the keys that a live leader pod, worker StatefulSet or leader StatefulSet carries.
	Referenced sets.Set[string]
	// Stored is the hub's history of the set: content by key.
	Stored map[string]Content
}

// Plan is what to do about a set's revisions before the StatefulSet is given the key.
type Plan struct {
	// Key and Content are of the revision that new groups are made from.
	Key     string
	Content Content
	// Updating says that the leader StatefulSet exists and carries another key than Key.
	Updating bool
	// Create are revisions to create before anything is given their key.
	Create []*appsv1.ControllerRevision
	// Missing are keys that a live object carries and whose content nobody knows, sorted.
	Missing []string
	// Reason says why Key was chosen, for a person to read.
	Reason string
}

// ErrUnreadable is in the chain of the error for a revision whose data cannot be decoded.
var ErrUnreadable = errors.New("revision is unreadable")

// PlanRevisions decides on the revisions of a set in one cluster. It fails with ErrUnreadable where the
// current revision's data cannot be decoded and the hub's store does not have it.
func PlanRevisions(o Observed) (Plan, error) {
	h, err := newHistory(o)
	if err != nil {
		return Plan{}, err
	}
	plan := h.target(o)
	for _, key := range sets.List(o.Referenced) {
		if key == "" || h.has(key) {
			continue
		}
		if content, ok := o.Stored[key]; ok {
			h.create(key, content)
		} else {
			plan.Missing = append(plan.Missing, key)
		}
	}
	plan.Create = h.created
	return plan, nil
}

// entry is one revision of the cluster.
type entry struct {
	revision *appsv1.ControllerRevision
	content  Content
}

// history is the cluster's revisions by age, and the hub's store behind them.
type history struct {
	set     *lwsv1.LeaderWorkerSet
	entries []entry
	stored  map[string]Content
	created []*appsv1.ControllerRevision
	next    int64
}

func newHistory(o Observed) (*history, error) {
	h := &history{set: o.Set, stored: o.Stored, next: 1}
	for _, r := range o.Revisions {
		h.next = max(h.next, r.Revision+1)
		if r.DeletionTimestamp != nil || KeyOf(r) == "" {
			continue
		}
		content, err := Decode(r)
		if err != nil {
			stored, ok := o.Stored[KeyOf(r)]
			if !ok && KeyOf(r) == o.StatefulSetKey {
				return nil, fmt.Errorf("%w: %w", ErrUnreadable, err)
			}
			if !ok {
				continue
			}
			content = stored
		}
		h.entries = append(h.entries, entry{r, content})
	}
	slices.SortFunc(h.entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.revision.Revision, b.revision.Revision), cmp.Compare(a.revision.Name, b.revision.Name))
	})
	return h, nil
}

// target chooses the revision that new groups are made from, and creates what it needs.
func (h *history) target(o Observed) Plan {
	want := Of(&o.Set.Spec)
	if !o.HasStatefulSet || o.StatefulSetKey == "" {
		key, reason := h.ensure(want)
		return Plan{Key: key, Content: want, Updating: o.HasStatefulSet, Reason: reason}
	}
	current, known := h.content(o.StatefulSetKey)
	if !known {
		if current, known = o.Stored[o.StatefulSetKey]; !known {
			current = want
		}
		h.create(o.StatefulSetKey, current)
	}
	if current.Equal(want) {
		return Plan{Key: o.StatefulSetKey, Content: current, Reason: "the template is that of revision " + o.StatefulSetKey}
	}
	key, reason := h.ensure(want)
	return Plan{Key: key, Content: want, Updating: true, Reason: reason}
}

// ensure returns the key of a revision with the content: one that the cluster has, one that the hub's store
// has, or a new one.
func (h *history) ensure(want Content) (key, reason string) {
	for _, e := range slices.Backward(h.entries) {
		if e.content.Equal(want) {
			return KeyOf(e.revision), "the template is that of the older revision " + KeyOf(e.revision)
		}
	}
	for _, key := range sets.List(sets.KeySet(h.stored)) {
		if h.stored[key].Equal(want) && !h.has(key) {
			h.create(key, want)
			return key, "the template is that of revision " + key + " in the hub's history"
		}
	}
	for n := 0; ; n++ {
		key = want.SaltedKey(n)
		if _, stored := h.stored[key]; !stored && !h.has(key) {
			h.create(key, want)
			return key, "the template is new: revision " + key
		}
	}
}

func (h *history) has(key string) bool {
	_, ok := h.content(key)
	return ok
}

func (h *history) content(key string) (Content, bool) {
	for _, e := range h.entries {
		if KeyOf(e.revision) == key {
			return e.content, true
		}
	}
	return Content{}, false
}

func (h *history) create(key string, content Content) {
	r := New(h.set, content, key, h.next)
	h.next++
	h.created = append(h.created, r)
	h.entries = append(h.entries, entry{r, content})
}

// Unreferenced are the observed revisions that nothing names: not current, and not what a live object
// carries. They may be deleted once no update is under way; before, a StatefulSet may bring one back.
func Unreferenced(o Observed, current string) []*appsv1.ControllerRevision {
	var unused []*appsv1.ControllerRevision
	for _, r := range o.Revisions {
		key := KeyOf(r)
		if r.DeletionTimestamp == nil && key != current && !o.Referenced.Has(key) {
			unused = append(unused, r)
		}
	}
	return unused
}
