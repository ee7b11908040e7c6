package fleet

import (
	"time"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwsfed/lwsfed/api/v1alpha1"
)

// Condition is one of a member's conditions, as the fleet sees it now.
type Condition struct {
	Status  metav1.ConditionStatus
	Reason  string
	Message string
}

// State is what the fleet knows of a member.
type State struct {
	// Reachable says that the member is engaged and answers. False also before the first connect.
	Reachable bool
	// Ready says that Contact, Bootstrapped and Compatible are all True.
	Ready bool
	// Engaged says that the member's caches are in sync and its controllers run. It stays true while the member
	// is unreachable.
	Engaged bool
	// Reason and Message are those of the first condition that is False, or else of the first that is Unknown.
	Reason, Message string
	// Version is the member's Kubernetes version, such as v1.36.3. Empty until it was read once.
	Version string
	// ClusterUID is the UID of the member's namespace kube-system.
	ClusterUID string
	// LastContact is when the member last answered. Zero if never.
	LastContact time.Time
	// Contact, Bootstrapped and Compatible are the conditions Reachable, Bootstrapped and Compatible.
	Contact, Bootstrapped, Compatible Condition
	// Capacity is the sum of the member's nodes, at most about a minute old. Nil until it was read once.
	Capacity *v1alpha1.Capacity
	// Workloads says which sets lwsfed runs in the member.
	Workloads v1alpha1.Workloads
}

// newState is the state of a member that nobody has talked to.
func newState(w v1alpha1.Workloads) State {
	return State{
		Workloads:    w,
		Contact:      Condition{metav1.ConditionUnknown, v1alpha1.ReasonConnecting, "connecting for the first time"},
		Bootstrapped: Condition{metav1.ConditionUnknown, v1alpha1.ReasonPending, "waiting for the first connection"},
		Compatible:   Condition{metav1.ConditionUnknown, v1alpha1.ReasonPending, "waiting for the first connection"},
	}.derive()
}

// derive fills the fields that follow from the others.
func (s State) derive() State {
	s.Reachable = s.Engaged && s.Contact.Status == metav1.ConditionTrue
	s.Ready, s.Reason, s.Message = true, v1alpha1.ReasonReady, "sets can be placed in the member"
	failed := s.Failed()
	for _, c := range []Condition{s.Contact, s.Compatible, s.Bootstrapped} {
		// What failed says more than what only waits for it.
		if c.Status == metav1.ConditionFalse || !failed && c.Status != metav1.ConditionTrue {
			s.Ready, s.Reason, s.Message = false, c.Reason, c.Message
			break
		}
	}
	return s
}

// Failed reports whether one of the conditions is False.
func (s State) Failed() bool {
	return s.Contact.Status == metav1.ConditionFalse || s.Compatible.Status == metav1.ConditionFalse ||
		s.Bootstrapped.Status == metav1.ConditionFalse
}

// contacted records that the member answered.
func (s *State) contacted() {
	s.LastContact = time.Now()
	s.Contact = Condition{metav1.ConditionTrue, v1alpha1.ReasonReachable, "the API server answers"}
	for _, c := range []*Condition{&s.Bootstrapped, &s.Compatible} {
		if c.Status == metav1.ConditionUnknown {
			*c = awaitsBootstrap
		}
	}
}

// awaitsBootstrap is what is known of a condition before the member was prepared.
var awaitsBootstrap = Condition{metav1.ConditionUnknown, v1alpha1.ReasonPending, "waiting for the bootstrap"}

// report records what preparing the member found out; what it does not say stays.
func (s *State) report(r Report) {
	if r.Version != "" {
		s.Version = r.Version
	}
	if r.ClusterUID != "" {
		s.ClusterUID = r.ClusterUID
	}
}

// failed records a failure in the condition that it concerns. A failure of another condition than Reachable is an
// answer of the member.
func (s *State) failed(f *Failure) {
	c := Condition{metav1.ConditionFalse, f.Reason, f.Error()}
	switch f.Condition {
	case v1alpha1.ConditionReachable:
		s.Contact = c
		return
	case v1alpha1.ConditionCompatible:
		s.Compatible = c
	default:
		s.Bootstrapped = c
		if s.Compatible.Status == metav1.ConditionFalse {
			s.Compatible = awaitsBootstrap
		}
	}
	s.contacted()
}

// says reports whether both states say the same, their times of last contact aside.
func (s State) says(other State) bool {
	sameCapacity := apiequality.Semantic.DeepEqual(s.Capacity, other.Capacity)
	s.Capacity, other.Capacity = nil, nil
	s.LastContact, other.LastContact = time.Time{}, time.Time{}
	return sameCapacity && s == other
}
