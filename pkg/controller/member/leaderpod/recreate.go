package leaderpod

import (
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/pkg/revision"
)

// recreation says why the group must be created anew, "" if it need not. Only the leader's own workers count:
// one left over from a leader before has no say, so a group is recreated once for one failure. The policy is
// that of the group's own revision.
func recreation(o *observation, content revision.Content) string {
	policy := content.Template.RestartPolicy
	if o.set.Annotations[lwsv1.AnnotationRecreateGroupAfterStart] != "" && policy == lwsv1.RestartPolicyRecreateGroupOnPodRestart {
		policy = lwsv1.RestartPolicyRecreateGroupAfterStart
	}
	switch policy {
	case lwsv1.RestartPolicyRecreateGroupOnPodRestart:
		return failure(o, content.Size())
	case lwsv1.RestartPolicyRecreateGroupAfterStart:
		if !started(o, content.Size()) {
			return ""
		}
		return failure(o, content.Size())
	default:
		return ""
	}
}

// failure names the first pod of the group that failed, and how.
func failure(o *observation, size int32) string {
	for _, pod := range append([]*corev1.Pod{o.leader}, o.pods...) {
		if revision.KeyOf(pod) != revision.KeyOf(o.leader) || excess(pod, size) {
			continue
		}
		if how := failed(pod); how != "" {
			return fmt.Sprintf("pod %s %s", pod.Name, how)
		}
	}
	if len(o.lost) > 0 {
		return fmt.Sprintf("pod %s was deleted", o.lost[0])
	}
	return ""
}

// excess reports whether the pod is beyond the group's size, where somebody scaled the workers by hand.
func excess(pod *corev1.Pod, size int32) bool {
	index, err := strconv.Atoi(pod.Labels[lwsv1.LabelWorkerIndex])
	return err == nil && index >= int(size)
}

func failed(pod *corev1.Pod) string {
	switch {
	case pod.DeletionTimestamp != nil:
		return "is being deleted"
	case pod.Status.Phase == corev1.PodFailed:
		return "failed"
	}
	for _, statuses := range [][]corev1.ContainerStatus{pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses} {
		for _, c := range statuses {
			if c.RestartCount > 0 {
				return fmt.Sprintf("restarted container %s", c.Name)
			}
		}
	}
	return ""
}

// started reports whether all pods of the group exist and have left Pending.
func started(o *observation, size int32) bool {
	if len(o.pods)+1 < int(size) || o.leader.Status.Phase == corev1.PodPending {
		return false
	}
	for _, pod := range o.pods {
		if pod.Status.Phase == corev1.PodPending {
			return false
		}
	}
	return true
}
