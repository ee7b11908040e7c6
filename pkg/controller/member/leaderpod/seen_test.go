package leaderpod

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/pkg/revision"
)

func anotherUID(pod *corev1.Pod) { pod.UID = "another" }

// A worker that was seen and is not there any more is lost, as long as its group and StatefulSet are the same.
func TestLostWorkers(t *testing.T) {
	group := func(changes ...func(*observation)) *observation {
		spec := template("a", 3)
		o := whole(spec, revision.Of(&spec))
		for _, change := range changes {
			change(o)
		}
		return o
	}
	without := func(indexes ...int) func(*observation) {
		return func(o *observation) {
			var kept []*corev1.Pod
			for i, pod := range o.pods {
				if !slices.Contains(indexes, i+1) {
					kept = append(kept, pod)
				}
			}
			o.pods = kept
		}
	}
	third := func(o *observation) { o.pods = append(o.pods, worker(o.leader, 3)) }
	otherKey := func(pod *corev1.Pod) { pod.Labels[lwsv1.LabelRevision] = "another" }
	for name, c := range map[string]struct {
		looks []*observation
		want  []string
	}{
		"at the first look none is lost":        {[]*observation{group(without(1))}, nil},
		"one that comes later is not lost":      {[]*observation{group(without(1, 2)), group(without(1)), group()}, nil},
		"one that went is":                      {[]*observation{group(), group(without(2))}, []string{"demo-4-2"}},
		"one that was replaced is":              {[]*observation{group(), group(toWorker(1, anotherUID))}, []string{"demo-4-1"}},
		"it stays so when the others are ready": {[]*observation{group(), group(without(1)), group(toWorker(1, anotherUID))}, []string{"demo-4-1"}},
		"all of them are":                       {[]*observation{group(), group(without(1, 2))}, []string{"demo-4-1", "demo-4-2"}},
		"one beyond the size is not":            {[]*observation{group(third), group()}, nil},
		"one of another key is not":             {[]*observation{group(toWorker(1, otherKey)), group()}, nil},
		"with another StatefulSet none is": {[]*observation{group(), group(without(1), func(o *observation) {
			o.workers.UID = "another"
		})}, nil},
		"of a StatefulSet that is being deleted none is": {[]*observation{group(), group(without(1), func(o *observation) {
			o.workers.DeletionTimestamp = &o.workers.CreationTimestamp
		})}, nil},
		"without a StatefulSet none is": {[]*observation{group(), group(func(o *observation) { o.workers, o.pods = nil, nil })}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var s seen
			var got []string
			for _, o := range c.looks {
				got = s.lost(request("east", "serving", "demo-4")[0], o, 3)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// Groups of the same name in two members are two groups, and one that was forgotten is a new one.
func TestSeenGroupsAreApart(t *testing.T) {
	spec := template("a", 2)
	content := revision.Of(&spec)
	before, after := whole(spec, content), whole(spec, content)
	anotherUID(after.pods[0])
	east, west := request("east", "serving", "demo-4")[0], request("west", "serving", "demo-4")[0]

	var s seen
	s.lost(east, before, 2)
	if lost := s.lost(west, after, 2); lost != nil {
		t.Errorf("west lost %v, which east has had", lost)
	}
	s.forget(east)
	if lost := s.lost(east, after, 2); lost != nil {
		t.Errorf("east lost %v, which it has forgotten", lost)
	}
}
