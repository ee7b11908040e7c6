package stamping

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/api/v1alpha1"
)

// ServiceAccount is the account that the pods of the proof name. A member without a controller manager makes
// no account of its own, and refuses pods without one.
const ServiceAccount = "lwsfed-proof"

// proofInterval is how often the proof is tried while the policy becomes active.
const proofInterval = 150 * time.Millisecond

// Prove creates a leader and a worker in a dry run until both come back stamped, or ctx ends. The error says
// what was missing last.
func Prove(ctx context.Context, c client.Client) error {
	last := errors.New("no answer yet")
	err := wait.PollUntilContextCancel(ctx, proofInterval, true, func(ctx context.Context) (bool, error) {
		last = proveOnce(ctx, c)
		if last != nil && unproven(last) {
			return false, last
		}
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("prove the pod stamping: %w", last)
	}
	return nil
}

func proveOnce(ctx context.Context, c client.Client) error {
	leader := proofPod("proof-0", map[string]string{lwsv1.LabelName: "proof", lwsv1.LabelWorkerIndex: "0"})
	if err := stamped(ctx, c, leader, "proof-0.proof-0."+v1alpha1.SystemNamespace, "0"); err != nil {
		return err
	}
	worker := proofPod("proof-0-1", map[string]string{lwsv1.LabelName: "proof", lwsv1.LabelGroupIndex: "0", lwsv1.LabelGroupKey: "proof-0"})
	worker.Spec.Subdomain = "proof-0"
	return stamped(ctx, c, worker, "proof-0.proof-0."+v1alpha1.SystemNamespace, "1")
}

// stamped creates the pod in a dry run and compares what came back.
func stamped(ctx context.Context, c client.Client, pod *corev1.Pod, address, workerIndex string) error {
	if err := c.Create(ctx, pod, client.DryRunAll); err != nil {
		return fmt.Errorf("create pod %q in a dry run: %w", pod.Name, err)
	}
	env := []corev1.EnvVar{
		{Name: lwsv1.EnvLeaderAddress, Value: address},
		{Name: lwsv1.EnvGroupSize, Value: "2"},
		{Name: lwsv1.EnvWorkerIndex, Value: workerIndex},
		{Name: "USER", Value: "$(LWS_LEADER_ADDRESS)"},
	}
	for _, containers := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		if diff := cmp.Diff(env, containers[0].Env); diff != "" {
			return fmt.Errorf("variables of container %q (-want +got):\n%s", containers[0].Name, diff)
		}
	}
	if got := pod.Labels[lwsv1.LabelWorkerIndex]; got != workerIndex {
		return fmt.Errorf("label %s is %q, want %q", lwsv1.LabelWorkerIndex, got, workerIndex)
	}
	if got := pod.Spec.Subdomain; got != "proof-0" {
		return fmt.Errorf("subdomain is %q, want %q", got, "proof-0")
	}
	return Verify(pod)
}

func proofPod(name string, labels map[string]string) *corev1.Pod {
	container := corev1.Container{
		Name:  "main",
		Image: "none.invalid/none",
		Env:   []corev1.EnvVar{{Name: "USER", Value: "$(LWS_LEADER_ADDRESS)"}, {Name: lwsv1.EnvGroupSize, Value: "of the user"}},
		SecurityContext: &corev1.SecurityContext{
			AllowPrivilegeEscalation: ptr.To(false),
			RunAsNonRoot:             ptr.To(true),
			Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
			SeccompProfile:           &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
		},
	}
	first := *container.DeepCopy()
	first.Name = "first"
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: v1alpha1.SystemNamespace,
			Name:      name,
			Labels:    labels,
			Annotations: map[string]string{
				lwsv1.AnnotationSize:            "2",
				lwsv1.AnnotationSubdomainPolicy: string(lwsv1.SubdomainUniquePerReplica),
			},
		},
		Spec: corev1.PodSpec{
			ServiceAccountName:           ServiceAccount,
			AutomountServiceAccountToken: ptr.To(false),
			InitContainers:               []corev1.Container{first},
			Containers:                   []corev1.Container{container},
		},
	}
}
