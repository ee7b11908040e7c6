package e2e

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lwsfed/lwsfed/test/world"
)

// A set grows and shrinks, and groups that stay are not touched.
func TestScale(t *testing.T) {
	s := tell(t, world.Policy("", "all"))
	s.set(world.Set("", "web", 2, 2))
	s.settled("web")
	before := s.uids("web")
	s.change("web", world.Replicas(6))
	s.settled("web")
	s.change("web", world.Replicas(2))
	s.settled("web")
	if diff := cmp.Diff(before, s.uids("web")); diff != "" {
		t.Errorf("pods changed (-before +after):\n%s", diff)
	}
	s.change("web", world.Replicas(0))
	s.settled("web")
}

// Groups that come in mid-update come at the new version.
func TestScaleUpInMidUpdate(t *testing.T) {
	s := tell(t, world.Policy("", "east", east))
	release := s.stuckInUpdate()
	s.change("web", world.Replicas(5))
	for _, ordinal := range []int{3, 4} {
		s.soon("a new group is at version 2", func(ctx context.Context) error { return s.leaderRuns(ctx, ordinal, "2") })
	}
	release()
	s.settled("web")
}

// Scaling down in mid-update ends the highest groups, and the update ends with those that are left.
func TestScaleDownInMidUpdate(t *testing.T) {
	s := tell(t, world.Policy("", "east", east))
	release := s.stuckInUpdate()
	s.change("web", world.Replicas(2))
	release()
	s.settled("web")
	for _, g := range s.groups(east, "web") {
		if g.Leader.Labels["version"] != "2" {
			t.Errorf("group %d is at version %s", g.Ordinal, g.Leader.Labels["version"])
		}
	}
}
