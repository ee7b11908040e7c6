package leaderpod

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/pkg/render"
	"github.com/lwsfed/lwsfed/pkg/revision"
)

// template makes groups of the size.
func template(image string, size int32) lwsv1.LeaderWorkerSetSpec {
	s := lwsv1.LeaderWorkerSetSpec{LeaderWorkerTemplate: lwsv1.LeaderWorkerTemplate{
		Size: ptr.To(size),
		WorkerTemplate: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			Containers: []corev1.Container{{Name: "main", Image: image}},
		}},
	}}
	lwsv1.Default(&s)
	return s
}

func demo(spec lwsv1.LeaderWorkerSetSpec) *lwsv1.LeaderWorkerSet {
	return &lwsv1.LeaderWorkerSet{ObjectMeta: metav1.ObjectMeta{Namespace: "serving", Name: "demo", UID: "set"}, Spec: spec}
}

// ownedBy gives an object a controller.
func ownedBy[T metav1.Object](o T, kind, name string, uid types.UID) T {
	o.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "v1", Kind: kind, Name: name, UID: uid, Controller: ptr.To(true)}})
	return o
}

// leader is the running and stamped leader of group 4, at the key.
func leader(key string) *corev1.Pod {
	return ownedBy(&corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "serving", Name: "demo-4", UID: "leader", Labels: map[string]string{
			lwsv1.LabelName: "demo", lwsv1.LabelWorkerIndex: "0", lwsv1.LabelGroupIndex: "4", lwsv1.LabelGroupKey: "demo-4", lwsv1.LabelRevision: key,
		}},
		Status: corev1.PodStatus{Phase: corev1.PodRunning, Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}},
	}, "StatefulSet", "demo", "leaders")
}

// worker is running, in the leader's group.
func worker(leader *corev1.Pod, index int) *corev1.Pod {
	pod := leader.DeepCopy()
	pod.Name, pod.UID = fmt.Sprintf("%s-%d", leader.Name, index), types.UID(fmt.Sprintf("worker %d", index))
	pod.Labels[lwsv1.LabelWorkerIndex] = fmt.Sprint(index)
	pod.Annotations = map[string]string{lwsv1.AnnotationLeaderName: leader.Name}
	return ownedBy(pod, "StatefulSet", leader.Name, "workers")
}

// whole is a group with all that it needs, made from the content. The set asks for what spec says by now.
func whole(spec lwsv1.LeaderWorkerSetSpec, content revision.Content) *observation {
	o := &observation{set: demo(spec), leader: leader(content.Key())}
	if content.Subdomain() == lwsv1.SubdomainUniquePerReplica {
		o.service = render.GroupService(o.leader)
	}
	if content.Size() == 1 {
		return o
	}
	o.workers = render.WorkerStatefulSet(o.set, o.leader, content)
	o.workers.UID = "workers"
	for i := 1; i < int(content.Size()); i++ {
		o.pods = append(o.pods, worker(o.leader, i))
	}
	return o
}
