package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/lwsfed/lwsfed/test/world"
)

// lwsfed is killed at random moments of an update and started again. The update ends as if nothing had happened:
// each pod was replaced once.
func TestHubKilledDuringUpdate(t *testing.T) {
	s := tell(t, world.Policy("", "all"))
	const groups = 12
	s.set(world.Set("", "web", groups, 3))
	s.settled("web")
	before := s.uids("web")

	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	s.change("web", world.Image("server:2"))
	const kills = 4
	for range kills {
		time.Sleep(time.Duration(random.IntN(300)) * time.Millisecond)
		fleet.Lwsfed.Kill()
		done := s.updated("web")
		t.Logf("killed after %d of %d groups", done, groups)
		s.startLwsfed()
		s.soon("the update goes on", func(context.Context) error {
			if now := s.updated("web"); now == done && now < groups {
				return fmt.Errorf("still %d groups", now)
			}
			return nil
		})
	}
	s.settled("web")
	after := s.uids("web")
	if len(after) != len(before) {
		t.Errorf("%d pods after the update, %d before", len(after), len(before))
	}
	for _, member := range members {
		for pod, seen := range journals[member].PodUIDs(s.namespace) {
			want := []types.UID{before[member+"/"+pod], after[member+"/"+pod]}
			if fmt.Sprint(seen) != fmt.Sprint(want) {
				t.Errorf("pod %s in %s was %v, want one before and one after the update, %v", pod, member, seen, want)
			}
		}
	}
}

// updated is how many groups run server:2 in all members.
func (s *story) updated(name string) int {
	s.Helper()
	updated := 0
	for _, member := range members {
		for _, g := range s.groups(member, name) {
			if imageOf(g) == "server:2" {
				updated++
			}
		}
	}
	return updated
}

// startLwsfed starts the program and waits until it has the lease.
func (s *story) startLwsfed() {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), patience)
	defer cancel()
	if err := fleet.Lwsfed.Start(ctx); err != nil {
		s.Fatal(err)
	}
	if err := fleet.Lwsfed.AwaitLead(ctx); err != nil {
		s.Fatal(err)
	}
}
