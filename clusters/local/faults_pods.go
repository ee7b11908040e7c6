package local

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"
)

var errNoPods = errors.New("no running or pending pod matches")

// FailPods puts every matching pod that has not ended into phase Failed, as a container without
// restarts that crashed would. No match is an error.
func (c *Cluster) FailPods(ctx context.Context, namespace string, selector labels.Selector) error {
	if err := c.changePodStatus(ctx, namespace, selector, failPod); err != nil {
		return fmt.Errorf("fail pods %q in %q on %q: %w", selector, namespace, c.name, err)
	}
	return nil
}

// RestartContainers restarts all containers of every matching pod once: the pod turns not ready with
// its restart counts raised by one and, unless KeepNotReady holds it, ready again within a second. No match is an error.
func (c *Cluster) RestartContainers(ctx context.Context, namespace string, selector labels.Selector) error {
	if !c.controlled() {
		return fmt.Errorf("restart containers on %q: the cluster runs no pods", c.name)
	}
	if err := c.changePodStatus(ctx, namespace, selector, restartPod); err != nil {
		return fmt.Errorf("restart containers of pods %q in %q on %q: %w", selector, namespace, c.name, err)
	}
	return nil
}

func (c *Cluster) changePodStatus(ctx context.Context, namespace string, selector labels.Selector, change func(*corev1.Pod, metav1.Time)) error {
	client, err := kubernetes.NewForConfig(c.config)
	if err != nil {
		return err
	}
	names, err := livePods(ctx, client, namespace, selector)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return errNoPods
	}
	return eachPod(ctx, names, func(ctx context.Context, name string) error {
		return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
			pod, err := client.CoreV1().Pods(namespace).Get(ctx, name, getOptions)
			if err != nil {
				return err
			}
			change(pod, metav1.NewTime(time.Now()))
			_, err = client.CoreV1().Pods(namespace).UpdateStatus(ctx, pod, metav1.UpdateOptions{})
			return err
		})
	})
}

// eachPod does something to many pods at the same time. A pod that is gone meanwhile is no error.
func eachPod(ctx context.Context, names []string, act func(ctx context.Context, name string) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(16)
	for _, name := range names {
		group.Go(func() error {
			if err := act(ctx, name); err != nil && !apierrors.IsNotFound(err) {
				return fmt.Errorf("pod %q: %w", name, err)
			}
			return nil
		})
	}
	return group.Wait()
}

// livePods lists the pods that are neither ended nor being deleted.
func livePods(ctx context.Context, client kubernetes.Interface, namespace string, selector labels.Selector) ([]string, error) {
	list, err := client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{LabelSelector: selector.String()})
	if err != nil {
		return nil, fmt.Errorf("list pods: %w", err)
	}
	var names []string
	for i := range list.Items {
		pod := &list.Items[i]
		ended := pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded
		if !ended && pod.DeletionTimestamp == nil {
			names = append(names, pod.Name)
		}
	}
	return names, nil
}

func failPod(pod *corev1.Pod, now metav1.Time) {
	crash := corev1.ContainerState{Terminated: crashed(now)}
	changeContainers(pod, func(status *corev1.ContainerStatus) {
		status.Ready, status.Started, status.State = false, new(bool), crash
	})
	setUnready(pod, "PodFailed", now)
	pod.Status.Phase = corev1.PodFailed
}

func restartPod(pod *corev1.Pod, now metav1.Time) {
	changeContainers(pod, func(status *corev1.ContainerStatus) {
		status.Ready = false
		status.RestartCount++
		status.LastTerminationState = corev1.ContainerState{Terminated: crashed(now)}
		status.State = corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: now}}
	})
	setUnready(pod, "ContainersNotReady", now)
	pod.Status.Phase = corev1.PodRunning
}

func crashed(now metav1.Time) *corev1.ContainerStateTerminated {
	return &corev1.ContainerStateTerminated{ExitCode: 137, Reason: "Error", StartedAt: now, FinishedAt: now}
}

// changeContainers changes the status of every container; a pod that never ran gets statuses first.
func changeContainers(pod *corev1.Pod, change func(*corev1.ContainerStatus)) {
	if len(pod.Status.ContainerStatuses) == 0 {
		for _, container := range pod.Spec.Containers {
			pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses,
				corev1.ContainerStatus{Name: container.Name, Image: container.Image})
		}
	}
	for i := range pod.Status.ContainerStatuses {
		change(&pod.Status.ContainerStatuses[i])
	}
}

func setUnready(pod *corev1.Pod, reason string, now metav1.Time) {
	for _, kind := range []corev1.PodConditionType{corev1.ContainersReady, corev1.PodReady} {
		setPodCondition(pod, corev1.PodCondition{
			Type: kind, Status: corev1.ConditionFalse, Reason: reason, LastTransitionTime: now,
		})
	}
}

func setPodCondition(pod *corev1.Pod, condition corev1.PodCondition) {
	for i := range pod.Status.Conditions {
		if pod.Status.Conditions[i].Type == condition.Type {
			pod.Status.Conditions[i] = condition
			return
		}
	}
	pod.Status.Conditions = append(pod.Status.Conditions, condition)
}
