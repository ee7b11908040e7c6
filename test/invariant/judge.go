package invariant

import (
	"fmt"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/pkg/revision"
)

// Violations says where the promise was broken in a namespace so far, one sentence each. Groups counts the
// worker StatefulSets that were judged by a leader and a revision that were both seen.
func (j *Journal) Violations(namespace string) (violations []string, groups int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	c := &court{Journal: j, contents: map[revisionID]revision.Content{}}
	c.readRevisions(namespace)
	for _, uid := range j.order {
		l := j.lives[uid]
		if l.object.GetNamespace() != namespace || l.set() == "" {
			continue
		}
		switch o := l.object.(type) {
		case *corev1.Pod:
			c.judgePod(l, o)
		case *appsv1.StatefulSet:
			c.judgeStatefulSet(l, o)
		case *appsv1.ControllerRevision:
			if ofSet(o) {
				c.judgeRevision(l, o)
			}
		}
	}
	return c.violations, c.groups
}

type court struct {
	*Journal
	contents   map[revisionID]revision.Content
	violations []string
	groups     int
}

func (c *court) accuse(format string, args ...any) {
	c.violations = append(c.violations, fmt.Sprintf(format, args...))
}

func (c *court) readRevisions(namespace string) {
	for _, uid := range c.order {
		r, ok := c.lives[uid].object.(*appsv1.ControllerRevision)
		if !ok || r.Namespace != namespace || !ofSet(r) {
			continue
		}
		content, err := revision.Decode(r)
		if err != nil {
			c.accuse("%v", err)
			continue
		}
		id := revisionID{r.Namespace, r.Labels[lwsv1.LabelName], revision.KeyOf(r)}
		if known, ok := c.contents[id]; ok && !known.Equal(content) {
			c.accuse("revision %s of set %s meant two contents", id.key, id.set)
		}
		c.contents[id] = content
	}
}

// ofSet reports whether a revision is a set's. A StatefulSet has revisions of its own, with the labels of its pods.
func ofSet(r *appsv1.ControllerRevision) bool {
	owner := metav1.GetControllerOf(r)
	return r.Labels[lwsv1.LabelName] != "" && (owner == nil || owner.Kind == lwsv1.Kind)
}

func (c *court) judgePod(l *life, pod *corev1.Pod) {
	if len(l.keys) > 1 {
		c.accuse("pod %s changed its key from %q to %q", pod.Name, l.keys[0].key, l.keys[1].key)
	}
	if pod.Labels[lwsv1.LabelWorkerIndex] == "0" {
		c.mustExist(l)
		c.madeOf(l, &pod.Spec, func(content revision.Content) *corev1.PodSpec { return &content.LeaderTemplate().Spec })
		return
	}
	owner := metav1.GetControllerOf(pod)
	if owner == nil || c.lives[owner.UID] == nil {
		return
	}
	if workers := c.lives[owner.UID]; workers.key() != l.key() {
		c.accuse("worker %s is at %q, its StatefulSet at %q", pod.Name, l.key(), workers.key())
	}
	if leader := c.owner(c.lives[owner.UID]); leader != nil && leader.key() != l.key() {
		c.accuse("worker %s is at %q, its leader at %q", pod.Name, l.key(), leader.key())
	}
	c.madeOf(l, &pod.Spec, workerSpec)
}

func workerSpec(content revision.Content) *corev1.PodSpec {
	return &content.Template.WorkerTemplate.Spec
}

// judgeStatefulSet judges one of workers; the leader StatefulSet's key may change, to that of a revision.
func (c *court) judgeStatefulSet(l *life, s *appsv1.StatefulSet) {
	c.mustExist(l)
	if _, worker := s.Labels[lwsv1.LabelGroupIndex]; !worker {
		return
	}
	if len(l.keys) > 1 {
		c.accuse("worker StatefulSet %s changed its key from %q to %q", s.Name, l.keys[0].key, l.keys[1].key)
	}
	leader := c.owner(l)
	if leader == nil {
		return
	}
	if leader.key() != l.key() {
		c.accuse("worker StatefulSet %s is at %q, its leader at %q", s.Name, l.key(), leader.key())
	}
	content, ok := c.contents[revisionID{s.Namespace, l.set(), leader.key()}]
	if !ok {
		return
	}
	c.groups++
	if got, want := ptr.Deref(s.Spec.Replicas, 1), content.Size()-1; got != want {
		c.accuse("worker StatefulSet %s was made with %d workers, its revision %q says %d", s.Name, got, leader.key(), want)
	}
}

// madeOf holds the images and commands of a pod against its revision: what tells one template from another, and no
// admission changes.
func (c *court) madeOf(l *life, got *corev1.PodSpec, of func(revision.Content) *corev1.PodSpec) {
	content, ok := c.contents[revisionID{l.object.GetNamespace(), l.set(), l.key()}]
	if !ok {
		return
	}
	want := of(content)
	if len(got.Containers) != len(want.Containers) {
		c.accuse("pod %s has %d containers, its revision %q says %d", l.object.GetName(), len(got.Containers), l.key(), len(want.Containers))
		return
	}
	for i := range want.Containers {
		g, w := got.Containers[i], want.Containers[i]
		if g.Image != w.Image || !apiequality.Semantic.DeepEqual(g.Args, w.Args) || !apiequality.Semantic.DeepEqual(g.Command, w.Command) {
			c.accuse("pod %s runs %s %v, its revision %q says %s %v", l.object.GetName(), g.Image, g.Args, l.key(), w.Image, w.Args)
		}
	}
	if size := l.object.GetAnnotations()[lwsv1.AnnotationSize]; size != strconv.Itoa(int(content.Size())) {
		c.accuse("pod %s says that its group has %s pods, its revision %q says %d", l.object.GetName(), size, l.key(), content.Size())
	}
}

// mustExist accuses an object of naming what was never a revision.
func (c *court) mustExist(l *life) {
	for _, s := range l.keys {
		if _, ok := c.contents[revisionID{l.object.GetNamespace(), l.set(), s.key}]; !ok && s.key != "" {
			c.accuse("%T %s carries key %q, which no revision has", l.object, l.object.GetName(), s.key)
		}
	}
}

// owner is the life of the object's controller, nil if it was not seen.
func (c *court) owner(l *life) *life {
	owner := metav1.GetControllerOf(l.object)
	if owner == nil {
		return nil
	}
	return c.lives[owner.UID]
}

// judgeRevision asks who still named a revision when it went. With its set, everything goes, in any order.
func (c *court) judgeRevision(l *life, r *appsv1.ControllerRevision) {
	id := revisionID{r.Namespace, l.set(), l.key()}
	if l.gone == 0 || c.hand[id] {
		return
	}
	if set := c.owner(l); set != nil && set.going != 0 && set.going <= l.gone {
		return
	}
	for _, uid := range c.order {
		named := c.lives[uid]
		if named.namesRevision() && named.object.GetNamespace() == id.namespace && named.set() == id.set && named.carries(id.key, l.gone) {
			c.accuse("revision %s was deleted while %T %s carried its key", r.Name, named.object, named.object.GetName())
		}
	}
}
