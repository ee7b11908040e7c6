package invariant

import (
	"reflect"
	"strconv"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/pkg/revision"
)

// life is what was seen of one object, from its creation to its end.
type life struct {
	object client.Object // as first seen
	keys   []sighting    // the revision keys that it carried, in order
	// born, seen, going and gone are resource versions: when it was first seen and last, when its deletion was first
	// seen asked for, when it was gone. 0 means not. One whose end was missed was going when it was last seen.
	born, seen, going, gone uint64
}

type sighting struct {
	key string
	at  uint64
}

// Journal is what happened in one cluster.
type Journal struct {
	mu    sync.Mutex
	lives map[types.UID]*life
	order []types.UID
	hand  map[revisionID]bool
}

type revisionID struct{ namespace, set, key string }

// NewJournal returns an empty journal.
func NewJournal() *Journal {
	return &Journal{lives: map[types.UID]*life{}, hand: map[revisionID]bool{}}
}

// Seen notes that the object exists as it is.
func (j *Journal) Seen(o client.Object) {
	at := version(o)
	j.mu.Lock()
	defer j.mu.Unlock()
	l := j.lives[o.GetUID()]
	if l == nil {
		l = &life{object: o, born: at}
		j.lives[o.GetUID()] = l
		j.order = append(j.order, o.GetUID())
	}
	l.seen = max(l.seen, at)
	if l.going == 0 && o.GetDeletionTimestamp() != nil {
		l.going = at
	}
	key := revision.KeyOf(o)
	if len(l.keys) == 0 || l.keys[len(l.keys)-1].key != key {
		l.keys = append(l.keys, sighting{key, at})
	}
}

// Gone notes that the object was deleted. Its resource version is that of the deletion.
func (j *Journal) Gone(o client.Object) {
	j.Seen(o)
	j.mu.Lock()
	defer j.mu.Unlock()
	l := j.lives[o.GetUID()]
	l.gone = version(o)
	if l.going == 0 {
		l.going = l.gone
	}
}

// Lost notes that the object is gone, and that its end was missed. Nothing is known of it after its version.
func (j *Journal) Lost(o client.Object) {
	j.Seen(o)
	j.mu.Lock()
	defer j.mu.Unlock()
	if l := j.lives[o.GetUID()]; l.going == 0 {
		l.going = version(o)
	}
}

// only notes that of a kind nothing is left but the objects with the UIDs. The end of the others was missed.
func (j *Journal) only(kind client.Object, there map[types.UID]bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for uid, l := range j.lives {
		if !there[uid] && l.going == 0 && reflect.TypeOf(l.object) == reflect.TypeOf(kind) {
			l.going = l.seen
		}
	}
}

// ByHand says that the test itself deletes a revision of the set, so that its absence is nobody's fault.
func (j *Journal) ByHand(namespace, set, key string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.hand[revisionID{namespace, set, key}] = true
}

// PodUIDs are the UIDs that the pods of a namespace had so far, by name, in the order in which they came.
func (j *Journal) PodUIDs(namespace string) map[string][]types.UID {
	j.mu.Lock()
	defer j.mu.Unlock()
	uids := map[string][]types.UID{}
	for _, uid := range j.order {
		if pod, ok := j.lives[uid].object.(*corev1.Pod); ok && pod.Namespace == namespace {
			uids[pod.Name] = append(uids[pod.Name], uid)
		}
	}
	return uids
}

func version(o metav1.Object) uint64 {
	v, err := strconv.ParseUint(o.GetResourceVersion(), 10, 64)
	if err != nil {
		panic("resource version is not a number: " + o.GetResourceVersion())
	}
	return v
}

func (l *life) key() string { return l.keys[0].key }

// carries reports whether the living object carried the key at a moment.
func (l *life) carries(key string, at uint64) bool {
	if at < l.born || l.going != 0 && at >= l.going {
		return false
	}
	carried := ""
	for _, s := range l.keys {
		if s.at <= at {
			carried = s.key
		}
	}
	return carried == key
}

func (l *life) set() string { return l.object.GetLabels()[lwsv1.LabelName] }

// namesRevision reports whether the object is one whose key must be that of a revision.
func (l *life) namesRevision() bool {
	switch o := l.object.(type) {
	case *corev1.Pod:
		return o.Labels[lwsv1.LabelWorkerIndex] == "0"
	case *appsv1.StatefulSet:
		return true
	default:
		return false
	}
}
