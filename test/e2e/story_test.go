package e2e

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/api/v1alpha1"
	"github.com/lwsfed/lwsfed/pkg/revision"
	"github.com/lwsfed/lwsfed/test/world"
)

// patience is how long a story waits for what should take a second or two. Only a failure waits that long.
const patience = time.Minute

// story is one test in a namespace of its own.
type story struct {
	*testing.T
	namespace string
	hub       client.Client
}

// tell begins a story with a namespace of the test's name, and a policy if given. At its end every set is
// deleted, and the members' journals are judged.
func tell(t *testing.T, policy *v1alpha1.PlacementPolicy) *story {
	t.Helper()
	s := &story{T: t, namespace: namespaceOf(t), hub: fleet.Hub}
	s.create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: s.namespace}})
	if policy != nil {
		policy.Namespace = s.namespace
		s.create(policy)
	}
	t.Cleanup(s.end)
	return s
}

// namespaceOf is the test's name as that of a namespace: TestRollsBack/size is rolls-back-size.
func namespaceOf(t *testing.T) string {
	var name strings.Builder
	for i, r := range strings.TrimPrefix(t.Name(), "Test") {
		switch {
		case 'A' <= r && r <= 'Z':
			if i > 0 {
				name.WriteByte('-')
			}
			name.WriteRune(r + 'a' - 'A')
		case 'a' <= r && r <= 'z' || '0' <= r && r <= '9':
			name.WriteRune(r)
		default:
			name.WriteByte('-')
		}
	}
	return strings.Trim(strings.ReplaceAll(name.String(), "--", "-"), "-")
}

func (s *story) end() {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if s.Failed() {
		s.show(ctx)
	}
	if err := s.hub.DeleteAllOf(ctx, &lwsv1.LeaderWorkerSet{}, client.InNamespace(s.namespace)); err != nil {
		s.Errorf("delete sets: %v", err)
	}
	start := time.Now()
	err := world.Poll(ctx, func(ctx context.Context) error {
		left := &v1alpha1.PlacementList{}
		if err := s.hub.List(ctx, left, client.InNamespace(s.namespace)); err != nil {
			return err
		}
		if len(left.Items) > 0 {
			return fmt.Errorf("%d Placements are left", len(left.Items))
		}
		return nil
	})
	if err != nil {
		s.Errorf("members are not clean: %v", err)
	}
	s.Logf("clean members: %v", time.Since(start).Round(time.Millisecond))
	s.judge()
}

// judge fails the story where the promise of revisions was broken.
func (s *story) judge() {
	s.Helper()
	for name, journal := range journals {
		violations, groups := journal.Violations(s.namespace)
		for _, v := range violations {
			s.Errorf("in %s: %s", name, v)
		}
		s.Logf("%s: %d groups watched", name, groups)
	}
}

// show tells what the clusters look like.
func (s *story) show(ctx context.Context) {
	sets := &lwsv1.LeaderWorkerSetList{}
	_ = s.hub.List(ctx, sets, client.InNamespace(s.namespace))
	for _, set := range sets.Items {
		s.Logf("hub: set %s: %+v", set.Name, set.Status)
		p := &v1alpha1.Placement{}
		_ = s.hub.Get(ctx, client.ObjectKeyFromObject(&set), p)
		s.Logf("hub: placement: %+v", p.Status)
		for _, member := range members {
			groups, err := world.Groups(ctx, fleet.Members[member], client.ObjectKeyFromObject(&set))
			s.Logf("%s: %s %v", member, describe(groups), err)
		}
	}
}

func describe(groups []world.Group) string {
	var all []string
	for _, g := range groups {
		all = append(all, fmt.Sprintf("%d: %s %d pods ready=%t", g.Ordinal, g.Key(), len(g.Pods()), g.Ready(len(g.Pods()))))
	}
	return strings.Join(all, "; ")
}

func (s *story) key(name string) client.ObjectKey {
	return client.ObjectKey{Namespace: s.namespace, Name: name}
}

func (s *story) create(o client.Object) {
	s.Helper()
	if err := s.hub.Create(s.Context(), o); err != nil {
		s.Fatalf("create %T %s: %v", o, o.GetName(), err)
	}
}

// namespaceIn makes the story's namespace in a member before a set needs it.
func (s *story) namespaceIn(member string) {
	s.Helper()
	err := fleet.Members[member].Create(s.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: s.namespace}})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		s.Fatalf("create namespace in %s: %v", member, err)
	}
}

// set creates a set on the hub.
func (s *story) set(set *lwsv1.LeaderWorkerSet) {
	s.Helper()
	set.Namespace = s.namespace
	s.create(set)
}

// change changes a set on the hub, as kubectl edit does.
func (s *story) change(name string, changes ...func(*lwsv1.LeaderWorkerSet)) {
	s.Helper()
	s.changeIn(s.hub, name, changes...)
}

func (s *story) changeIn(c client.Client, name string, changes ...func(*lwsv1.LeaderWorkerSet)) {
	s.Helper()
	change(s, c, s.key(name), &lwsv1.LeaderWorkerSet{}, func(set *lwsv1.LeaderWorkerSet) {
		for _, c := range changes {
			c(set)
		}
	})
}

// change reads, changes and writes an object, and again if another was faster.
func change[T client.Object](s *story, c client.Client, key client.ObjectKey, o T, how func(T)) {
	s.Helper()
	s.soon("change "+key.String(), func(ctx context.Context) error {
		if err := c.Get(ctx, key, o); err != nil {
			return err
		}
		how(o)
		return c.Update(ctx, o)
	})
}

// soon waits until check finds nothing wrong.
func (s *story) soon(what string, check func(context.Context) error) {
	s.Helper()
	s.within(patience, what, check)
}

// within is soon with a bound.
func (s *story) within(bound time.Duration, what string, check func(context.Context) error) {
	s.Helper()
	start := time.Now()
	ctx, cancel := context.WithTimeout(s.Context(), bound)
	defer cancel()
	if err := world.Poll(ctx, check); err != nil {
		s.Fatalf("%s: %v", what, err)
	}
	s.Logf("%s: %v", what, time.Since(start).Round(time.Millisecond))
}

// always fails the story if check finds something wrong within a time.
func (s *story) always(during time.Duration, what string, check func(context.Context) error) {
	s.Helper()
	for end := time.Now().Add(during); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if err := check(s.Context()); err != nil {
			s.Fatalf("%s: %v", what, err)
		}
	}
}

// settled waits until the hub says that all groups of a set are ready and updated, and checks in the members that
// it is so: the groups that the Placement asks for, whole, ready, and all at the content of the hub's set.
func (s *story) settled(name string) {
	s.Helper()
	s.soon("settle "+name, func(ctx context.Context) error { return s.unsettled(ctx, name) })
}

func (s *story) unsettled(ctx context.Context, name string) error {
	set, p := &lwsv1.LeaderWorkerSet{}, &v1alpha1.Placement{}
	if err := s.hub.Get(ctx, s.key(name), set); err != nil {
		return err
	}
	if err := s.hub.Get(ctx, s.key(name), p); err != nil {
		return err
	}
	if set.Status.ObservedGeneration != set.Generation {
		return fmt.Errorf("status is of generation %d, the set is at %d", set.Status.ObservedGeneration, set.Generation)
	}
	if err := world.IsTrue(set.Status.Conditions, lwsv1.ConditionAvailable, "set"); err != nil {
		return err
	}
	var errs []error
	for _, d := range p.Spec.Clusters {
		groups, err := s.readGroups(ctx, d.Name, name)
		if err != nil {
			return err
		}
		if err := s.whole(ctx, d.Name, set, groups, int(d.Replicas)); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", d.Name, err))
		}
	}
	return errors.Join(errs...)
}

// whole says what groups lack of being what the set asks for in a member.
func (s *story) whole(ctx context.Context, member string, set *lwsv1.LeaderWorkerSet, groups []world.Group, want int) error {
	content := revision.Of(&set.Spec)
	if len(groups) != want {
		return fmt.Errorf("has %d groups, want %d", len(groups), want)
	}
	for i, g := range groups {
		if g.Ordinal != i {
			return fmt.Errorf("group %d is missing", i)
		}
		if !g.Ready(int(content.Size())) {
			return fmt.Errorf("group %d is not ready: %s", i, describe(groups))
		}
		for _, pod := range g.Pods() {
			if revision.KeyOf(pod) != g.Key() {
				return fmt.Errorf("pod %s is at %q, its leader at %q", pod.Name, revision.KeyOf(pod), g.Key())
			}
		}
		stored, err := s.revision(ctx, member, set.Name, g.Key())
		if err != nil {
			return err
		}
		if len(s.patches(ctx, set.Name, member)) == 0 && !stored.Equal(content) {
			return fmt.Errorf("group %d is at another revision than the set", i)
		}
	}
	return nil
}

// patches are the overrides of a set for a member.
func (s *story) patches(ctx context.Context, name, member string) []v1alpha1.JSONPatch {
	p := &v1alpha1.Placement{}
	if err := s.hub.Get(ctx, s.key(name), p); err != nil {
		return nil
	}
	for _, d := range p.Spec.Clusters {
		if d.Name == member {
			return d.Patches
		}
	}
	return nil
}

// revision reads the content of a set's revision in a member.
func (s *story) revision(ctx context.Context, member, set, key string) (revision.Content, error) {
	r := &appsv1.ControllerRevision{}
	if err := fleet.Members[member].Get(ctx, s.key(revision.Name(set, key)), r); err != nil {
		return revision.Content{}, err
	}
	return revision.Decode(r)
}

func (s *story) readGroups(ctx context.Context, member, name string) ([]world.Group, error) {
	return world.Groups(ctx, fleet.Members[member], s.key(name))
}

// groups are the groups of a set in a member now.
func (s *story) groups(member, name string) []world.Group {
	s.Helper()
	groups, err := s.readGroups(s.Context(), member, name)
	if err != nil {
		s.Fatal(err)
	}
	return groups
}

// group is one group of a set in a member now.
func (s *story) group(member, name string, ordinal int) world.Group {
	s.Helper()
	for _, g := range s.groups(member, name) {
		if g.Ordinal == ordinal {
			return g
		}
	}
	s.Fatalf("%s has no group %d of set %s", member, ordinal, name)
	return world.Group{}
}

// currentKey is the key that the leader StatefulSet in a member carries.
func (s *story) currentKey(member, name string) string {
	s.Helper()
	leader := &appsv1.StatefulSet{}
	if err := fleet.Members[member].Get(s.Context(), s.key(name), leader); err != nil {
		s.Fatal(err)
	}
	return revision.KeyOf(leader)
}

// uids are those of the set's pods in all members, by member and name.
func (s *story) uids(name string) map[string]types.UID {
	s.Helper()
	uids := map[string]types.UID{}
	for _, member := range members {
		for _, g := range s.groups(member, name) {
			for _, pod := range g.Pods() {
				uids[member+"/"+pod.Name] = pod.UID
			}
		}
	}
	return uids
}

// imageOf is what the leader of a group runs.
func imageOf(g world.Group) string { return g.Leader.Spec.Containers[0].Image }

// runs says which group in a member does not run an image, or is not whole.
func (s *story) runs(ctx context.Context, member, name, image string) error {
	groups, err := s.readGroups(ctx, member, name)
	if err != nil {
		return err
	}
	if len(groups) == 0 {
		return errors.New("no groups")
	}
	for _, g := range groups {
		if imageOf(g) != image || g.StatefulSet == nil || !g.Ready(int(*g.StatefulSet.Spec.Replicas)+1) {
			return fmt.Errorf("group %d runs %s: %s", g.Ordinal, imageOf(g), describe(groups))
		}
	}
	return nil
}

// placed is how many groups of a set each cluster should run.
func (s *story) placed(name string) map[string]int32 {
	s.Helper()
	p := &v1alpha1.Placement{}
	if err := s.hub.Get(s.Context(), s.key(name), p); err != nil {
		s.Fatal(err)
	}
	placed := map[string]int32{}
	for _, d := range p.Spec.Clusters {
		placed[d.Name] = d.Replicas
	}
	return placed
}

// deleteIn deletes an object of a member by hand.
func (s *story) deleteIn(member string, o client.Object, options ...client.DeleteOption) {
	s.Helper()
	if err := fleet.Members[member].Delete(s.Context(), o, options...); err != nil {
		s.Fatalf("delete %T %s in %s: %v", o, o.GetName(), member, err)
	}
}

// absent says that an object is still there.
func absent(ctx context.Context, c client.Client, key client.ObjectKey, o client.Object) error {
	err := c.Get(ctx, key, o)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return fmt.Errorf("%T %s is still there", o, key)
}
