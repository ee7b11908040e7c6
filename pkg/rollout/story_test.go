package rollout

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden logs in testdata")

// story plays an update in fixed rounds: reconcile, the StatefulSet controller, then every group a step.
type story struct {
	t   *testing.T
	w   *world
	log strings.Builder
}

func (s *story) say(words string) { fmt.Fprintf(&s.log, "# %s\n", words) }

// round plays one round and logs the groups, the plan and its reason.
func (s *story) round() Plan {
	before := s.w.String()
	plan := s.w.reconcile(s.t)
	fmt.Fprintf(&s.log, "%-44s -> n=%d p=%d  %s\n", before, plan.Replicas, plan.Partition, plan.Reason)
	s.w.statefulSet()
	for _, o := range s.w.ordinals() {
		s.w.kubelet(o)
	}
	return plan
}

func (s *story) rounds(n int) {
	for range n {
		s.round()
	}
}

// play goes on until the set is at rest.
func (s *story) play() {
	for range 200 {
		if plan := s.round(); plan.Done && s.w.atRest() {
			return
		}
	}
	s.t.Fatalf("did not settle:\n%s", s.log.String())
}

func TestStories(t *testing.T) {
	for name, c := range map[string]struct {
		w    *world
		tell func(s *story)
	}{
		"one-by-one":                 {newWorld(4, 1, 0, 0), func(s *story) { s.update() }},
		"as-many-as-allowed":         {newWorld(6, 2, 1, 0), func(s *story) { s.update() }},
		"one-group-without-downtime": {newWorld(1, 0, 1, 0), func(s *story) { s.update() }},
		"surge-only":                 {newWorld(3, 0, 1, 0), func(s *story) { s.update() }},
		"canary-then-all": {newWorld(4, 1, 1, 2), func(s *story) {
			s.update()
			s.say("partition 0")
			s.w.partition = 0
			s.play()
		}},
		"out-of-a-broken-state": {newWorld(4, 1, 0, 0), func(s *story) {
			for o := range 4 {
				s.w.breakGroup(s.w.brokenLeader, 1, o)
			}
			s.rounds(4)
			s.say("a template that works")
			s.w.target++
			s.play()
		}},
		"broken-groups-below-ready-ones": {newWorld(4, 1, 0, 0), func(s *story) {
			s.w.breakGroup(s.w.brokenLeader, 1, 0)
			s.w.breakGroup(s.w.brokenLeader, 1, 1)
			s.rounds(4)
			s.say("a template that works")
			s.w.target++
			s.rounds(3)
			s.say("the reconciler has lost its patience with groups 0 and 1")
			s.w.patience = true
			s.play()
		}},
		"scale-up-in-mid-update": {newWorld(3, 1, 0, 0), func(s *story) {
			s.begin(3)
			s.say("replicas 5")
			s.w.r = 5
			s.play()
		}},
		"scale-down-in-mid-update": {newWorld(6, 1, 1, 0), func(s *story) {
			s.begin(4)
			s.say("replicas 3")
			s.w.r = 3
			s.play()
		}},
		"scale-up-with-new-template": {newWorld(2, 0, 1, 0), func(s *story) {
			s.play()
			s.say("replicas 4 and a new template")
			s.w.r, s.w.target = 4, 2
			s.play()
		}},
		"new-template-in-mid-update": {newWorld(4, 1, 1, 0), func(s *story) {
			s.begin(5)
			s.say("template 3")
			s.w.target = 3
			s.play()
		}},
		"rollback-in-mid-update": {newWorld(4, 1, 0, 0), func(s *story) {
			s.begin(5)
			s.say("back to template 1")
			s.w.target = 1
			s.play()
		}},
		"new-template-that-is-broken-waits": {newWorld(4, 1, 0, 0), func(s *story) {
			s.w.breakGroup(s.w.brokenWorkers, 2, 3)
			s.begin(8)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s := &story{t: t, w: c.w}
			c.tell(s)
			golden(t, filepath.Join("testdata", name+".log"), s.log.String())
		})
	}
}

// update creates the set and updates it to template 2.
func (s *story) update() {
	s.begin(0)
	s.play()
}

// begin creates the set and plays some rounds of an update to template 2.
func (s *story) begin(rounds int) {
	s.play()
	s.say("template 2")
	s.w.target = 2
	s.rounds(rounds)
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}
