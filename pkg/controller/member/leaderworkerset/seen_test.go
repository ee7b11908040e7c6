package leaderworkerset

import (
	"fmt"
	"slices"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/pkg/render"
	"github.com/lwsfed/lwsfed/pkg/revision"
)

// spec is one of a set whose groups have the size and run the image, with every default.
func spec(image string, size, replicas int32) lwsv1.LeaderWorkerSetSpec {
	s := lwsv1.LeaderWorkerSetSpec{
		Replicas: ptr.To(replicas),
		LeaderWorkerTemplate: lwsv1.LeaderWorkerTemplate{
			Size: ptr.To(size),
			WorkerTemplate: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
				Containers: []corev1.Container{{Name: "main", Image: image}},
			}},
		},
	}
	lwsv1.Default(&s)
	return s
}

func demo(s lwsv1.LeaderWorkerSetSpec) *lwsv1.LeaderWorkerSet {
	return &lwsv1.LeaderWorkerSet{
		ObjectMeta: metav1.ObjectMeta{Namespace: "serving", Name: "demo", UID: "set", Generation: 7},
		Spec:       s,
	}
}

// ownedBy gives an object a controller.
func ownedBy[T metav1.Object](o T, kind, name, uid string) T {
	o.SetOwnerReferences([]metav1.OwnerReference{{Kind: kind, Name: name, UID: types.UID(uid), Controller: ptr.To(true)}})
	return o
}

// seen is a member's view of a set in the making.
type seen struct {
	set      *lwsv1.LeaderWorkerSet
	sts      *appsv1.StatefulSet
	service  *corev1.Service
	known    []*appsv1.ControllerRevision
	old, new revision.Content
	pods     []corev1.Pod
	workers  []appsv1.StatefulSet
}

// see is a set that was made from one content and has another now; both may be the same. The leader
// StatefulSet carries the old key, and its revision exists.
func see(before, now lwsv1.LeaderWorkerSetSpec, groups string) *seen {
	s := &seen{set: demo(now), old: revision.Of(&before), new: revision.Of(&now)}
	s.known = []*appsv1.ControllerRevision{revision.New(s.set, s.old, s.old.Key(), 1)}
	s.statefulSet(s.old, len(groups), 0)
	s.groups(groups)
	return s
}

// statefulSet is at the content's key.
func (s *seen) statefulSet(c revision.Content, replicas, partition int) {
	s.sts = render.LeaderStatefulSet(render.Leader{
		Set: s.set, Key: c.Key(), Content: c, Replicas: int32(replicas), Partition: int32(partition), MaxUnavailable: 1,
	}, nil)
	s.sts.UID = "leaders"
}

// updating is in the middle of an update down to the partition.
func (s *seen) updating(partition int) *seen {
	s.known = append(s.known, revision.New(s.set, s.new, s.new.Key(), 2))
	s.statefulSet(s.new, int(*s.sts.Spec.Replicas), partition)
	return s
}

// groups adds one group for each letter: O old and ready, o old and not, N new and ready, n new and not, + a new
// leader whose workers are not there yet, x an old and ready one that is being deleted, - none.
func (s *seen) groups(letters string) {
	for i, l := range letters {
		switch l {
		case 'O':
			s.group(i, s.old, true)
		case 'o':
			s.group(i, s.old, false)
		case 'N':
			s.group(i, s.new, true)
		case 'n':
			s.group(i, s.new, false)
		case '+':
			s.pods = append(s.pods, s.leader(i, s.new))
		case 'x':
			s.group(i, s.old, true)
			s.pods[len(s.pods)-1].DeletionTimestamp = &metav1.Time{}
		}
	}
}

// group has workers where its content has some; it is they that are not ready.
func (s *seen) group(i int, c revision.Content, ready bool) {
	leader := s.leader(i, c)
	s.pods = append(s.pods, leader)
	if c.Size() == 1 {
		return
	}
	workers := render.WorkerStatefulSet(s.set, &leader, c)
	workers.UID = "workers of " + leader.UID
	if ready {
		workers.Status.ReadyReplicas = c.Size() - 1
	}
	s.workers = append(s.workers, *workers)
}

func (s *seen) leader(i int, c revision.Content) corev1.Pod {
	name := fmt.Sprintf("demo-%d", i)
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "serving", Name: name, UID: types.UID("uid of " + name), Labels: map[string]string{
			lwsv1.LabelName: "demo", lwsv1.LabelWorkerIndex: "0", lwsv1.LabelGroupIndex: strconv.Itoa(i), lwsv1.LabelGroupKey: name, lwsv1.LabelRevision: c.Key(),
		}},
		Status: corev1.PodStatus{Phase: corev1.PodRunning, Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}},
	}
	return *ownedBy(pod, "StatefulSet", "demo", "leaders")
}

// observation shuffles what a cache gives in no order.
func (s *seen) observation() *observation {
	o := &observation{set: s.set, revisions: s.known, statefulSet: s.sts, service: s.service}
	slices.Reverse(s.pods)
	o.addWorkers(append(s.workers, appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Name: "demo", Labels: map[string]string{lwsv1.LabelName: "demo"}}}))
	o.addGroups(s.pods)
	return o
}
