package local

import (
	"context"
	"fmt"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// keepKwokFromLivePods lets kwok delete only pods that are being deleted. It deletes by name, sometimes twice, and
// would hit the pod that has come in the place of the one it means. A kubelet names the pod's UID.
func keepKwokFromLivePods(ctx context.Context, client kubernetes.Interface) error {
	fail := admissionregistrationv1.Fail
	policy := &admissionregistrationv1.ValidatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: "fleet-kwok"},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
			MatchConstraints: &admissionregistrationv1.MatchResources{
				ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{{RuleWithOperations: admissionregistrationv1.RuleWithOperations{
					Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Delete},
					Rule:       admissionregistrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"pods"}},
				}}},
			},
			MatchConditions: []admissionregistrationv1.MatchCondition{
				{Name: "kwok", Expression: fmt.Sprintf("request.userInfo.username == %q", kwokUser)},
			},
			Validations: []admissionregistrationv1.Validation{
				{Expression: "has(oldObject.metadata.deletionTimestamp)", Message: "the pod is not being deleted"},
			},
			FailurePolicy: &fail,
		},
	}
	binding := &admissionregistrationv1.ValidatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: policy.Name},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{
			PolicyName:        policy.Name,
			ValidationActions: []admissionregistrationv1.ValidationAction{admissionregistrationv1.Deny},
		},
	}
	if _, err := client.AdmissionregistrationV1().ValidatingAdmissionPolicies().Create(ctx, policy, createOptions); err != nil {
		return fmt.Errorf("create policy: %w", err)
	}
	if _, err := client.AdmissionregistrationV1().ValidatingAdmissionPolicyBindings().Create(ctx, binding, createOptions); err != nil {
		return fmt.Errorf("create policy binding: %w", err)
	}
	return nil
}
