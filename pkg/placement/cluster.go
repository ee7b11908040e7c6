package placement

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/lwsfed/lwsfed/api/v1alpha1"
)

// Ready says whether sets can be placed in a member.
func Ready(m *v1alpha1.MemberCluster) bool {
	return apimeta.IsStatusConditionTrue(m.Status.Conditions, v1alpha1.ConditionReady)
}

// clusterSelector is names and a label selector; absent ones match every member.
type clusterSelector struct {
	names    []string
	selector labels.Selector
}

func newClusterSelector(names []string, s *metav1.LabelSelector) (clusterSelector, error) {
	c := clusterSelector{names: names, selector: labels.Everything()}
	if s == nil {
		return c, nil
	}
	var err error
	c.selector, err = metav1.LabelSelectorAsSelector(s)
	return c, err
}

func (c clusterSelector) matches(m *v1alpha1.MemberCluster) bool {
	return (len(c.names) == 0 || slices.Contains(c.names, m.Name)) && c.selector.Matches(labels.Set(m.Labels))
}

// SelectsCluster says whether a policy could run sets in a member, whatever its taints and state.
func SelectsCluster(p *v1alpha1.PlacementPolicy, m *v1alpha1.MemberCluster) bool {
	c, err := newClusterSelector(p.Spec.Clusters.Names, p.Spec.Clusters.Selector)
	return err == nil && c.matches(m)
}

// refusal returns why a member that a policy selects does not run the set, "" if it does. here says that
// the set is placed there already. Unreachable is not absent: a member that is not Ready keeps a set.
func refusal(m *v1alpha1.MemberCluster, tolerations []corev1.Toleration, here bool) string {
	if m.DeletionTimestamp != nil {
		return "being removed from the fleet"
	}
	for _, t := range m.Spec.Taints {
		if keepsAway(t, here) && !tolerated(t, tolerations) {
			return fmt.Sprintf("taint %s not tolerated", t.ToString())
		}
	}
	if !here && !Ready(m) {
		return "not Ready"
	}
	return ""
}

// keepsAway says whether a taint matters: NoExecute always, NoSchedule to a set that is not there yet.
func keepsAway(t corev1.Taint, here bool) bool {
	return t.Effect == corev1.TaintEffectNoExecute || t.Effect == corev1.TaintEffectNoSchedule && !here
}

func tolerated(t corev1.Taint, tolerations []corev1.Toleration) bool {
	return slices.ContainsFunc(tolerations, func(o corev1.Toleration) bool { return tolerates(o, t) })
}

// tolerates is the rule of nodes: an empty effect tolerates every effect, an empty key with Exists every taint.
func tolerates(o corev1.Toleration, t corev1.Taint) bool {
	if o.Effect != "" && o.Effect != t.Effect {
		return false
	}
	switch o.Operator {
	case corev1.TolerationOpExists:
		return o.Key == "" || o.Key == t.Key
	case corev1.TolerationOpEqual, "":
		return o.Key == t.Key && o.Value == t.Value
	default:
		return false
	}
}
