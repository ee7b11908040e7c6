package fleet

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
)

// stampedEnv is how many variables of a pod's first container are kept: those that the pod stamping puts first.
const stampedEnv = 3

// trimPod keeps of a pod what the controllers look at. A worker pod shrinks to about a quarter.
func trimPod(obj any) (any, error) {
	pod, ok := obj.(*corev1.Pod)
	if !ok {
		return obj, nil
	}
	pod.ManagedFields = nil
	pod.Spec = corev1.PodSpec{
		NodeName:        pod.Spec.NodeName,
		Hostname:        pod.Spec.Hostname,
		Subdomain:       pod.Spec.Subdomain,
		SchedulingGates: pod.Spec.SchedulingGates,
		InitContainers:  trimContainers(pod.Spec.InitContainers, 0),
		Containers:      trimContainers(pod.Spec.Containers, stampedEnv),
	}
	pod.Status = corev1.PodStatus{
		Phase:                 pod.Status.Phase,
		Reason:                pod.Status.Reason,
		Conditions:            pod.Status.Conditions,
		InitContainerStatuses: trimStatuses(pod.Status.InitContainerStatuses),
		ContainerStatuses:     trimStatuses(pod.Status.ContainerStatuses),
	}
	return pod, nil
}

// trimContainers keeps names, and of the first container the first env variables.
func trimContainers(in []corev1.Container, env int) []corev1.Container {
	if in == nil {
		return nil
	}
	out := make([]corev1.Container, len(in))
	for i := range in {
		out[i].Name = in[i].Name
	}
	if len(in) > 0 && env > 0 {
		out[0].Env = append([]corev1.EnvVar(nil), in[0].Env[:min(env, len(in[0].Env))]...)
	}
	return out
}

func trimStatuses(in []corev1.ContainerStatus) []corev1.ContainerStatus {
	if in == nil {
		return nil
	}
	out := make([]corev1.ContainerStatus, len(in))
	for i := range in {
		s := &in[i]
		out[i] = corev1.ContainerStatus{Name: s.Name, Ready: s.Ready, RestartCount: s.RestartCount}
		switch {
		case s.State.Running != nil:
			out[i].State.Running = &corev1.ContainerStateRunning{}
		case s.State.Waiting != nil:
			out[i].State.Waiting = &corev1.ContainerStateWaiting{Reason: s.State.Waiting.Reason}
		case s.State.Terminated != nil:
			out[i].State.Terminated = &corev1.ContainerStateTerminated{ExitCode: s.State.Terminated.ExitCode, Reason: s.State.Terminated.Reason}
		}
	}
	return out
}

// trimStatefulSet keeps a leader StatefulSet whole: its managed fields tell what we own in it. A worker StatefulSet is
// created once and never patched, so neither those nor its pod template's spec are needed.
func trimStatefulSet(obj any) (any, error) {
	sts, ok := obj.(*appsv1.StatefulSet)
	if !ok {
		return obj, nil
	}
	if _, worker := sts.Labels[lwsv1.LabelGroupIndex]; worker {
		sts.ManagedFields = nil
		sts.Spec.Template.Spec = corev1.PodSpec{}
	}
	return sts, nil
}
