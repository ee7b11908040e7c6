package local

import (
	"fmt"
	"strconv"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
)

// policy annotates new pods for which the condition holds.
func (h *hold) policy(condition string) *admissionregistrationv1.MutatingAdmissionPolicy {
	fail := admissionregistrationv1.Fail
	annotate := fmt.Sprintf("Object{metadata: Object.metadata{annotations: {%q: %q}}}", notReadyAnnotation, h.name)
	return &admissionregistrationv1.MutatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: h.name},
		Spec: admissionregistrationv1.MutatingAdmissionPolicySpec{
			MatchConstraints: &admissionregistrationv1.MatchResources{
				NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: h.namespace}},
				ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{{RuleWithOperations: admissionregistrationv1.RuleWithOperations{
					Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create},
					Rule:       admissionregistrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"pods"}},
				}}},
			},
			MatchConditions:    []admissionregistrationv1.MatchCondition{{Name: "selected", Expression: condition}},
			FailurePolicy:      &fail,
			ReinvocationPolicy: admissionregistrationv1.NeverReinvocationPolicy,
			Mutations: []admissionregistrationv1.Mutation{{
				PatchType:          admissionregistrationv1.PatchTypeApplyConfiguration,
				ApplyConfiguration: &admissionregistrationv1.ApplyConfiguration{Expression: annotate},
			}},
		},
	}
}

func (h *hold) binding() *admissionregistrationv1.MutatingAdmissionPolicyBinding {
	return &admissionregistrationv1.MutatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: h.name},
		Spec:       admissionregistrationv1.MutatingAdmissionPolicyBindingSpec{PolicyName: h.name},
	}
}

const celLabels = "object.metadata.?labels.orValue({})"

// matchExpression says in CEL which pods a hold wants: those of the selector and its own probe.
func matchExpression(selector labels.Selector, probe string) (string, error) {
	requirements, selectable := selector.Requirements()
	if !selectable {
		return "", fmt.Errorf("selector %q matches nothing", selector)
	}
	terms := []string{"true"}
	for _, requirement := range requirements {
		term, err := matchTerm(requirement)
		if err != nil {
			return "", err
		}
		terms = append(terms, term)
	}
	own := fmt.Sprintf("%s[?%q].orValue(\"\") == %q", celLabels, holdProbeLabel, probe)
	return fmt.Sprintf("(%s) || (%s)", own, strings.Join(terms, " && ")), nil
}

func matchTerm(requirement labels.Requirement) (string, error) {
	key := strconv.Quote(requirement.Key())
	var values []string
	for _, value := range requirement.Values().List() {
		values = append(values, strconv.Quote(value))
	}
	exists := fmt.Sprintf("%s in %s", key, celLabels)
	among := fmt.Sprintf("%s && %s[%s] in [%s]", exists, celLabels, key, strings.Join(values, ", "))
	switch requirement.Operator() {
	case selection.In, selection.Equals, selection.DoubleEquals:
		return "(" + among + ")", nil
	case selection.NotIn, selection.NotEquals:
		return "!(" + among + ")", nil
	case selection.Exists:
		return "(" + exists + ")", nil
	case selection.DoesNotExist:
		return "!(" + exists + ")", nil
	default:
		return "", fmt.Errorf("selector operator %q is not supported", requirement.Operator())
	}
}
