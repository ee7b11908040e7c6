package e2e

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/api/v1alpha1"
	"github.com/lwsfed/lwsfed/pkg/render"
	"github.com/lwsfed/lwsfed/pkg/revision"
	"github.com/lwsfed/lwsfed/test/world"
)

// foreignKey is of the form of another controller's hashes.
const foreignKey = "6b5d7f9c4"

// A set that another controller made in a member, with that controller's own hash, is taken over with no pod
// restart. Its next update rolls like any other.
func TestAdoptsAnotherControllersSet(t *testing.T) {
	policy := world.Policy("", "east", east)
	policy.Spec.ConflictResolution = v1alpha1.ConflictAdopt
	s := tell(t, policy)
	s.runForeign(world.Set(s.namespace, "web", 2, 3))
	before := s.uids("web")

	s.set(world.Set("", "web", 2, 3))
	s.settled("web")
	s.always(oneMoment, "nothing restarts", func(ctx context.Context) error {
		if diff := cmp.Diff(before, s.uids("web")); diff != "" {
			return fmt.Errorf("pods changed (-before +now):\n%s", diff)
		}
		return nil
	})
	if key := s.currentKey(east, "web"); key != foreignKey {
		t.Errorf("the leader StatefulSet is at %q, it was at %q", key, foreignKey)
	}

	s.change("web", world.Image("server:2"))
	s.settled("web")
	for pod, uid := range s.uids("web") {
		if before[pod] == uid {
			t.Errorf("pod %s was not updated", pod)
		}
	}
	s.soon("the other controller's revision is trimmed", func(ctx context.Context) error {
		return absent(ctx, fleet.Members[east], s.key(revision.Name("web", foreignKey)), &appsv1.ControllerRevision{})
	})
	s.change("web", world.Image("server:1"))
	s.settled("web")
	if key := s.currentKey(east, "web"); key != foreignKey {
		t.Errorf("after the rollback the key is %q, want the adopted %q back", key, foreignKey)
	}
}

// runForeign makes in east what another controller would have: the set, its revision and StatefulSets with a hash of
// that controller's, and groups that are ready.
func (s *story) runForeign(set *lwsv1.LeaderWorkerSet) {
	s.Helper()
	s.namespaceIn(east)
	member := fleet.Members[east]
	create := func(o client.Object) {
		s.Helper()
		if err := member.Create(s.Context(), o); err != nil {
			s.Fatalf("create %T: %v", o, err)
		}
	}
	create(set)
	content := revision.Of(&set.Spec)
	create(revision.New(set, content, foreignKey, 1))
	create(render.SharedService(set))
	leaders := render.LeaderStatefulSet(render.Leader{
		Set: set, Key: foreignKey, Content: content, Replicas: *set.Spec.Replicas, MaxUnavailable: 1,
	}, nil)
	leaders.Spec.Template.Annotations["example.com/by"] = "another controller"
	create(leaders)
	made := map[types.UID]bool{}
	s.soon("another controller's groups are ready", func(ctx context.Context) error {
		groups, err := s.readGroups(ctx, east, set.Name)
		if err != nil {
			return err
		}
		for _, g := range groups {
			if !made[g.Leader.UID] {
				create(render.WorkerStatefulSet(set, g.Leader, content))
				made[g.Leader.UID] = true
			}
			if !g.Ready(int(content.Size())) {
				return fmt.Errorf("got %s", describe(groups))
			}
		}
		if len(groups) != int(*set.Spec.Replicas) {
			return fmt.Errorf("%d groups", len(groups))
		}
		return nil
	})
}

// Without conflictResolution Adopt, the set of another owner is left alone, and the hub says so.
func TestLeavesAnotherOwnersSetAlone(t *testing.T) {
	s := tell(t, world.Policy("", "all"))
	s.namespaceIn(east)
	theirs := world.Set(s.namespace, "web", 1, 1, world.Image("theirs:1"))
	if err := fleet.Members[east].Create(t.Context(), theirs); err != nil {
		t.Fatal(err)
	}
	s.set(world.Set("", "web", 2, 2))
	s.soon("the Placement reports the conflict", func(ctx context.Context) error {
		c, err := s.clusterStatus(ctx, "web", east)
		if err != nil {
			return err
		}
		if c.State != v1alpha1.ClusterConflict || c.Message == "" {
			return fmt.Errorf("east is %q: %q", c.State, c.Message)
		}
		return s.condition(ctx, "web", v1alpha1.ConditionApplied, metav1.ConditionFalse, v1alpha1.ReasonConflict)
	})
	s.soon("the other member runs its group", func(ctx context.Context) error {
		groups, err := s.readGroups(ctx, west, "web")
		if err != nil {
			return err
		}
		if len(groups) != 1 || !groups[0].Ready(2) {
			return fmt.Errorf("got %s", describe(groups))
		}
		return nil
	})
	now := &lwsv1.LeaderWorkerSet{}
	if err := fleet.Members[east].Get(t.Context(), s.key("web"), now); err != nil {
		t.Fatal(err)
	}
	if now.ResourceVersion != theirs.ResourceVersion {
		t.Errorf("the other owner's set was changed")
	}

	if err := s.hub.Delete(t.Context(), world.Set(s.namespace, "web", 0, 0)); err != nil {
		t.Fatal(err)
	}
	s.soon("the Placement is gone", func(ctx context.Context) error {
		return absent(ctx, s.hub, s.key("web"), &v1alpha1.Placement{})
	})
	if err := fleet.Members[east].Get(t.Context(), s.key("web"), now); err != nil || now.DeletionTimestamp != nil {
		t.Errorf("the other owner's set went with the hub's: %v", err)
	}
}

// clusterStatus is what the Placement says of a cluster.
func (s *story) clusterStatus(ctx context.Context, name, cluster string) (v1alpha1.ClusterStatus, error) {
	p := &v1alpha1.Placement{}
	if err := s.hub.Get(ctx, s.key(name), p); err != nil {
		return v1alpha1.ClusterStatus{}, err
	}
	for _, c := range p.Status.Clusters {
		if c.Name == cluster {
			return c, nil
		}
	}
	return v1alpha1.ClusterStatus{}, fmt.Errorf("the Placement has no status of %s", cluster)
}

// condition says that a set's Placement has no such condition.
func (s *story) condition(ctx context.Context, name, kind string, status metav1.ConditionStatus, reason string) error {
	p := &v1alpha1.Placement{}
	if err := s.hub.Get(ctx, s.key(name), p); err != nil {
		return err
	}
	for _, c := range p.Status.Conditions {
		if c.Type == kind {
			if c.Status != status || c.Reason != reason {
				return fmt.Errorf("%s is %s, %s: %s; want %s, %s", kind, c.Status, c.Reason, c.Message, status, reason)
			}
			return nil
		}
	}
	return fmt.Errorf("the Placement has no condition %s", kind)
}
