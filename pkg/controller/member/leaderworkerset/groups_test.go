package leaderworkerset

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/ptr"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/pkg/rollout"
)

func TestGroupAsTheRolloutSeesIt(t *testing.T) {
	alone := spec("a", 1, 1)
	for name, c := range map[string]struct {
		size   int32
		groups string
		change func(*seen)
		want   rollout.Group
	}{
		"a leader and all workers at the target":       {2, "N", nil, rollout.Group{Updated: true, Ready: true}},
		"workers that are not ready":                   {2, "n", nil, rollout.Group{Updated: true}},
		"a leader alone is not updated before workers": {2, "+", nil, rollout.Group{}},
		"a leader that is the whole group":             {1, "N", nil, rollout.Group{Updated: true, Ready: true}},
		"a leader that is being deleted": {2, "N", func(s *seen) {
			s.pods[0].DeletionTimestamp = &metav1.Time{}
		}, rollout.Group{Updated: true}},
		"a leader that is not ready": {2, "N", func(s *seen) {
			s.pods[0].Status.Conditions[0].Status = corev1.ConditionFalse
		}, rollout.Group{Updated: true}},
		"a leader that says nothing of being ready": {1, "N", func(s *seen) {
			s.pods[0].Status.Conditions = nil
		}, rollout.Group{Updated: true}},
		"a leader that ended and was ready": {1, "N", func(s *seen) {
			s.pods[0].Status.Phase = corev1.PodFailed
		}, rollout.Group{Updated: true}},
		"workers at another key than their leader": {2, "N", func(s *seen) {
			s.workers[0].Labels[lwsv1.LabelRevision] = "another"
		}, rollout.Group{Ready: true}},
		"workers whose status is of an older spec": {2, "N", func(s *seen) {
			s.workers[0].Generation = 2
		}, rollout.Group{Updated: true}},
		"workers that are being deleted": {2, "N", func(s *seen) {
			s.workers[0].DeletionTimestamp = &metav1.Time{}
		}, rollout.Group{Updated: true}},
		"fewer workers ready than there should be": {2, "N", func(s *seen) {
			s.workers[0].Spec.Replicas = ptr.To[int32](3)
		}, rollout.Group{Updated: true}},
		"workers of the leader before": {2, "N", func(s *seen) {
			s.pods[0].UID = "demo-0 again"
		}, rollout.Group{}},
	} {
		t.Run(name, func(t *testing.T) {
			now := spec("a", c.size, 1)
			s := see(alone, now, c.groups).updating(0)
			if c.change != nil {
				c.change(s)
			}
			c.want.Key = s.new.Key()
			got := s.observation().snapshot(s.new.Key(), func(string) int32 { return c.size })
			if diff := cmp.Diff([]rollout.Group{c.want}, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestGroupsAreTheSetsOwnLeadersByOrdinal(t *testing.T) {
	s := see(spec("a", 2, 12), spec("a", 2, 12), "OOOOOOOOOOOO")
	stranger, elsewhere, worker, lost := s.leader(12, s.old), s.leader(13, s.old), s.leader(14, s.old), s.leader(15, s.old)
	ownedBy(&stranger, "StatefulSet", "demo", "leaders of a deleted set")
	elsewhere.Name = "demo-x"
	worker.Labels[lwsv1.LabelWorkerIndex] = "1"
	lost.OwnerReferences = nil
	s.pods = append(s.pods, stranger, elsewhere, worker, lost)
	o := s.observation()
	for i, g := range o.groups {
		if g.ordinal != i {
			t.Errorf("group %d has ordinal %d", i, g.ordinal)
		}
	}
	if len(o.groups) != 12 {
		t.Errorf("%d groups, want 12", len(o.groups))
	}
	if len(o.workers) != 12 {
		t.Errorf("%d worker StatefulSets, want 12", len(o.workers))
	}
	s.sts = nil
	if without := s.observation(); len(without.groups) != 0 {
		t.Errorf("%d groups without a leader StatefulSet, want none", len(without.groups))
	}
}

func TestReferencedKeys(t *testing.T) {
	old := spec("a", 2, 3)
	for name, c := range map[string]struct {
		change func(*seen)
		want   func(*seen) sets.Set[string]
	}{
		"of the StatefulSet, the leaders and the workers": {
			func(s *seen) { s.workers[0].Labels[lwsv1.LabelRevision] = "workers" },
			func(s *seen) sets.Set[string] { return sets.New(s.old.Key(), s.new.Key(), "workers") },
		},
		"of workers whose leader is gone": {
			func(s *seen) {
				s.pods = nil
				s.workers = s.workers[:1]
				s.workers[0].Labels[lwsv1.LabelRevision] = "orphans"
			},
			func(s *seen) sets.Set[string] { return sets.New(s.new.Key(), "orphans") },
		},
		"not of another's StatefulSet": {
			func(s *seen) { ownedBy(s.sts, "LeaderWorkerSet", "demo", "deleted set"); s.pods, s.workers = nil, nil },
			func(*seen) sets.Set[string] { return sets.New[string]() },
		},
		"not the absent one": {
			func(s *seen) {
				delete(s.sts.Labels, lwsv1.LabelRevision)
				s.pods, s.workers = s.pods[:1], nil
				delete(s.pods[0].Labels, lwsv1.LabelRevision)
			},
			func(*seen) sets.Set[string] { return sets.New[string]() },
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := see(old, spec("b", 2, 3), "OON").updating(2)
			c.change(s)
			if diff := cmp.Diff(c.want(s), s.observation().referenced()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestNameConflict(t *testing.T) {
	own := func(uid string) *appsv1.StatefulSet {
		return ownedBy(&appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Name: "demo"}}, "LeaderWorkerSet", "demo", uid)
	}
	service := func(uid string) *corev1.Service {
		return ownedBy(&corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "demo"}}, "Pod", "demo", uid)
	}
	for name, c := range map[string]struct {
		statefulSet *appsv1.StatefulSet
		service     *corev1.Service
		want        string
	}{
		"nothing has the name": {},
		"the set's own":        {own("set"), service("set"), ""},
		"the StatefulSet of a deleted set of the name": {
			own("set before"), nil,
			`StatefulSet "demo" is not this set's: it belongs to LeaderWorkerSet "demo" (uid set before); rename the set, or delete the StatefulSet`,
		},
		"a StatefulSet of nobody": {
			&appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Name: "demo"}}, nil,
			`StatefulSet "demo" is not this set's: it has no controller; rename the set, or delete the StatefulSet`,
		},
		"the Service of another set's group": {
			own("set"), service("leader"),
			`Service "demo" is not this set's: it belongs to Pod "demo" (uid leader); rename the set, or delete the Service`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := &observation{set: demo(spec("a", 1, 1)), statefulSet: c.statefulSet, service: c.service}
			if diff := cmp.Diff(c.want, o.conflict()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestOrdinalOf(t *testing.T) {
	for _, c := range []struct {
		pod  string
		want int
		ok   bool
	}{
		{"demo-0", 0, true},
		{"demo-12", 12, true},
		{"demo-0-1", 0, false},
		{"demo-", 0, false},
		{"demo", 0, false},
		{"other-1", 0, false},
	} {
		got, ok := ordinalOf(c.pod, "demo")
		if ok != c.ok || ok && got != c.want {
			t.Errorf("ordinalOf(%q) = %d, %v, want %d, %v", c.pod, got, ok, c.want, c.ok)
		}
	}
}
