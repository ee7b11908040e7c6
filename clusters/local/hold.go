package local

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/client-go/kubernetes"
)

const (
	// notReadyAnnotation is read by the stages of kwok. Its value names the hold.
	notReadyAnnotation = "local.lwsfed.io/not-ready"
	// holdProbeLabel marks the pod with which a hold asks, in a dry run, whether it works.
	holdProbeLabel = "local.lwsfed.io/hold-probe"

	holdTimeout = 30 * time.Second
)

// hold keeps pods from being ready. An admission policy annotates new pods, so that they are held
// from their first moment; pods that exist are annotated one by one.
type hold struct {
	name      string
	cluster   string
	namespace string
	selector  labels.Selector
	client    kubernetes.Interface
}

// KeepNotReady holds all matching pods, those that exist and those to come, in phase Running and not
// ready. It returns when existing pods are not ready and new pods will not become so. release lets
// them become ready; it may be called again. Of two holds on one pod the later one counts.
func (c *Cluster) KeepNotReady(ctx context.Context, namespace string, selector labels.Selector) (release func() error, err error) {
	if !c.controlled() {
		return nil, fmt.Errorf("keep pods not ready on %q: the cluster runs no pods", c.name)
	}
	client, err := kubernetes.NewForConfig(c.config)
	if err != nil {
		return nil, fmt.Errorf("make client of %q: %w", c.name, err)
	}
	h := &hold{name: "hold-" + rand.String(8), cluster: c.name, namespace: namespace, selector: selector, client: client}
	if err := h.engage(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("keep pods %q in %q on %q not ready: %w", selector, namespace, c.name, err), h.release())
	}
	return h.release, nil
}

func (h *hold) engage(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, holdTimeout)
	defer cancel()
	condition, err := matchExpression(h.selector, h.name)
	if err != nil {
		return err
	}
	policies := h.client.AdmissionregistrationV1()
	if _, err := policies.MutatingAdmissionPolicies().Create(ctx, h.policy(condition), createOptions); err != nil {
		return fmt.Errorf("create policy: %w", err)
	}
	if _, err := policies.MutatingAdmissionPolicyBindings().Create(ctx, h.binding(), createOptions); err != nil {
		return fmt.Errorf("create policy binding: %w", err)
	}
	if err := poll(ctx, func(ctx context.Context) error { return h.probe(ctx, true) }); err != nil {
		return fmt.Errorf("wait for the policy: %w", err)
	}
	names, err := livePods(ctx, h.client, h.namespace, h.selector)
	if err != nil {
		return err
	}
	patch := fmt.Sprintf(`{"metadata":{"annotations":{%q:%q}}}`, notReadyAnnotation, h.name)
	if err := h.patch(ctx, names, patch); err != nil {
		return err
	}
	return poll(ctx, h.nonReady)
}

func (h *hold) release() error {
	ctx, cancel := context.WithTimeout(context.Background(), holdTimeout)
	defer cancel()
	if err := h.disengage(ctx); err != nil {
		return fmt.Errorf("release hold of pods %q in %q on %q: %w", h.selector, h.namespace, h.cluster, err)
	}
	return nil
}

func (h *hold) disengage(ctx context.Context) error {
	policies := h.client.AdmissionregistrationV1()
	options := metav1.DeleteOptions{}
	if err := policies.MutatingAdmissionPolicyBindings().Delete(ctx, h.name, options); err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("delete policy binding: %w", err)
	}
	if err := policies.MutatingAdmissionPolicies().Delete(ctx, h.name, options); err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("delete policy: %w", err)
	}
	if err := poll(ctx, func(ctx context.Context) error { return h.probe(ctx, false) }); err != nil {
		return fmt.Errorf("wait for the end of the policy: %w", err)
	}
	names, err := h.heldPods(ctx)
	if err != nil {
		return err
	}
	return h.patch(ctx, names, fmt.Sprintf(`{"metadata":{"annotations":{%q:null}}}`, notReadyAnnotation))
}

// probe reports an error unless the policy acts on new pods, or no longer does.
func (h *hold) probe(ctx context.Context, want bool) error {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "hold-probe-", Labels: map[string]string{holdProbeLabel: h.name}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "probe", Image: "probe"}}},
	}
	answer, err := h.client.CoreV1().Pods(h.namespace).Create(ctx, pod, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	if apierrors.IsNotFound(err) && !want {
		return nil // the namespace is gone, and every pod with it
	}
	if err != nil {
		return fmt.Errorf("create probe pod: %w", err)
	}
	if held := answer.Annotations[notReadyAnnotation] == h.name; held != want {
		return fmt.Errorf("new pods are held: %t, want %t", held, want)
	}
	return nil
}

func (h *hold) nonReady(ctx context.Context) error {
	list, err := h.client.CoreV1().Pods(h.namespace).List(ctx, metav1.ListOptions{LabelSelector: h.selector.String()})
	if err != nil {
		return fmt.Errorf("list pods: %w", err)
	}
	for i := range list.Items {
		if podReady(&list.Items[i]) {
			return fmt.Errorf("pod %q is still ready", list.Items[i].Name)
		}
	}
	return nil
}

func (h *hold) heldPods(ctx context.Context) ([]string, error) {
	list, err := h.client.CoreV1().Pods(h.namespace).List(ctx, listOptions)
	if err != nil {
		return nil, fmt.Errorf("list pods: %w", err)
	}
	var names []string
	for i := range list.Items {
		if list.Items[i].Annotations[notReadyAnnotation] == h.name {
			names = append(names, list.Items[i].Name)
		}
	}
	return names, nil
}

func (h *hold) patch(ctx context.Context, names []string, patch string) error {
	return eachPod(ctx, names, func(ctx context.Context, name string) error {
		_, err := h.client.CoreV1().Pods(h.namespace).Patch(ctx, name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
		return err
	})
}

func podReady(pod *corev1.Pod) bool {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}
