package e2e

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/lwsfed/lwsfed/test/world"
)

// What a member missed while it was away comes within seconds once it is back, and what it ran meanwhile stays.
func TestMemberThatIsBackCatchesUp(t *testing.T) {
	s := tell(t, world.Policy("", "all"))
	s.set(world.Set("", "web", 4, 2))
	s.settled("web")
	before := s.groups(west, "web")
	bringBack := s.stopAPIServer(west)
	s.change("web", world.Image("server:2"))
	s.soon("the other member is updated", func(ctx context.Context) error { return s.runs(ctx, east, "web", "server:2") })
	time.Sleep(10 * time.Second) // long enough for watches to give up often
	bringBack()
	after := s.groups(west, "web")
	if len(after) != len(before) || after[0].Leader.UID != before[0].Leader.UID {
		t.Errorf("the groups in west were %s and are %s", describe(before), describe(after))
	}
	s.within(10*time.Second, "the member that is back has the new revision", func(context.Context) error {
		if want, got := s.currentKey(east, "web"), s.currentKey(west, "web"); got != want {
			return fmt.Errorf("west is at %q, east at %q", got, want)
		}
		return nil
	})
	s.restartControllerManager(west)
	s.settled("web")
}
