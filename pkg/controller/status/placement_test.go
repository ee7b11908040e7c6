package status

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/api/v1alpha1"
	"github.com/lwsfed/lwsfed/pkg/controller/propagation"
	"github.com/lwsfed/lwsfed/pkg/fleet"
	"github.com/lwsfed/lwsfed/pkg/revision"
)

// seeing is a set in the members, all of one spec. Its key is keyOf(o).
func seeing(members ...member) *observation {
	o := &observation{
		placement: &v1alpha1.Placement{
			ObjectMeta: metav1.ObjectMeta{Generation: 5, CreationTimestamp: metav1.NewTime(lastSeen)},
			Spec:       v1alpha1.PlacementSpec{SetUID: "set", Policy: "p"},
		},
		set: &lwsv1.LeaderWorkerSet{
			ObjectMeta: metav1.ObjectMeta{Name: "demo", UID: "set", Generation: 7},
			Spec:       lwsv1.LeaderWorkerSetSpec{LeaderWorkerTemplate: lwsv1.LeaderWorkerTemplate{Size: ptr.To[int32](2)}},
		},
		members: members,
		now:     lastSeen,
	}
	for i := range o.members {
		m := &o.members[i]
		if m.decision != nil {
			o.placement.Spec.Clusters = append(o.placement.Spec.Clusters, *m.decision)
		}
		if m.before != nil {
			o.placement.Status.Clusters = append(o.placement.Status.Clusters, *m.before)
		}
		if m.set != nil {
			m.set.Annotations[v1alpha1.AnnotationFleetRevision] = keyOf(o)
		}
	}
	return o
}

func keyOf(o *observation) string { return revision.Of(&o.set.Spec).Key() }

func named(m member, name string) member {
	m.name = name
	if m.decision != nil {
		m.decision = &v1alpha1.ClusterDecision{Name: name, Replicas: m.decision.Replicas}
	}
	if m.before != nil {
		m.before.Name = name
	}
	return m
}

// leaves is a member that the set was taken from; clean says that it is gone there.
func leaves(clean bool) member {
	m := named(eu(), "us")
	m.decision = nil
	m.outcome = &propagation.Outcome{State: v1alpha1.ClusterLeaving, Clean: clean}
	return m
}

func clustersIn(s v1alpha1.PlacementStatus) (names []string) {
	for _, c := range s.Clusters {
		names = append(names, c.Name)
	}
	return names
}

func TestAClusterLeavesTheStatusOnceItIsKnownToBeClean(t *testing.T) {
	for name, c := range map[string]struct {
		us   func() member
		want []string
	}{
		"its groups are still there": {func() member { return leaves(false) }, []string{"eu", "us"}},
		"it is clean":                {func() member { return leaves(true) }, []string{"eu"}},
		"nothing is known of it since the start": {
			func() member { m := leaves(true); m.outcome = nil; return m }, []string{"eu", "us"},
		},
		"it cannot be seen": {
			func() member { m := leaves(false); m.state = away; return m }, []string{"eu", "us"},
		},
		"it is no member any more": {
			func() member { m := leaves(false); m.registered, m.outcome = false, nil; return m }, []string{"eu"},
		},
		"it is no member any more, and still chosen": {
			func() member { m := named(eu(), "us"); m.registered = false; return m }, []string{"eu", "us"},
		},
		"it is clean of an earlier time, and chosen again": {
			func() member { m := leaves(true); m.decision = &v1alpha1.ClusterDecision{Name: "us"}; return m }, []string{"eu", "us"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, clustersIn(placementStatus(seeing(eu(), c.us())))); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestPlacementStatusIsTheSum(t *testing.T) {
	gone := named(eu(), "us")
	gone.state, gone.decision.Replicas = away, 5
	got := placementStatus(seeing(eu(), gone, named(leaves(false), "x")))
	want := []int32{9, 4 + 3 + 4, 4 + 1 + 4}
	if diff := cmp.Diff(want, []int32{got.Desired, got.Ready, got.Updated}); diff != "" {
		t.Errorf("desired, ready, updated (-want +got):\n%s", diff)
	}
}

func TestPlacementStatusSpeaksOfTheSetAsItIs(t *testing.T) {
	o := seeing(eu())
	o.placement.Status.Revision = "before"
	if got := placementStatus(o); got.Revision != keyOf(o) || got.ObservedGeneration != 5 {
		t.Errorf("revision %q of generation %d, want %q of 5", got.Revision, got.ObservedGeneration, keyOf(o))
	}
	o.set = nil
	if got := placementStatus(o); got.Revision != "before" {
		t.Errorf("without a set: revision %q, want the last", got.Revision)
	}
}

func TestScheduledCondition(t *testing.T) {
	for name, c := range map[string]struct {
		in   *observation
		want metav1.Condition
	}{
		"chosen": {seeing(eu(), named(eu(), "us")), metav1.Condition{
			Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonScheduled, Message: `PlacementPolicy "p" chose 2 clusters`,
		}},
		"none": {seeing(leaves(false)), metav1.Condition{
			Status: metav1.ConditionFalse, Reason: v1alpha1.ReasonNoCluster, Message: "no cluster can run the set",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			got := meta.FindStatusCondition(placementStatus(c.in).Conditions, v1alpha1.ConditionScheduled)
			c.want.Type, c.want.ObservedGeneration, c.want.LastTransitionTime = v1alpha1.ConditionScheduled, 5, got.LastTransitionTime
			if diff := cmp.Diff(c.want, *got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// written is the observation after its status was written.
func written(o *observation) *observation {
	status := placementStatus(o)
	for i := range status.Conditions {
		status.Conditions[i].LastTransitionTime = metav1.Unix(1, 0)
	}
	o.set.Status = setStatus(o, status)
	for i := range o.set.Status.Conditions {
		o.set.Status.Conditions[i].LastTransitionTime = metav1.Unix(1, 0)
	}
	o.placement.Status = status
	for i := range o.members {
		for j := range status.Clusters {
			if status.Clusters[j].Name == o.members[i].name {
				o.members[i].before = &status.Clusters[j]
			}
		}
	}
	return o
}

// restarted is what is seen before anybody has looked at the member since the start.
func restarted(m *member) {
	m.known, m.state, m.outcome, m.set, m.revisions = false, connects, nil, nil, nil
}

func TestWhatWasWrittenIsNotWrittenAgain(t *testing.T) {
	updating := func() member {
		m := eu()
		m.set.Status.ReadyReplicas, m.revisions = 3, map[string]int32{"k1": 3, "k2": 1}
		m.set.Status.Conditions = []metav1.Condition{{Type: lwsv1.ConditionUpdateInProgress, Status: metav1.ConditionTrue}}
		return m
	}
	unreachable := func() member { m := named(eu(), "us"); m.state = away; return m }
	refused := func() member {
		m := named(eu(), "us")
		m.outcome = &propagation.Outcome{State: v1alpha1.ClusterInvalid, Message: "the cluster refuses the set: no"}
		return m
	}
	for name, members := range map[string][]member{
		"all is well":                       {eu(), named(eu(), "us")},
		"an update":                         {updating(), named(eu(), "us")},
		"one is unreachable":                {eu(), unreachable()},
		"one refuses the set":               {eu(), refused()},
		"one is being left":                 {eu(), leaves(false)},
		"an update while one is being left": {updating(), leaves(false)},
		"no cluster is chosen":              {leaves(false)},
	} {
		for when, change := range map[string]func(*observation){
			"at rest": func(*observation) {},
			"after a restart": func(o *observation) {
				for i := range o.members {
					restarted(&o.members[i])
				}
			},
			"after a restart, one was looked at": func(o *observation) {
				for i := range o.members[1:] {
					restarted(&o.members[i+1])
				}
			},
			"after a restart, one is known to be away": func(o *observation) {
				for i := range o.members {
					restarted(&o.members[i])
					if o.members[i].before.Reachable == metav1.ConditionFalse {
						o.members[i].known, o.members[i].state = true, fleet.State{Contact: fleet.Condition{Status: metav1.ConditionFalse}}
					}
				}
			},
		} {
			t.Run(name+", "+when, func(t *testing.T) {
				var own []member
				for _, m := range members {
					m.before = ptr.To(*m.before)
					own = append(own, m)
				}
				o := written(seeing(own...))
				change(o)
				status := placementStatus(o)
				if diff := cmp.Diff(o.placement.Status, status); diff != "" {
					t.Errorf("Placement (-written +now):\n%s", diff)
				}
				if diff := cmp.Diff(o.set.Status, setStatus(o, status)); diff != "" {
					t.Errorf("set (-written +now):\n%s", diff)
				}
			})
		}
	}
}
