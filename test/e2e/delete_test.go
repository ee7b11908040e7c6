package e2e

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/api/v1alpha1"
	"github.com/lwsfed/lwsfed/test/world"
)

// Deleting the hub's set deletes the members' and their groups.
func TestDeletionEndsTheGroups(t *testing.T) {
	s := tell(t, world.Policy("", "all"))
	s.set(world.Set("", "web", 2, 2))
	s.settled("web")
	s.deleteSet("web")
	s.soon("the Placement is gone", func(ctx context.Context) error {
		return absent(ctx, s.hub, s.key("web"), &v1alpha1.Placement{})
	})
	// The Placement outlives the last of the groups.
	for _, member := range members {
		for _, list := range []client.ObjectList{
			&lwsv1.LeaderWorkerSetList{}, &corev1.PodList{}, &appsv1.StatefulSetList{},
		} {
			if err := fleet.Members[member].List(t.Context(), list, client.InNamespace(s.namespace)); err != nil {
				t.Fatal(err)
			}
			if n := lengthOf(list); n > 0 {
				t.Errorf("%d items of %T are left in %s", n, list, member)
			}
		}
	}
}

func lengthOf(list client.ObjectList) int {
	switch l := list.(type) {
	case *lwsv1.LeaderWorkerSetList:
		return len(l.Items)
	case *corev1.PodList:
		return len(l.Items)
	case *appsv1.StatefulSetList:
		return len(l.Items)
	default:
		panic(fmt.Sprintf("unexpected %T", list))
	}
}

func (s *story) deleteSet(name string) {
	s.Helper()
	if err := s.hub.Delete(s.Context(), world.Set(s.namespace, name, 0, 0)); err != nil {
		s.Fatal(err)
	}
}

// With deletionPolicy Orphan, the groups go on without the hub, which leaves no mark on them.
func TestOrphanLeavesTheGroups(t *testing.T) {
	policy := world.Policy("", "east", east)
	policy.Spec.DeletionPolicy = v1alpha1.DeletionOrphan
	s := tell(t, policy)
	s.set(world.Set("", "web", 2, 2))
	s.settled("web")
	before := s.uids("web")
	s.deleteSet("web")
	s.soon("the Placement is gone", func(ctx context.Context) error {
		return absent(ctx, s.hub, s.key("web"), &v1alpha1.Placement{})
	})
	left := &lwsv1.LeaderWorkerSet{}
	if err := fleet.Members[east].Get(t.Context(), s.key("web"), left); err != nil {
		t.Fatal(err)
	}
	if mark := left.Labels[v1alpha1.LabelManagedBy]; mark != "" {
		t.Errorf("the orphaned set still says that %q manages it", mark)
	}
	s.always(oneMoment, "the groups go on", func(context.Context) error {
		if diff := cmp.Diff(before, s.uids("web")); diff != "" {
			return fmt.Errorf("pods changed (-before +now):\n%s", diff)
		}
		return nil
	})
	s.deleteIn(east, left)
}

// A member that is away when the set is deleted is cleaned when it is back. Until then the Placement stays.
func TestAwayMemberIsCleanedWhenItIsBack(t *testing.T) {
	s := tell(t, world.Policy("", "all"))
	s.set(world.Set("", "web", 2, 2))
	s.settled("web")
	bringBack := s.stopAPIServer(west)
	s.deleteSet("web")
	s.soon("the reachable member is clean", func(ctx context.Context) error {
		return absent(ctx, fleet.Members[east], s.key("web"), &lwsv1.LeaderWorkerSet{})
	})
	s.always(oneMoment, "the Placement stays", func(ctx context.Context) error {
		return s.hub.Get(ctx, s.key("web"), &v1alpha1.Placement{})
	})
	bringBack()
	s.soon("the set is being deleted in the member that is back", func(ctx context.Context) error {
		set := &lwsv1.LeaderWorkerSet{}
		err := fleet.Members[west].Get(ctx, s.key("web"), set)
		if err == nil && set.DeletionTimestamp == nil {
			return errors.New("it has no deletion timestamp")
		}
		return client.IgnoreNotFound(err)
	})
	s.restartControllerManager(west)
	s.soon("the Placement is gone", func(ctx context.Context) error {
		return absent(ctx, s.hub, s.key("web"), &v1alpha1.Placement{})
	})
	if err := absent(t.Context(), fleet.Members[west], s.key("web"), &lwsv1.LeaderWorkerSet{}); err != nil {
		t.Error(err)
	}
}

// stopAPIServer takes a member away until the member is brought back, at the story's end at the latest.
func (s *story) stopAPIServer(member string) (bringBack func()) {
	s.Helper()
	if err := fleet.Fleet.Member(member).StopAPIServer(s.Context()); err != nil {
		s.Fatal(err)
	}
	return s.atLeastOnce(func(ctx context.Context) error {
		if err := fleet.Fleet.Member(member).StartAPIServer(ctx); err != nil {
			return err
		}
		if err := watch(member); err != nil {
			return err
		}
		return fleet.AwaitReady(ctx, member)
	})
}

// restartControllerManager spares a story the wait until a member's garbage collector tries its API server again,
// which may be a minute.
func (s *story) restartControllerManager(member string) {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), patience)
	defer cancel()
	if err := fleet.Fleet.Member(member).KillControllerManager(ctx); err != nil {
		s.Fatal(err)
	}
	if err := fleet.Fleet.Member(member).StartControllerManager(ctx); err != nil {
		s.Fatal(err)
	}
}

// atLeastOnce is an action that the story may take, and that is taken at its end if it was not.
func (s *story) atLeastOnce(action func(context.Context) error) func() {
	var once sync.Once
	act := func() {
		once.Do(func() {
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			start := time.Now()
			if err := action(ctx); err != nil {
				s.Error(err)
			}
			s.Logf("back after %v", time.Since(start).Round(time.Millisecond))
		})
	}
	s.Cleanup(act)
	return act
}
