package status

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/api/v1alpha1"
	"github.com/lwsfed/lwsfed/pkg/controller/propagation"
)

// told is a set's status in one line: groups, ready, updated, the conditions that are True, and what the three of its
// progress say.
func told(t *testing.T, status lwsv1.LeaderWorkerSetStatus) string {
	t.Helper()
	words := fmt.Sprintf("%d/%d/%d", status.Replicas, status.ReadyReplicas, status.UpdatedReplicas)
	var isTrue []string
	about := map[string]bool{}
	for _, c := range status.Conditions {
		if c.ObservedGeneration != 7 {
			t.Errorf("condition %s speaks of generation %d, want 7", c.Type, c.ObservedGeneration)
		}
		if c.Status == metav1.ConditionTrue {
			isTrue = append(isTrue, c.Type)
		}
		if c.Type != v1alpha1.ConditionScheduled && c.Type != v1alpha1.ConditionApplied {
			about[c.Reason+": "+c.Message] = true
		}
	}
	if len(about) > 1 {
		t.Errorf("the conditions say different things: %v", about)
	}
	for said := range about {
		words += " " + strings.Join(isTrue, "+") + " " + said
	}
	return words
}

func TestSetStatus(t *testing.T) {
	const well = "all groups are ready and as updated as they should be"
	us := func(change func(*member)) member {
		m := named(eu(), "us")
		change(&m)
		return m
	}
	starting := func(m *member) {
		m.before, m.set.Status = nil, lwsv1.LeaderWorkerSetStatus{ObservedGeneration: 2}
	}
	for name, c := range map[string]struct {
		in   *observation
		want string
	}{
		"all is well": {
			seeing(eu(), us(func(*member) {})), "8/8/8 Available+Scheduled+Applied AllGroupsReady: " + well,
		},
		"a group failed": {
			seeing(eu(), us(func(m *member) { m.set.Status.ReadyReplicas, m.set.Status.Conditions = 3, nil })),
			"8/7/8 Progressing+Scheduled+Applied GroupsProgressing: 7 of 8 groups are ready",
		},
		"one is updating": {
			seeing(eu(), us(func(m *member) {
				m.set.Status.UpdatedReplicas = 1
				m.set.Status.Conditions = []metav1.Condition{{Type: lwsv1.ConditionUpdateInProgress, Status: metav1.ConditionTrue}}
			})),
			"8/8/5 Progressing+UpdateInProgress+Scheduled+Applied GroupsUpdating: 5 of 8 groups are updated",
		},
		"the member has not seen its set yet": {
			seeing(eu(), us(func(m *member) { m.set.Generation = 3 })),
			"8/8/8 Progressing+Scheduled+Applied GroupsProgressing: 8 of 8 groups are ready",
		},
		"the member's set has other groups yet": {
			seeing(eu(), us(func(m *member) { m.decision.Replicas = 5 })),
			"8/8/8 Progressing+Scheduled+Applied GroupsProgressing: 8 of 9 groups are ready",
		},
		"the last numbers of an unreachable member count": {
			seeing(eu(), us(func(m *member) { m.state = away })),
			"8/7/5 Available+Scheduled AllGroupsReady: " + well,
		},
		"no group exists yet, and nothing is in the way": {
			seeing(us(starting)), "0/0/0",
		},
		"the first group exists": {
			seeing(us(starting), us(func(m *member) { starting(m); m.name, m.set.Status.Replicas = "x", 1 })),
			"1/0/0 Progressing+Scheduled+Applied GroupsProgressing: 0 of 8 groups are ready",
		},
		"no cluster was chosen": {
			seeing(), "0/0/0 Progressing+Applied GroupsProgressing: 0 of 0 groups are ready",
		},
		"the first cluster refuses the set": {
			seeing(us(func(m *member) {
				starting(m)
				m.set, m.outcome = nil, &propagation.Outcome{State: v1alpha1.ClusterInvalid}
			})),
			"0/0/0 Progressing+Scheduled GroupsProgressing: 0 of 4 groups are ready",
		},
		"another's set is in the first cluster": {
			seeing(us(func(m *member) {
				starting(m)
				m.set, m.outcome = nil, &propagation.Outcome{State: v1alpha1.ClusterConflict}
			})),
			"0/0/0 Progressing+Scheduled GroupsProgressing: 0 of 4 groups are ready",
		},
		"it leaves a cluster that is away": {
			seeing(eu(), func() member { m := named(leaves(false), "us"); m.state = away; return m }()),
			"8/7/5 Available+Scheduled AllGroupsReady: " + well,
		},
		"scaled to nothing": {
			func() *observation {
				o := written(seeing(eu()))
				m := &o.members[0]
				m.decision.Replicas, *m.set.Spec.Replicas = 0, 0
				m.set.Status.Replicas, m.set.Status.ReadyReplicas, m.set.Status.UpdatedReplicas = 0, 0, 0
				return o
			}(),
			"0/0/0 Available+Scheduled+Applied AllGroupsReady: " + well,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := setStatus(c.in, placementStatus(c.in))
			if diff := cmp.Diff(c.want, told(t, got)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// The fleet's template is new, and no member has it yet: each still says that it is well.
func TestANewTemplateIsNotAvailableBeforeItsMembersHaveIt(t *testing.T) {
	o := written(seeing(eu()))
	*o.set.Spec.LeaderWorkerTemplate.Size = 3
	want := "4/4/4 Progressing+Scheduled+Applied GroupsProgressing: 4 of 4 groups are ready"
	if diff := cmp.Diff(want, told(t, setStatus(o, placementStatus(o)))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// What is asked anew is not answered by what was said before the restart.
func TestWhatWasSaidBeforeARestartHoldsUntilSomethingElseIsAsked(t *testing.T) {
	const (
		well     = "4/4/4 Available+Scheduled+Applied AllGroupsReady: all groups are ready and as updated as they should be"
		notKnown = "4/4/4 Progressing+Scheduled+Applied GroupsProgressing: "
	)
	for name, c := range map[string]struct {
		change func(*observation)
		want   string
	}{
		"nothing else":            {func(*observation) {}, well},
		"another template":        {func(o *observation) { *o.set.Spec.LeaderWorkerTemplate.Size = 3 }, notKnown + "4 of 4 groups are ready"},
		"a status that was lost":  {func(o *observation) { o.set.Status = lwsv1.LeaderWorkerSetStatus{} }, notKnown + "4 of 4 groups are ready"},
		"another number":          {func(o *observation) { o.members[0].decision.Replicas = 5 }, notKnown + "4 of 5 groups are ready"},
		"a member that was never": {func(o *observation) { o.members[0].before = nil }, "0/0/0 Progressing+Scheduled GroupsProgressing: 0 of 4 groups are ready"},
		"no member of that name":  {func(o *observation) { o.members[0].registered = false }, strings.Replace(notKnown, "+Applied", "", 1) + "4 of 4 groups are ready"},
	} {
		t.Run(name, func(t *testing.T) {
			o := written(seeing(eu()))
			restarted(&o.members[0])
			c.change(o)
			if diff := cmp.Diff(c.want, told(t, setStatus(o, placementStatus(o)))); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestSetStatusKeepsWhatItDoesNotSay(t *testing.T) {
	o := seeing(eu())
	o.set.Status.Conditions = []metav1.Condition{{Type: "Foreign", Status: metav1.ConditionTrue, ObservedGeneration: 7}}
	got := setStatus(o, placementStatus(o))
	if !meta.IsStatusConditionTrue(got.Conditions, "Foreign") {
		t.Errorf("conditions %v, want Foreign among them", got.Conditions)
	}
	if want := "leaderworkerset.sigs.k8s.io/name=demo,leaderworkerset.sigs.k8s.io/worker-index=0"; got.HPAPodSelector != want {
		t.Errorf("hpaPodSelector %q, want %q", got.HPAPodSelector, want)
	}
	if got.ObservedGeneration != 7 {
		t.Errorf("observedGeneration %d, want 7", got.ObservedGeneration)
	}
}

// The set is the cache's.
func TestSetStatusChangesACopy(t *testing.T) {
	o := written(seeing(eu()))
	before := o.set.DeepCopy()
	o.members[0].set.Status.Conditions = nil
	if diff := cmp.Diff(before.Status, setStatus(o, placementStatus(o))); diff == "" {
		t.Error("the status is the same without the member's condition")
	}
	if diff := cmp.Diff(before, o.set); diff != "" {
		t.Errorf("the set was changed:\n%s", diff)
	}
}

func TestThePlacementsConditionsArePassedOn(t *testing.T) {
	o := seeing(eu())
	placement := placementStatus(o)
	status := setStatus(o, placement)
	for _, kind := range []string{v1alpha1.ConditionScheduled, v1alpha1.ConditionApplied} {
		want, got := meta.FindStatusCondition(placement.Conditions, kind), meta.FindStatusCondition(status.Conditions, kind)
		if got.Status != want.Status || got.Reason != want.Reason || got.Message != want.Message {
			t.Errorf("%s: %v, want that of the Placement, %v", kind, got, want)
		}
	}
}
