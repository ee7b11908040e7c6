package status

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/api/v1alpha1"
	"github.com/lwsfed/lwsfed/pkg/controller/propagation"
	"github.com/lwsfed/lwsfed/pkg/fleet"
)

var (
	lastSeen  = time.Unix(1000, 0)
	answers   = fleet.State{Reachable: true, Engaged: true, Contact: fleet.Condition{Status: metav1.ConditionTrue}, LastContact: lastSeen}
	away      = fleet.State{Engaged: true, Contact: fleet.Condition{Status: metav1.ConditionFalse}, LastContact: lastSeen}
	neverSeen = fleet.State{Contact: fleet.Condition{Status: metav1.ConditionFalse}}
	connects  = fleet.State{Contact: fleet.Condition{Status: metav1.ConditionUnknown}}
)

// eu is a chosen member with 4 groups that are all well, seen before with 3 of them ready.
func eu() member {
	return member{
		name: "eu", registered: true, known: true, state: answers,
		decision:  &v1alpha1.ClusterDecision{Name: "eu", Replicas: 4},
		outcome:   &propagation.Outcome{State: v1alpha1.ClusterApplied},
		before:    ptr.To(before()),
		revisions: map[string]int32{"k2": 4},
		set: &lwsv1.LeaderWorkerSet{
			ObjectMeta: metav1.ObjectMeta{Generation: 2, Annotations: map[string]string{v1alpha1.AnnotationFleetRevision: "k2"}},
			Spec:       lwsv1.LeaderWorkerSetSpec{Replicas: ptr.To[int32](4)},
			Status: lwsv1.LeaderWorkerSetStatus{
				ObservedGeneration: 2, Replicas: 4, ReadyReplicas: 4, UpdatedReplicas: 4,
				Conditions: []metav1.Condition{{Type: lwsv1.ConditionAvailable, Status: metav1.ConditionTrue}},
			},
		},
	}
}

func before() v1alpha1.ClusterStatus {
	return v1alpha1.ClusterStatus{
		Name: "eu", State: v1alpha1.ClusterApplied, Reachable: metav1.ConditionTrue,
		Desired: 4, Replicas: 4, Ready: 3, Updated: 1, Revision: "k1",
		Revisions: []v1alpha1.RevisionCount{{Key: "k1", Groups: 3}, {Key: "k2", Groups: 1}},
	}
}

// now is eu when it was looked at and is well.
func now() v1alpha1.ClusterStatus {
	return v1alpha1.ClusterStatus{
		Name: "eu", State: v1alpha1.ClusterApplied, Reachable: metav1.ConditionTrue,
		Desired: 4, Replicas: 4, Ready: 4, Updated: 4, Revision: "k2",
	}
}

func TestClusterStatus(t *testing.T) {
	changed := func(c v1alpha1.ClusterStatus, change func(*v1alpha1.ClusterStatus)) v1alpha1.ClusterStatus {
		change(&c)
		return c
	}
	unreachable := func(at *metav1.Time) func(*v1alpha1.ClusterStatus) {
		return func(c *v1alpha1.ClusterStatus) {
			c.Reachable, c.Reason, c.LastContactTime = metav1.ConditionFalse, v1alpha1.ReasonUnreachable, at
		}
	}
	earlier := &metav1.Time{Time: lastSeen.Add(-time.Hour)}
	for name, c := range map[string]struct {
		change func(*member)
		want   v1alpha1.ClusterStatus
	}{
		"it is seen": {func(*member) {}, now()},
		"it is seen for the first time": {
			func(m *member) { m.before = nil }, now(),
		},
		"it is in the midst of an update": {
			func(m *member) { m.revisions = map[string]int32{"k3": 1, "k1": 1, "k5": 1, "k2": 1, "k4": 1} },
			changed(now(), func(c *v1alpha1.ClusterStatus) {
				c.Revision, c.Revisions = "k1", nil
				for _, key := range []string{"k1", "k2", "k3", "k4", "k5"} {
					c.Revisions = append(c.Revisions, v1alpha1.RevisionCount{Key: key, Groups: 1})
				}
			}),
		},
		"its leaders are just gone": {
			func(m *member) { m.revisions = nil }, changed(now(), func(c *v1alpha1.ClusterStatus) { c.Revision = "k1" }),
		},
		"an unreachable member's numbers stay": {
			func(m *member) { m.state = away }, changed(before(), unreachable(&metav1.Time{Time: lastSeen})),
		},
		"it is still unreachable": {
			func(m *member) { m.state = away; unreachable(earlier)(m.before) }, changed(before(), unreachable(earlier)),
		},
		"it never answered": {
			func(m *member) { m.state, m.before, m.set, m.outcome = neverSeen, nil, nil, nil },
			v1alpha1.ClusterStatus{
				Name: "eu", State: v1alpha1.ClusterPending, Reason: v1alpha1.ReasonUnreachable, Reachable: metav1.ConditionFalse, Desired: 4,
			},
		},
		"it went away with the hub": {
			func(m *member) { m.state, m.set, m.outcome = neverSeen, nil, nil }, changed(before(), unreachable(nil)),
		},
		"it is still away after a restart": {
			func(m *member) { m.state, m.set, m.outcome = neverSeen, nil, nil; unreachable(earlier)(m.before) },
			changed(before(), unreachable(earlier)),
		},
		"it is back": {
			func(m *member) { unreachable(earlier)(m.before) }, now(),
		},
		"nobody has looked since the start": {
			func(m *member) { m.known, m.state, m.set, m.outcome, m.revisions = false, connects, nil, nil, nil }, before(),
		},
		"nobody has looked since the start, and it was away": {
			func(m *member) {
				m.known, m.state, m.set, m.outcome, m.revisions = false, connects, nil, nil, nil
				unreachable(earlier)(m.before)
			},
			changed(before(), unreachable(earlier)),
		},
		"nobody has ever looked": {
			func(m *member) { m.known, m.state, m.set, m.outcome, m.before = false, connects, nil, nil, nil },
			v1alpha1.ClusterStatus{
				Name: "eu", State: v1alpha1.ClusterPending, Reason: v1alpha1.ReasonPending, Reachable: metav1.ConditionTrue, Desired: 4,
			},
		},
		"it answers, and the set is not known to be there": {
			func(m *member) { m.set, m.outcome = nil, nil }, before(),
		},
		"it answers while its caches are filled": {
			func(m *member) { m.state.Reachable = false }, before(),
		},
		"another number of groups is decided": {
			func(m *member) { m.decision.Replicas = 6 }, changed(now(), func(c *v1alpha1.ClusterStatus) { c.Desired = 6 }),
		},
		"it is not chosen any more": {
			func(m *member) {
				m.decision, m.outcome = nil, &propagation.Outcome{State: v1alpha1.ClusterLeaving, Message: "waiting"}
			},
			changed(now(), func(c *v1alpha1.ClusterStatus) {
				c.Desired, c.State, c.Reason, c.Message = 0, v1alpha1.ClusterLeaving, v1alpha1.ReasonLeaving, "waiting"
			}),
		},
		"it is no member any more": {
			func(m *member) {
				m.registered, m.known, m.state, m.set, m.outcome = false, false, fleet.State{}, nil, nil
			},
			changed(before(), unreachable(nil)),
		},
		"an override cannot be applied": {
			func(m *member) {
				m.outcome = &propagation.Outcome{State: v1alpha1.ClusterInvalid, Reason: v1alpha1.ReasonInvalidOverride, Message: "no"}
			},
			changed(now(), func(c *v1alpha1.ClusterStatus) {
				c.State, c.Reason, c.Message = v1alpha1.ClusterInvalid, v1alpha1.ReasonInvalidOverride, "no"
			}),
		},
		"an override could not be applied, and nobody has looked since the start": {
			func(m *member) {
				m.known, m.state, m.set, m.outcome, m.revisions = false, connects, nil, nil, nil
				m.before.State, m.before.Reason = v1alpha1.ClusterInvalid, v1alpha1.ReasonInvalidOverride
			},
			changed(before(), func(c *v1alpha1.ClusterStatus) {
				c.State, c.Reason = v1alpha1.ClusterInvalid, v1alpha1.ReasonInvalidOverride
			}),
		},
		"what stood in the way is over": {
			func(m *member) { m.before.State, m.before.Message = v1alpha1.ClusterInvalid, "no" }, now(),
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := eu()
			c.change(&m)
			var old *v1alpha1.ClusterStatus
			if m.before != nil {
				old = m.before.DeepCopy()
			}
			if diff := cmp.Diff(c.want, clusterStatus(m)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if diff := cmp.Diff(old, m.before); diff != "" {
				t.Errorf("what was written before was changed:\n%s", diff)
			}
		})
	}
}
