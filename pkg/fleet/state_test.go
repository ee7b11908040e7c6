package fleet

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwsfed/lwsfed/api/v1alpha1"
)

func condition(status metav1.ConditionStatus, reason string) Condition {
	return Condition{Status: status, Reason: reason, Message: "about " + reason}
}

func TestStateFollowsFromItsConditions(t *testing.T) {
	yes, no, unknown := metav1.ConditionTrue, metav1.ConditionFalse, metav1.ConditionUnknown
	for name, c := range map[string]struct {
		contact, compatible, bootstrapped metav1.ConditionStatus
		engaged                           bool
		ready, reachable                  bool
		reason                            string
	}{
		"all is well":                             {yes, yes, yes, true, true, true, v1alpha1.ReasonReady},
		"well, its caches being filled":           {yes, yes, yes, false, true, false, v1alpha1.ReasonReady},
		"nobody has talked to it":                 {unknown, unknown, unknown, false, false, false, "contact"},
		"it does not answer":                      {no, yes, yes, true, false, false, "contact"},
		"it does not answer, and never did":       {no, unknown, unknown, false, false, false, "contact"},
		"it answers, and is not prepared yet":     {yes, unknown, unknown, false, false, false, "compatible"},
		"it is too old":                           {yes, no, unknown, false, false, false, "compatible"},
		"it could not be prepared":                {yes, yes, no, true, false, true, "bootstrapped"},
		"it could not be asked what it is":        {yes, unknown, no, false, false, false, "bootstrapped"},
		"all fails, the contact says it":          {no, no, no, true, false, false, "contact"},
		"it is too old and could not be prepared": {yes, no, no, true, false, true, "compatible"},
	} {
		t.Run(name, func(t *testing.T) {
			got := State{
				Engaged: c.engaged, Ready: !c.ready, Reachable: !c.reachable, Reason: "before",
				Contact: condition(c.contact, "contact"), Compatible: condition(c.compatible, "compatible"), Bootstrapped: condition(c.bootstrapped, "bootstrapped"),
			}.derive()
			if got.Ready != c.ready || got.Reachable != c.reachable || got.Reason != c.reason {
				t.Errorf("ready %v, reachable %v, reason %q; want %v, %v, %q", got.Ready, got.Reachable, got.Reason, c.ready, c.reachable, c.reason)
			}
			if !c.ready && got.Message != "about "+c.reason {
				t.Errorf("message %q, want the condition's", got.Message)
			}
		})
	}
}

func TestStateAfterAFailure(t *testing.T) {
	old := time.Unix(1000, 0)
	well := State{Engaged: true, LastContact: old, Contact: condition("True", "c"), Compatible: compatible, Bootstrapped: bootstrapped, Version: "v1.36.3"}
	tooOld := well
	tooOld.Compatible = condition("False", v1alpha1.ReasonVersionTooOld)
	down := well
	down.Contact = condition("False", v1alpha1.ReasonUnreachable)
	never := newState("")
	for name, c := range map[string]struct {
		in        State
		condition string
		want      []metav1.ConditionStatus // contact, compatible, bootstrapped
		contact   bool                     // the member has answered
	}{
		"no answer":                      {well, v1alpha1.ConditionReachable, []metav1.ConditionStatus{"False", "True", "True"}, false},
		"no answer ever":                 {never, v1alpha1.ConditionReachable, []metav1.ConditionStatus{"False", "Unknown", "Unknown"}, false},
		"it is too old":                  {well, v1alpha1.ConditionCompatible, []metav1.ConditionStatus{"True", "False", "True"}, true},
		"it is not prepared":             {well, v1alpha1.ConditionBootstrapped, []metav1.ConditionStatus{"True", "True", "False"}, true},
		"it answers again, not prepared": {down, v1alpha1.ConditionBootstrapped, []metav1.ConditionStatus{"True", "True", "False"}, true},
		"it was too old, not prepared":   {tooOld, v1alpha1.ConditionBootstrapped, []metav1.ConditionStatus{"True", "Unknown", "False"}, true},
		"first answer, not prepared":     {never, v1alpha1.ConditionBootstrapped, []metav1.ConditionStatus{"True", "Unknown", "False"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := c.in
			s.failed(&Failure{c.condition, "why", errors.New("in words")})
			got := []metav1.ConditionStatus{s.Contact.Status, s.Compatible.Status, s.Bootstrapped.Status}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("contact, compatible, bootstrapped (-want +got):\n%s", diff)
			}
			if answered := s.LastContact.After(c.in.LastContact); answered != c.contact {
				t.Errorf("last contact %s, want now: %v", s.LastContact, c.contact)
			}
			if s = s.derive(); s.Reason != "why" || s.Message != "in words" {
				t.Errorf("not ready for %s: %s, want the failure", s.Reason, s.Message)
			}
			if s.Version != c.in.Version || s.Engaged != c.in.Engaged {
				t.Error("the failure changed what it does not concern")
			}
		})
	}
}

func TestAReportKeepsWhatItDoesNotSay(t *testing.T) {
	s := State{Version: "v1.36.3", ClusterUID: "a"}
	s.report(Report{})
	if s.Version != "v1.36.3" || s.ClusterUID != "a" {
		t.Errorf("after an empty report: %+v", s)
	}
	s.report(Report{Version: "v1.37.0"})
	s.report(Report{ClusterUID: "b"})
	if s.Version != "v1.37.0" || s.ClusterUID != "b" {
		t.Errorf("after two reports: %+v", s)
	}
}

func TestStatesThatSayTheSame(t *testing.T) {
	capacity := func(gpus string) *v1alpha1.Capacity {
		return &v1alpha1.Capacity{Nodes: 1, Accelerators: map[corev1.ResourceName]resource.Quantity{"gpu": resource.MustParse(gpus)}}
	}
	for name, c := range map[string]struct {
		change func(*State)
		want   bool
	}{
		"nothing changed":                      {func(*State) {}, true},
		"a later contact":                      {func(s *State) { s.LastContact = time.Unix(2000, 0) }, true},
		"the same capacity, otherwise spelled": {func(s *State) { s.Capacity = capacity("8000m") }, true},
		"another capacity":                     {func(s *State) { s.Capacity = capacity("7") }, false},
		"no capacity":                          {func(s *State) { s.Capacity = nil }, false},
		"another message":                      {func(s *State) { s.Contact.Message = "x" }, false},
		"another version":                      {func(s *State) { s.Version = "v1.37.0" }, false},
		"engaged":                              {func(s *State) { s.Engaged = true }, false},
		"other workloads":                      {func(s *State) { s.Workloads = v1alpha1.WorkloadsAll }, false},
	} {
		t.Run(name, func(t *testing.T) {
			before := newState(v1alpha1.WorkloadsFederated)
			before.Capacity, before.LastContact = capacity("8"), time.Unix(1000, 0)
			after := before
			c.change(&after)
			if got := before.says(after); got != c.want {
				t.Errorf("says = %v, want %v", got, c.want)
			}
			if before.Capacity == nil || before.LastContact.IsZero() {
				t.Error("the comparison changed the state")
			}
		})
	}
}
