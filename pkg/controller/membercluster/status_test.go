package membercluster

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwsfed/lwsfed/api/v1alpha1"
	"github.com/lwsfed/lwsfed/pkg/fleet"
)

var (
	before = time.Unix(1000, 0)
	later  = time.Unix(2000, 0)
)

func is(status metav1.ConditionStatus, reason string) fleet.Condition {
	return fleet.Condition{Status: status, Reason: reason, Message: "in words"}
}

// well is the state of a member at rest.
func well() fleet.State {
	return fleet.State{
		Ready: true, Reachable: true, Engaged: true, Reason: v1alpha1.ReasonReady, Message: "in words", LastContact: before,
		Version: "v1.36.3", ClusterUID: "uid", Capacity: &v1alpha1.Capacity{Nodes: 3},
		Contact: is("True", v1alpha1.ReasonReachable), Compatible: is("True", v1alpha1.ReasonCompatible), Bootstrapped: is("True", v1alpha1.ReasonBootstrapped),
	}
}

// started is the state of a member that nobody has talked to since the start.
func started() fleet.State {
	return fleet.State{
		Reason: v1alpha1.ReasonConnecting, Message: "in words",
		Contact: is("Unknown", v1alpha1.ReasonConnecting), Compatible: is("Unknown", v1alpha1.ReasonPending), Bootstrapped: is("Unknown", v1alpha1.ReasonPending),
	}
}

// because is a state that is not ready for that reason.
func because(reason string, s fleet.State, change func(*fleet.State)) fleet.State {
	s.Ready, s.Reason = false, reason
	change(&s)
	return s
}

func answers(s *fleet.State) { s.Contact, s.LastContact = is("True", v1alpha1.ReasonReachable), later }

func away(s *fleet.State) { s.Reachable, s.Contact = false, is("False", v1alpha1.ReasonUnreachable) }

// memberWith is a member whose status was written for these states, one after the other.
func memberWith(states ...fleet.State) *v1alpha1.MemberCluster {
	m := &v1alpha1.MemberCluster{ObjectMeta: metav1.ObjectMeta{Name: "eu", Generation: 7}}
	for _, s := range states {
		m.Status = statusOf(m, s, "")
	}
	return m
}

// conditions are status and reason by type.
func conditions(t *testing.T, status v1alpha1.MemberClusterStatus) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, c := range status.Conditions {
		if c.ObservedGeneration != 7 {
			t.Errorf("%s speaks of generation %d, want 7", c.Type, c.ObservedGeneration)
		}
		if c.Message != "in words" {
			t.Errorf("%s says %q, want what the fleet says", c.Type, c.Message)
		}
		all[c.Type] = string(c.Status) + " " + c.Reason
	}
	return all
}

func TestConditionsOfAMember(t *testing.T) {
	const reachable, compatible, bootstrapped = "True Reachable", "True Compatible", "True Bootstrapped"
	all := func(ready, contact, compatible, bootstrapped string) map[string]string {
		return map[string]string{"Ready": ready, "Reachable": contact, "Compatible": compatible, "Bootstrapped": bootstrapped}
	}
	prepared := func(s *fleet.State) { answers(s); s.Compatible = is("True", v1alpha1.ReasonCompatible) }
	tooOld := func(s *fleet.State) { answers(s); s.Compatible = is("False", v1alpha1.ReasonVersionTooOld) }
	forbidden := func(s *fleet.State) { answers(s); s.Bootstrapped = is("False", v1alpha1.ReasonForbidden) }
	for name, c := range map[string]struct {
		was  *v1alpha1.MemberCluster
		now  fleet.State
		want map[string]string
	}{
		"a new one": {
			memberWith(), started(), all("Unknown Connecting", "Unknown Connecting", "Unknown Pending", "Unknown Pending"),
		},
		"a new one answers": {
			memberWith(started()), because(v1alpha1.ReasonPending, started(), answers),
			all("False Pending", reachable, "Unknown Pending", "Unknown Pending"),
		},
		"a new one does not": {
			memberWith(started()), because(v1alpha1.ReasonUnreachable, started(), away),
			all("False Unreachable", "False Unreachable", "Unknown Pending", "Unknown Pending"),
		},
		"a new one is too old": {
			memberWith(started()), because(v1alpha1.ReasonVersionTooOld, started(), tooOld),
			all("False VersionTooOld", reachable, "False VersionTooOld", "Unknown Pending"),
		},
		"it is well": {
			memberWith(started()), well(), all("True Ready", reachable, compatible, bootstrapped),
		},
		"it is away": {
			memberWith(well()), because(v1alpha1.ReasonUnreachable, well(), away),
			all("False Unreachable", "False Unreachable", compatible, bootstrapped),
		},
		"it is back": {
			memberWith(well(), because(v1alpha1.ReasonUnreachable, well(), away)), well(),
			all("True Ready", reachable, compatible, bootstrapped),
		},
		"a restart": {
			memberWith(well()), started(), all("True Ready", reachable, compatible, bootstrapped),
		},
		"a restart while it is away": {
			memberWith(well(), because(v1alpha1.ReasonUnreachable, well(), away)), started(),
			all("False Unreachable", "False Unreachable", compatible, bootstrapped),
		},
		"a restart, and it answers": {
			memberWith(well()), because(v1alpha1.ReasonPending, started(), answers), all("True Ready", reachable, compatible, bootstrapped),
		},
		"a restart, and it is prepared": {
			memberWith(well()), because(v1alpha1.ReasonPending, started(), prepared), all("True Ready", reachable, compatible, bootstrapped),
		},
		"a restart, and it does not answer": {
			memberWith(well()), because(v1alpha1.ReasonUnreachable, started(), away),
			all("False Unreachable", "False Unreachable", compatible, bootstrapped),
		},
		"a restart, and it is too old by now": {
			memberWith(well()), because(v1alpha1.ReasonVersionTooOld, started(), tooOld),
			all("False VersionTooOld", reachable, "False VersionTooOld", bootstrapped),
		},
		"a restart, and a right is gone": {
			memberWith(well()), because(v1alpha1.ReasonForbidden, started(), forbidden),
			all("False Forbidden", reachable, compatible, "False Forbidden"),
		},
		"a restart of one that failed, and it answers": {
			memberWith(because(v1alpha1.ReasonForbidden, well(), forbidden)), because(v1alpha1.ReasonPending, started(), answers),
			all("False Forbidden", reachable, compatible, "Unknown Pending"),
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, conditions(t, statusOf(c.was, c.now, ""))); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestWhatWasSeenOfAMemberStays(t *testing.T) {
	seen := memberWith(well()).Status
	for name, now := range map[string]fleet.State{
		"a restart":  started(),
		"it is away": because(v1alpha1.ReasonUnreachable, started(), away),
		"it answers": because(v1alpha1.ReasonPending, started(), answers),
		"at rest":    well(),
	} {
		t.Run(name, func(t *testing.T) {
			got := statusOf(memberWith(well()), now, "")
			if got.KubernetesVersion != "v1.36.3" || got.ClusterUID != "uid" || got.Capacity == nil || got.Capacity.Nodes != 3 {
				t.Errorf("%+v, want version, UID and capacity as seen before", got)
			}
			if diff := cmp.Diff(seen.LastContactTime, got.LastContactTime); diff != "" {
				t.Errorf("last contact (-before +now):\n%s", diff)
			}
		})
	}
	upgraded := well()
	upgraded.Version, upgraded.ClusterUID, upgraded.Capacity = "v1.37.0", "other", &v1alpha1.Capacity{Nodes: 4}
	if got := statusOf(memberWith(well()), upgraded, ""); got.KubernetesVersion != "v1.37.0" || got.ClusterUID != "other" || got.Capacity.Nodes != 4 {
		t.Errorf("%+v, want what is seen now", got)
	}
}

// At rest the hub writes nothing, though a member answers every two seconds.
func TestLastContactIsWrittenWhenReachabilityChanges(t *testing.T) {
	stillWell, isAway := well(), because(v1alpha1.ReasonUnreachable, well(), away)
	stillWell.LastContact, isAway.LastContact = later, later
	stillAway := isAway
	stillAway.LastContact = later.Add(time.Hour)
	back := well()
	back.LastContact = stillAway.LastContact
	never := because(v1alpha1.ReasonUnreachable, started(), away)
	for name, c := range map[string]struct {
		was  *v1alpha1.MemberCluster
		now  fleet.State
		want *time.Time
	}{
		"it answers for the first time": {memberWith(started()), well(), &before},
		"it answers again":              {memberWith(well()), stillWell, &before},
		"it answers no more":            {memberWith(well()), isAway, &later},
		"it answers no more still":      {memberWith(well(), isAway), stillAway, &later},
		"it is back":                    {memberWith(well(), isAway), back, &back.LastContact},
		"it never answered":             {memberWith(started()), never, nil},
		"it went away with the hub":     {memberWith(well()), never, &before},
	} {
		t.Run(name, func(t *testing.T) {
			var want *metav1.Time
			if c.want != nil {
				want = &metav1.Time{Time: *c.want}
			}
			if diff := cmp.Diff(want, statusOf(c.was, c.now, "").LastContactTime); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestAKubeconfigThatCannotBeUsed(t *testing.T) {
	m := memberWith(well())
	got := statusOf(m, well(), "in words")
	want := map[string]string{
		"Ready": "False InvalidCredentials", "Reachable": "False InvalidCredentials", "Compatible": "True Compatible", "Bootstrapped": "True Bootstrapped",
	}
	if diff := cmp.Diff(want, conditions(t, got)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff(memberWith(well()).Status.Capacity, got.Capacity); diff != "" {
		t.Errorf("capacity (-want +got):\n%s", diff)
	}
	m.Status = got
	if diff := cmp.Diff("True Ready", conditions(t, statusOf(m, well(), ""))["Ready"]); diff != "" {
		t.Errorf("after it was mended (-want +got):\n%s", diff)
	}
}

func TestTheSameStateIsTheSameStatus(t *testing.T) {
	for name, s := range map[string]fleet.State{"new": started(), "well": well(), "away": because(v1alpha1.ReasonUnreachable, well(), away)} {
		m := memberWith(s)
		kept := m.DeepCopy()
		if diff := cmp.Diff(m.Status, statusOf(m, s, "")); diff != "" {
			t.Errorf("%s (-written +again):\n%s", name, diff)
		}
		other := because(v1alpha1.ReasonForbidden, s, func(s *fleet.State) { s.Bootstrapped = is("False", v1alpha1.ReasonForbidden) })
		statusOf(m, other, "no")
		if diff := cmp.Diff(kept, m); diff != "" {
			t.Errorf("%s: the member was changed:\n%s", name, diff)
		}
	}
}
