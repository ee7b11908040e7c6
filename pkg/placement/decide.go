package placement

import (
	"cmp"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/api/v1alpha1"
)

// Input is all that a decision depends on.
type Input struct {
	// Set is the hub's set.
	Set *lwsv1.LeaderWorkerSet
	// Policies are those of the set's namespace.
	Policies []v1alpha1.PlacementPolicy
	// Members is the fleet.
	Members []v1alpha1.MemberCluster
	// Current is the set's Placement, nil before the first decision.
	Current *v1alpha1.Placement
	// Unsupported are the fields of the set that lwsfed refuses.
	Unsupported field.ErrorList
}

// Decision is where a set runs, with the reasons.
type Decision struct {
	// Keep says that there is nothing to decide from: what runs stays as it is, and a set that runs
	// nowhere is not placed.
	Keep bool
	// Policy decided; nil without one.
	Policy *v1alpha1.PlacementPolicy
	// Clusters run the set, by name. Empty if Keep.
	Clusters []v1alpha1.ClusterDecision
	// Unschedulable is the number of groups that no cluster has room for.
	Unschedulable int32
	// Reason and Message are those of the condition Scheduled.
	Reason, Message string
}

// Decide says where a set runs. A member that is not Ready keeps the set and gains no groups; it loses
// groups only where it would have fewer if it were Ready.
func Decide(in Input) Decision {
	policy, why := Choose(in.Set, in.Policies)
	if policy == nil {
		return Decision{Keep: true, Reason: v1alpha1.ReasonNoPolicy, Message: v1alpha1.Message(why)}
	}
	if len(in.Unsupported) > 0 {
		message := in.Unsupported.ToAggregate().Error()
		return Decision{Keep: true, Policy: policy, Reason: v1alpha1.ReasonUnsupportedField, Message: v1alpha1.Message(message)}
	}
	rules, err := newRules(policy)
	if err != nil {
		message := fmt.Sprintf("PlacementPolicy %q cannot be read: %v", policy.Name, err)
		return Decision{Keep: true, Policy: policy, Reason: v1alpha1.ReasonNoPolicy, Message: v1alpha1.Message(message)}
	}
	picked := pick(in, rules)
	d := Decision{Policy: policy}
	if len(picked.chosen) == 0 {
		d.Reason, d.Message = v1alpha1.ReasonNoCluster, picked.noCluster(policy.Name, len(in.Members))
		return d
	}
	d.Clusters, d.Unschedulable = give(in.Set, rules, picked.chosen)
	d.Reason, d.Message = v1alpha1.ReasonScheduled, picked.scheduled(why)
	if d.Unschedulable > 0 {
		d.Reason = v1alpha1.ReasonInsufficientRoom
		d.Message = picked.insufficientRoom(d.Unschedulable, replicas(in.Set))
	}
	return d
}

// Condition returns the condition Scheduled for an object of that generation. Its time is not set.
func (d Decision) Condition(generation int64) metav1.Condition {
	status := metav1.ConditionFalse
	if d.Reason == v1alpha1.ReasonScheduled {
		status = metav1.ConditionTrue
	}
	return metav1.Condition{
		Type: v1alpha1.ConditionScheduled, Status: status,
		Reason: d.Reason, Message: d.Message, ObservedGeneration: generation,
	}
}

// Spec returns the Placement's spec for set. It must not be called on a decision with Keep.
func (d Decision) Spec(set *lwsv1.LeaderWorkerSet) v1alpha1.PlacementSpec {
	p := d.Policy.Spec
	return v1alpha1.PlacementSpec{
		SetUID:             string(set.UID),
		Policy:             d.Policy.Name,
		Clusters:           d.Clusters,
		Replicas:           cmp.Or(p.Replicas.Type, v1alpha1.Duplicated),
		ConflictResolution: cmp.Or(p.ConflictResolution, v1alpha1.ConflictAbort),
		DeletionPolicy:     cmp.Or(p.DeletionPolicy, v1alpha1.DeletionDelete),
	}
}

// rules is a policy with its selectors read.
type rules struct {
	policy    *v1alpha1.PlacementPolicy
	clusters  clusterSelector
	overrides []clusterSelector
}

func newRules(p *v1alpha1.PlacementPolicy) (rules, error) {
	r := rules{policy: p, overrides: make([]clusterSelector, len(p.Spec.Overrides))}
	var err error
	if r.clusters, err = newClusterSelector(p.Spec.Clusters.Names, p.Spec.Clusters.Selector); err != nil {
		return r, fmt.Errorf("spec.clusters.selector: %w", err)
	}
	for i, o := range p.Spec.Overrides {
		if r.overrides[i], err = newClusterSelector(o.Clusters.Names, o.Clusters.Selector); err != nil {
			return r, fmt.Errorf("spec.overrides[%d].clusters.selector: %w", i, err)
		}
	}
	return r, nil
}

// patches returns the patches of the overrides that match a member, in order.
func (r rules) patches(m *v1alpha1.MemberCluster) []v1alpha1.JSONPatch {
	var out []v1alpha1.JSONPatch
	for i, o := range r.policy.Spec.Overrides {
		if r.overrides[i].matches(m) {
			out = append(out, o.Patches...)
		}
	}
	return out
}

// candidate is a member that runs the set.
type candidate struct {
	member *v1alpha1.MemberCluster
	here   bool  // the set is placed there already
	groups int32 // its groups there, if here
}

// refused is a member that matches and does not run the set.
type refused struct{ name, reason string }

type picked struct {
	chosen  []candidate
	refused []refused
}

// pick chooses members, both lists sorted by name.
func pick(in Input, r rules) picked {
	current := map[string]int32{}
	if in.Current != nil {
		for _, c := range in.Current.Spec.Clusters {
			current[c.Name] = c.Replicas
		}
	}
	var out picked
	for i := range in.Members {
		m := &in.Members[i]
		if !r.clusters.matches(m) {
			continue
		}
		groups, here := current[m.Name]
		if why := refusal(m, r.policy.Spec.Clusters.Tolerations, here); why != "" {
			out.refused = append(out.refused, refused{m.Name, why})
			continue
		}
		out.chosen = append(out.chosen, candidate{member: m, here: here, groups: groups})
	}
	slices.SortFunc(out.chosen, func(a, b candidate) int { return cmp.Compare(a.member.Name, b.member.Name) })
	slices.SortFunc(out.refused, func(a, b refused) int { return cmp.Compare(a.name, b.name) })
	return out
}

func replicas(set *lwsv1.LeaderWorkerSet) int32 { return ptr.Deref(set.Spec.Replicas, 1) }
