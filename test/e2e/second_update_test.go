package e2e

import (
	"context"
	"fmt"
	"testing"

	"github.com/lwsfed/lwsfed/test/world"
)

// While a set is updated from 1 to 2, it is updated to 3. A leader that is at 2 by then, and has no workers yet,
// gets workers of 2.
func TestSecondUpdateLeavesWorkersAtTheirLeadersRevision(t *testing.T) {
	s := tell(t, world.Policy("", "east", east))
	release := s.stuckInUpdate(leaderReady, partitioned(2))
	if g := s.group(east, "web", 2); g.StatefulSet != nil {
		t.Fatal("group 2 has workers already")
	}
	second := s.group(east, "web", 2)

	s.change("web", version("3"), partitioned(3))
	s.soon("the leader StatefulSet has the third key", func(context.Context) error {
		if key := s.currentKey(east, "web"); key == second.Key() {
			return fmt.Errorf("it still has %q", key)
		}
		return nil
	})
	release()
	s.soon("group 2 has its workers", func(ctx context.Context) error {
		g := s.group(east, "web", 2)
		if !g.Ready(3) {
			return fmt.Errorf("%d pods", len(g.Pods()))
		}
		return nil
	})
	g := s.group(east, "web", 2)
	if g.Leader.UID != second.Leader.UID {
		t.Errorf("the leader of group 2 was replaced")
	}
	for _, worker := range g.Workers {
		if image := worker.Spec.Containers[0].Image; image != "server:2" {
			t.Errorf("worker %s runs %s, its leader is at version 2", worker.Name, image)
		}
	}

	s.change("web", partitioned(0))
	s.settled("web")
	for _, g := range s.groups(east, "web") {
		if image := g.Workers[0].Spec.Containers[0].Image; image != "server:3" {
			t.Errorf("group %d runs %s at last, want server:3", g.Ordinal, image)
		}
	}
}
