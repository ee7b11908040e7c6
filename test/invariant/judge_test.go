package invariant

import (
	"strconv"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/pkg/render"
	"github.com/lwsfed/lwsfed/pkg/revision"
)

// scene is a set with one group, as it is written step by step.
type scene struct {
	*Journal
	clock int
	set   *lwsv1.LeaderWorkerSet
}

func newScene() *scene {
	return &scene{Journal: NewJournal(), set: &lwsv1.LeaderWorkerSet{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "web", UID: "set"},
	}}
}

func content(image string) revision.Content {
	spec := &lwsv1.LeaderWorkerSetSpec{LeaderWorkerTemplate: lwsv1.LeaderWorkerTemplate{
		Size:           ptr.To[int32](3),
		WorkerTemplate: corev1.PodTemplateSpec{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: image}}}},
	}}
	return revision.Of(spec)
}

func (s *scene) happens(note func(client.Object), o client.Object) {
	s.clock++
	o.SetResourceVersion(strconv.Itoa(s.clock))
	note(o)
}

func (s *scene) revision(image, key string) *appsv1.ControllerRevision {
	r := revision.New(s.set, content(image), key, 1)
	r.UID = types.UID("revision-" + key)
	return r
}

func (s *scene) leader(uid, image, key string) *corev1.Pod {
	template := render.LeaderStatefulSet(render.Leader{Set: s.set, Key: key, Content: content(image)}, nil).Spec.Template
	pod := &corev1.Pod{ObjectMeta: *template.ObjectMeta.DeepCopy(), Spec: template.Spec}
	pod.Namespace, pod.Name, pod.UID = "ns", "web-0", types.UID(uid)
	pod.Labels[lwsv1.LabelGroupIndex], pod.Labels[lwsv1.LabelGroupKey] = "0", "web-0"
	return pod
}

func (s *scene) workers(leader *corev1.Pod, image string) *appsv1.StatefulSet {
	workers := render.WorkerStatefulSet(s.set, leader, content(image))
	workers.UID = "workers-of-" + leader.UID
	return workers
}

func (s *scene) worker(workers *appsv1.StatefulSet) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: *workers.Spec.Template.ObjectMeta.DeepCopy(), Spec: workers.Spec.Template.Spec}
	pod.Namespace, pod.Name, pod.UID = "ns", workers.Name+"-1", "worker-of-"+workers.UID
	pod.Labels[lwsv1.LabelWorkerIndex] = "1"
	pod.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(workers, appsv1.SchemeGroupVersion.WithKind("StatefulSet"))}
	return pod
}

// group lets a leader and its workers appear.
func (s *scene) group(leader *corev1.Pod, image string) *appsv1.StatefulSet {
	workers := s.workers(leader, image)
	s.happens(s.Seen, leader)
	s.happens(s.Seen, workers)
	s.happens(s.Seen, s.worker(workers))
	return workers
}

func TestViolations(t *testing.T) {
	for _, test := range []struct {
		name  string
		story func(*scene)
		want  string // part of the only kind of violation, "" for none
	}{
		{"a group at one revision", func(s *scene) {
			s.happens(s.Seen, s.revision("v1", "k1"))
			s.group(s.leader("a", "v1", "k1"), "v1")
		}, ""},
		{"a revision of a StatefulSet itself", func(s *scene) {
			s.happens(s.Seen, s.revision("v1", "k1"))
			leader := s.leader("a", "v1", "k1")
			workers := s.group(leader, "v1")
			own := &appsv1.ControllerRevision{ObjectMeta: *workers.Spec.Template.ObjectMeta.DeepCopy()}
			own.Namespace, own.Name, own.UID = "ns", "web-0-7f9", "own"
			own.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(workers, appsv1.SchemeGroupVersion.WithKind("StatefulSet"))}
			s.happens(s.Seen, own)
			s.happens(s.Gone, own)
		}, ""},
		{"a replaced leader's workers do not count for the next", func(s *scene) {
			s.happens(s.Seen, s.revision("v1", "k1"))
			s.happens(s.Seen, s.revision("v2", "k2"))
			first := s.leader("a", "v1", "k1")
			s.group(first, "v1")
			s.happens(s.Gone, first)
			s.group(s.leader("b", "v2", "k2"), "v2")
		}, ""},
		{"workers at another key than their leader", func(s *scene) {
			s.happens(s.Seen, s.revision("v1", "k1"))
			s.happens(s.Seen, s.revision("v2", "k2"))
			leader := s.leader("a", "v1", "k1")
			s.happens(s.Seen, leader)
			s.happens(s.Seen, s.workers(s.withKey(leader, "k2"), "v2"))
		}, `is at "k2", its leader at "k1"`},
		{"workers with the key but of another template", func(s *scene) {
			s.happens(s.Seen, s.revision("v1", "k1"))
			s.group(s.leader("a", "v1", "k1"), "v2")
		}, `runs v2 [], its revision "k1" says v1 []`},
		{"workers of another number", func(s *scene) {
			s.happens(s.Seen, s.revision("v1", "k1"))
			leader := s.leader("a", "v1", "k1")
			workers := s.workers(leader, "v1")
			workers.Spec.Replicas = ptr.To[int32](1)
			s.happens(s.Seen, leader)
			s.happens(s.Seen, workers)
		}, "was made with 1 workers"},
		{"a leader of a revision that never was", func(s *scene) {
			s.happens(s.Seen, s.leader("a", "v1", "k1"))
		}, "which no revision has"},
		{"a key that changes", func(s *scene) {
			s.happens(s.Seen, s.revision("v1", "k1"))
			s.happens(s.Seen, s.revision("v1", "k2"))
			s.happens(s.Seen, s.leader("a", "v1", "k1"))
			s.happens(s.Seen, s.leader("a", "v1", "k2"))
		}, "changed its key"},
		{"a revision deleted while its leader lives", func(s *scene) {
			r := s.revision("v1", "k1")
			s.happens(s.Seen, r)
			s.group(s.leader("a", "v1", "k1"), "v1")
			s.happens(s.Gone, r)
		}, "was deleted while"},
		{"a revision deleted after its leader", func(s *scene) {
			r, leader := s.revision("v1", "k1"), s.leader("a", "v1", "k1")
			s.happens(s.Seen, r)
			s.happens(s.Seen, leader)
			s.happens(s.Gone, leader)
			s.happens(s.Gone, r)
		}, ""},
		{"a revision deleted by hand", func(s *scene) {
			r := s.revision("v1", "k1")
			s.happens(s.Seen, r)
			s.happens(s.Seen, s.leader("a", "v1", "k1"))
			s.ByHand("ns", "web", "k1")
			s.happens(s.Gone, r)
		}, ""},
		{"a revision whose end was missed", func(s *scene) {
			r := s.revision("v1", "k1")
			s.happens(s.Seen, r)
			s.group(s.leader("a", "v1", "k1"), "v1")
			s.Lost(r)
		}, ""},
		{"a revision deleted after a leader whose end was missed", func(s *scene) {
			r, leader := s.revision("v1", "k1"), s.leader("a", "v1", "k1")
			s.happens(s.Seen, r)
			s.happens(s.Seen, leader)
			s.Lost(leader)
			s.happens(s.Gone, r)
		}, ""},
		{"a revision deleted after a leader that another watch does not have", func(s *scene) {
			r := s.revision("v1", "k1")
			s.happens(s.Seen, r)
			s.happens(s.Seen, s.leader("a", "v1", "k1"))
			s.only(&corev1.Pod{}, nil)
			s.happens(s.Gone, r)
		}, ""},
		{"a revision deleted while its leader lives on in another watch", func(s *scene) {
			r := s.revision("v1", "k1")
			s.happens(s.Seen, r)
			s.happens(s.Seen, s.leader("a", "v1", "k1"))
			s.only(&corev1.Pod{}, map[types.UID]bool{"a": true})
			s.happens(s.Gone, r)
		}, "was deleted while"},
		{"a revision that goes with its set", func(s *scene) {
			r := s.revision("v1", "k1")
			s.happens(s.Seen, s.set)
			s.happens(s.Seen, r)
			s.happens(s.Seen, s.leader("a", "v1", "k1"))
			s.happens(s.Gone, s.set)
			s.happens(s.Gone, r)
		}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newScene()
			test.story(s)
			got, _ := s.Violations("ns")
			if test.want == "" {
				if len(got) > 0 {
					t.Errorf("got violations %q, want none", got)
				}
				return
			}
			if len(got) == 0 {
				t.Errorf("got no violation, want one with %q", test.want)
			}
			for _, v := range got {
				if !strings.Contains(v, test.want) {
					t.Errorf("got violation %q, want only such with %q", v, test.want)
				}
			}
		})
	}
}

func (s *scene) withKey(leader *corev1.Pod, key string) *corev1.Pod {
	other := leader.DeepCopy()
	other.Labels[lwsv1.LabelRevision] = key
	return other
}
