package leaderworkerset

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/pkg/render"
	"github.com/lwsfed/lwsfed/pkg/revision"
)

// decided is a decision in few words. Keys are "old" and "new" where they are those of the set's contents.
type decided struct {
	Key                 string
	Replicas, Partition int32
	MaxUnavailable      string
	Updating, Done      bool
	Create, Trim        []string
	Missing             []string
	Service             bool
}

func (s *seen) decided(d *decision) decided {
	name := func(key string) string {
		switch key {
		case s.old.Key():
			return "old"
		case s.new.Key():
			return "new"
		}
		return key
	}
	keys := func(revisions []*appsv1.ControllerRevision) (names []string) {
		for _, r := range revisions {
			names = append(names, name(revision.KeyOf(r)))
		}
		return names
	}
	rolling := d.statefulSet.Spec.UpdateStrategy.RollingUpdate
	return decided{
		Key:      name(revision.KeyOf(d.statefulSet)),
		Replicas: *d.statefulSet.Spec.Replicas, Partition: *rolling.Partition, MaxUnavailable: rolling.MaxUnavailable.String(),
		Updating: d.updating, Done: d.rollout.Done,
		Create: keys(d.revisions.Create), Trim: keys(d.trim), Missing: d.revisions.Missing,
		Service: d.service != nil,
	}
}

func unique(s lwsv1.LeaderWorkerSetSpec) lwsv1.LeaderWorkerSetSpec {
	s.NetworkConfig = &lwsv1.NetworkConfig{SubdomainPolicy: ptr.To(lwsv1.SubdomainUniquePerReplica)}
	return s
}

func rolling(s lwsv1.LeaderWorkerSetSpec, unavailable, surge string, partition int32) lwsv1.LeaderWorkerSetSpec {
	s.RolloutStrategy.RollingUpdateConfiguration = &lwsv1.RollingUpdateConfiguration{
		MaxUnavailable: intstr.Parse(unavailable), MaxSurge: intstr.Parse(surge), Partition: ptr.To(partition),
	}
	return s
}

func TestDecide(t *testing.T) {
	a, b := spec("a", 2, 4), spec("b", 2, 4)
	absent := func(s lwsv1.LeaderWorkerSetSpec) *seen {
		empty := see(s, s, "")
		empty.sts, empty.known = nil, nil
		return empty
	}
	forget := func(s *seen) *seen { s.known = nil; return s }
	for name, c := range map[string]struct {
		in     *seen
		stored func(*seen) map[string]revision.Content
		want   decided
	}{
		"a new set has all groups at once, whatever its partition": {
			in:   absent(rolling(a, "1", "1", 3)),
			want: decided{Key: "new", Replicas: 4, MaxUnavailable: "2", Create: []string{"new"}, Service: true},
		},
		"a new set whose groups have Services of their own": {
			in:   absent(unique(a)),
			want: decided{Key: "new", Replicas: 4, MaxUnavailable: "1", Create: []string{"new"}},
		},
		"at rest nothing differs": {
			in:   see(a, a, "OOOO"),
			want: decided{Key: "new", Replicas: 4, MaxUnavailable: "1", Done: true, Service: true},
		},
		"groups that are not ready yet are no update": {
			in:   see(a, a, "OoO-"),
			want: decided{Key: "new", Replicas: 4, MaxUnavailable: "1", Service: true},
		},
		"scaling is no update": {
			in:   see(a, spec("a", 2, 6), "OOOO"),
			want: decided{Key: "new", Replicas: 6, MaxUnavailable: "1", Service: true},
		},
		"a new template starts with all groups kept": {
			in:   see(a, b, "OOOO"),
			want: decided{Key: "new", Replicas: 4, Partition: 4, MaxUnavailable: "1", Updating: true, Create: []string{"new"}, Service: true},
		},
		"percentages are of the replicas": {
			in:   see(a, rolling(b, "50%", "25%", 0), "OOOO"),
			want: decided{Key: "new", Replicas: 5, Partition: 4, MaxUnavailable: "3", Updating: true, Create: []string{"new"}, Service: true},
		},
		"an update moves as groups get ready": {
			in:   see(a, b, "OOON").updating(3),
			want: decided{Key: "new", Replicas: 4, Partition: 2, MaxUnavailable: "1", Updating: true, Service: true},
		},
		"an update waits for the group that is down": {
			in:   see(a, b, "OOOn").updating(3),
			want: decided{Key: "new", Replicas: 4, Partition: 3, MaxUnavailable: "1", Updating: true, Service: true},
		},
		"an update whose old leaders are just gone is still one": {
			in:   see(a, b, "--NN").updating(2),
			want: decided{Key: "new", Replicas: 4, Partition: 0, MaxUnavailable: "1", Updating: true, Service: true},
		},
		"a new leader is not updated before it has workers": {
			in:   see(a, b, "+NNN").updating(0),
			want: decided{Key: "new", Replicas: 4, MaxUnavailable: "1", Service: true},
		},
		"revisions are kept while a group is at them": {
			in:   see(a, b, "ONNN").updating(0),
			want: decided{Key: "new", Replicas: 4, MaxUnavailable: "1", Updating: true, Service: true},
		},
		"revisions are trimmed once the update is done": {
			in:   see(a, b, "NNNN").updating(0),
			want: decided{Key: "new", Replicas: 4, MaxUnavailable: "1", Done: true, Trim: []string{"old"}, Service: true},
		},
		"groups below the partition keep their revision, and the update is done": {
			in:   see(a, rolling(b, "1", "0", 2), "OONN").updating(2),
			want: decided{Key: "new", Replicas: 4, Partition: 2, MaxUnavailable: "1", Done: true, Service: true},
		},
		"an old group makes the Service that its pods need": {
			in:   see(a, rolling(unique(b), "1", "0", 2), "OONN").updating(2),
			want: decided{Key: "new", Replicas: 4, Partition: 2, MaxUnavailable: "1", Done: true, Service: true},
		},
		"a lost revision comes back from the hub, and then the update starts": {
			in:     forget(see(a, b, "OOOO")),
			stored: func(s *seen) map[string]revision.Content { return map[string]revision.Content{s.old.Key(): s.old} },
			want:   decided{Key: "new", Replicas: 4, Partition: 4, MaxUnavailable: "1", Updating: true, Create: []string{"old", "new"}, Service: true},
		},
		"a lost revision of old groups is missed": {
			in: func() *seen {
				s := see(a, b, "OONN").updating(2)
				s.known = s.known[1:]
				return s
			}(),
			want: decided{Key: "new", Replicas: 4, Partition: 1, MaxUnavailable: "1", Updating: true, Missing: []string{revision.Of(&a).Key()}, Service: true},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var stored map[string]revision.Content
			if c.stored != nil {
				stored = c.stored(c.in)
			}
			d, err := decide(c.in.observation(), stored)
			if err != nil {
				t.Fatal(err)
			}
			if c.in.old.Equal(c.in.new) {
				c.want.Key = "old" // The same key; "old" is its first name.
				for i := range c.want.Create {
					c.want.Create[i] = "old"
				}
			}
			if diff := cmp.Diff(c.want, c.in.decided(d)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", d.rollout.Reason, diff)
			}
		})
	}
}

func TestAnUnreadableCurrentRevisionIsNotGuessed(t *testing.T) {
	s := see(spec("a", 2, 2), spec("b", 2, 2), "OO")
	s.known[0].Data.Raw = []byte(`{"spec":{}}`)
	if _, err := decide(s.observation(), nil); !errors.Is(err, revision.ErrUnreadable) {
		t.Errorf("error %v, want ErrUnreadable", err)
	}
	d, err := decide(s.observation(), map[string]revision.Content{s.old.Key(): s.old})
	if err != nil {
		t.Fatalf("with the content in the hub's store: %v", err)
	}
	if !d.updating {
		t.Error("no update, want one from the stored content to the set's")
	}
}

func TestAnUnreadableRevisionHasTheSizeThatTheHubKnows(t *testing.T) {
	s := see(spec("a", 1, 1), spec("a", 1, 1), "O")
	s.known[0].Data.Raw = []byte(`{"spec":{}}`)
	d, err := decide(s.observation(), map[string]revision.Content{s.old.Key(): s.old})
	if err != nil {
		t.Fatal(err)
	}
	if !d.groups[0].Ready {
		t.Error("the leader alone is not ready, want it to be")
	}
}

// A group whose revision nobody knows may be one of a leader alone, or not.
func TestAGroupOfAnUnknownRevisionIsNotReadyWithoutWorkers(t *testing.T) {
	s := see(spec("a", 1, 1), spec("b", 1, 1), "O").updating(1)
	s.known = s.known[1:]
	d, err := decide(s.observation(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if d.groups[0].Ready {
		t.Error("the group is ready, want not")
	}
}

// The template is not touched while the key stays, whatever this version would render.
func TestADecisionAtRestLeavesTheStatefulSetAsItIs(t *testing.T) {
	a := spec("a", 2, 3)
	s := see(a, a, "OOO")
	s.sts.Spec.Template.Labels["of"] = "another version"
	d, err := decide(s.observation(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(s.sts, d.statefulSet); diff != "" {
		t.Errorf("StatefulSet (-live +decided):\n%s", diff)
	}
	if diff := cmp.Diff(render.SharedService(s.set), d.service); diff != "" {
		t.Errorf("Service (-want +got):\n%s", diff)
	}
	if !sameStatefulSet(s.sts, d.statefulSet) {
		t.Error("the StatefulSet would be written, want not")
	}
}

func TestSameStatefulSet(t *testing.T) {
	for name, c := range map[string]struct {
		change func(live *appsv1.StatefulSet)
		want   bool
	}{
		"equal": {func(*appsv1.StatefulSet) {}, true},
		"an API server that does not keep maxUnavailable": {
			func(live *appsv1.StatefulSet) { live.Spec.UpdateStrategy.RollingUpdate.MaxUnavailable = nil }, true,
		},
		"another maxUnavailable": {
			func(live *appsv1.StatefulSet) {
				live.Spec.UpdateStrategy.RollingUpdate.MaxUnavailable = ptr.To(intstr.FromInt32(7))
			}, false,
		},
		"another partition, and maxUnavailable not kept": {
			func(live *appsv1.StatefulSet) {
				live.Spec.UpdateStrategy.RollingUpdate = &appsv1.RollingUpdateStatefulSetStrategy{Partition: ptr.To[int32](1)}
			}, false,
		},
		"no strategy": {
			func(live *appsv1.StatefulSet) { live.Spec.UpdateStrategy.RollingUpdate = nil }, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			want := see(spec("a", 1, 1), spec("a", 1, 1), "O").sts
			live := want.DeepCopy()
			c.change(live)
			if got := sameStatefulSet(live, want); got != c.want {
				t.Errorf("sameStatefulSet = %v, want %v", got, c.want)
			}
			if want.Spec.UpdateStrategy.RollingUpdate.MaxUnavailable == nil {
				t.Error("the comparison changed what is wanted")
			}
		})
	}
}
