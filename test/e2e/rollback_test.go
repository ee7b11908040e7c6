package e2e

import (
	"testing"

	"github.com/lwsfed/lwsfed/test/world"
)

// Applying the old template gives back the old revision key, in every cluster.
func TestRollbackGivesBackTheKey(t *testing.T) {
	s := tell(t, world.Policy("", "all"))
	s.set(world.Set("", "web", 4, 2))
	s.settled("web")
	first := s.currentKey(east, "web")

	s.change("web", world.Image("server:2"))
	s.settled("web")
	second := s.currentKey(east, "web")
	if second == first {
		t.Fatalf("another template has the same key %q", first)
	}

	s.change("web", world.Image("server:1"))
	s.settled("web")
	for _, member := range members {
		if key := s.currentKey(member, "web"); key != first {
			t.Errorf("after the rollback %s is at %q, want %q", member, key, first)
		}
	}
}
