package leaderpod

import (
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	mcreconcile "sigs.k8s.io/multicluster-runtime/pkg/reconcile"

	"github.com/lwsfed/lwsfed/pkg/revision"
)

// seen remembers which workers each group has had. A worker that is deleted at once, or deleted and replaced by its
// StatefulSet before anybody looks, leaves no other trace. What happens while the program does not run is not
// noticed; losing the memory costs nothing else.
type seen struct {
	mu     sync.Mutex
	groups map[mcreconcile.Request]workers
}

// workers are those of one StatefulSet, by name.
type workers struct {
	statefulSet types.UID
	pods        map[string]types.UID
}

// lost remembers the group's workers, and returns the names of those that it had and has no more, in order.
func (s *seen) lost(group mcreconcile.Request, o *observation, size int32) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !o.ownsWorkers() || o.workers.DeletionTimestamp != nil {
		delete(s.groups, group)
		return nil
	}
	known := s.groups[group]
	if known.statefulSet != o.workers.UID {
		known = workers{statefulSet: o.workers.UID, pods: map[string]types.UID{}}
	}
	now := map[string]types.UID{}
	for _, pod := range o.pods {
		now[pod.Name] = pod.UID
		if _, ok := known.pods[pod.Name]; !ok && revision.KeyOf(pod) == revision.KeyOf(o.leader) && !excess(pod, size) {
			known.pods[pod.Name] = pod.UID
		}
	}
	if s.groups == nil {
		s.groups = map[mcreconcile.Request]workers{}
	}
	s.groups[group] = known
	var lost []string
	for name, uid := range known.pods {
		if now[name] != uid {
			lost = append(lost, name)
		}
	}
	slices.Sort(lost)
	return lost
}

// forget drops a group that is gone.
func (s *seen) forget(group mcreconcile.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.groups, group)
}
