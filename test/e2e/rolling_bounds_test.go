package e2e

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/test/world"
)

// bounds are what a member is given of a set's rollout configuration: integers, of its own groups.
type bounds struct{ groups, unavailable, surge, partition int }

// An update never has more groups down, nor more of them in all, than it may, and goes as far as it may. A percentage
// is of the member's own groups, rounded down for maxUnavailable and up for maxSurge.
func TestRollingUpdateKeepsItsBounds(t *testing.T) {
	n, percent := intstr.FromInt32, intstr.FromString
	for _, test := range []struct {
		name               string
		unavailable, surge intstr.IntOrString
		want               bounds
	}{
		{"unavailable", percent("50%"), n(0), bounds{groups: 5, unavailable: 2}},
		{"surge", n(0), percent("30%"), bounds{groups: 5, surge: 2}},
		{"both", n(1), n(2), bounds{groups: 5, unavailable: 1, surge: 2}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := tell(t, world.Policy("", "all"))
			s.set(world.Set("", "web", 10, 2, version("1"), rolling(test.unavailable, test.surge)))
			s.settled("web")
			chronicles, releases := map[string]*chronicle{}, map[string]func(){}
			for _, member := range members {
				s.bounded(member, "web", test.want)
				releases[member] = s.hold(member, "version=2")
				chronicles[member] = s.chronicle(member, "web")
			}

			s.change("web", version("2"))
			// No group at version 2 becomes ready, so the update stops where it may not go on.
			down := test.want.unavailable
			for _, member := range members {
				s.soon("the update of "+member+" is at its bounds", func(ctx context.Context) error {
					return s.has(ctx, member, "web", 5+test.want.surge, 5-down)
				})
			}
			s.always(oneMoment, "the update waits", func(ctx context.Context) error {
				for _, member := range members {
					if err := s.has(ctx, member, "web", 5+test.want.surge, 5-down); err != nil {
						return fmt.Errorf("%s: %w", member, err)
					}
				}
				return nil
			})
			for _, release := range releases {
				release()
			}
			s.settled("web")
			for _, member := range members {
				chronicles[member].judge(test.want)
			}
		})
	}
}

// Groups below the partition keep their revision and their pods until it is lowered.
func TestPartitionKeepsGroups(t *testing.T) {
	s := tell(t, world.Policy("", "all"))
	s.set(world.Set("", "web", 8, 2, version("1"), rolling(intstr.FromInt32(2), intstr.FromInt32(1))))
	s.settled("web")
	before := s.uids("web")
	old := s.currentKey(east, "web")
	chronicles := map[string]*chronicle{}
	for _, member := range members {
		chronicles[member] = s.chronicle(member, "web")
	}

	// Of the fleet's partition each member has its part.
	s.change("web", version("2"), partitioned(4))
	for _, member := range members {
		s.partitioned(member, 2)
		s.bounded(member, "web", bounds{groups: 4, unavailable: 2, surge: 1, partition: 2})
	}
	s.kept(before, 2)
	for _, member := range members {
		all := chronicles[member].judge(bounds{groups: 4, unavailable: 2, surge: 1, partition: 2})
		for _, m := range all {
			for _, g := range m.groups {
				if g.Ordinal < 2 && (g.Key() != old || !countsAsReady(g)) {
					t.Fatalf("%s: a group below the partition was touched: %s", member, m)
				}
			}
		}
	}

	s.change("web", partitioned(2))
	for _, member := range members {
		s.partitioned(member, 1)
	}
	s.kept(before, 1)
	s.change("web", partitioned(0))
	for _, member := range members {
		s.partitioned(member, 0)
	}
	s.settled("web")
	for _, member := range members {
		chronicles[member].judge(bounds{groups: 4, unavailable: 2, surge: 1})
	}
	for pod, uid := range s.uids("web") {
		if before[pod] == uid {
			t.Errorf("pod %s was not updated", pod)
		}
	}
}

func rolling(unavailable, surge intstr.IntOrString) func(*lwsv1.LeaderWorkerSet) {
	return func(set *lwsv1.LeaderWorkerSet) {
		set.Spec.RolloutStrategy = lwsv1.RolloutStrategy{
			Type:                       lwsv1.RollingUpdate,
			RollingUpdateConfiguration: &lwsv1.RollingUpdateConfiguration{MaxUnavailable: unavailable, MaxSurge: surge},
		}
	}
}

// bounded checks what a member is told of the bounds.
func (s *story) bounded(member, name string, want bounds) {
	s.Helper()
	set := &lwsv1.LeaderWorkerSet{}
	if err := fleet.Members[member].Get(s.Context(), s.key(name), set); err != nil {
		s.Fatal(err)
	}
	c := set.Spec.RolloutStrategy.RollingUpdateConfiguration
	if c.MaxUnavailable.Type != intstr.Int || c.MaxSurge.Type != intstr.Int {
		s.Errorf("%s is to find out itself what %+v means", member, c)
	}
	got := bounds{int(*set.Spec.Replicas), c.MaxUnavailable.IntValue(), c.MaxSurge.IntValue(), int(*c.Partition)}
	if got != want {
		s.Errorf("%s has the bounds %+v, want %+v", member, got, want)
	}
}

// has says that a member does not have so many groups, of which so many are ready and at version 1.
func (s *story) has(ctx context.Context, member, name string, groups, ready int) error {
	all, err := s.readGroups(ctx, member, name)
	if err != nil {
		return err
	}
	old := 0
	for _, g := range all {
		if g.Leader.Labels["version"] == "1" && g.Ready(2) {
			old++
		}
	}
	if len(all) != groups || old != ready {
		return fmt.Errorf("%d of %d groups are ready at version 1, want %d of %d: %s", old, len(all), ready, groups, describe(all))
	}
	return nil
}

// partitioned waits until a member runs version 1 below its partition and version 2 from there on.
func (s *story) partitioned(member string, partition int) {
	s.Helper()
	s.soon(fmt.Sprintf("%s is updated down to group %d", member, partition), func(ctx context.Context) error {
		groups, err := s.readGroups(ctx, member, "web")
		if err != nil {
			return err
		}
		for _, g := range groups {
			want := "2"
			if g.Ordinal < partition {
				want = "1"
			}
			if got := g.Leader.Labels["version"]; got != want || !g.Ready(2) {
				return fmt.Errorf("group %d is at version %q, want %q and ready: %s", g.Ordinal, got, want, describe(groups))
			}
		}
		if len(groups) != 4 {
			return fmt.Errorf("%d groups", len(groups))
		}
		set := &lwsv1.LeaderWorkerSet{}
		if err := fleet.Members[member].Get(ctx, s.key("web"), set); err != nil {
			return err
		}
		return world.IsTrue(set.Status.Conditions, lwsv1.ConditionAvailable, "set")
	})
}

// kept checks that the groups below a partition have the pods that they had.
func (s *story) kept(before map[string]types.UID, partition int) {
	s.Helper()
	for _, member := range members {
		for _, g := range s.groups(member, "web")[:partition] {
			for _, pod := range g.Pods() {
				if diff := cmp.Diff(before[member+"/"+pod.Name], pod.UID); diff != "" {
					s.Errorf("pod %s in %s is another one (-before +now):\n%s", pod.Name, member, diff)
				}
			}
		}
	}
}

// judge fails the story if a moment was out of bounds.
func (c *chronicle) judge(b bounds) []moment {
	c.story.Helper()
	all := c.moments()
	most, least := 0, b.groups
	for i, m := range all {
		most, least = max(most, len(m.groups)), min(least, m.ready)
		if m.ready < b.groups-b.unavailable {
			c.story.Fatalf("%s, moment %d: %d groups are ready, want at least %d: %s", c.member, i, m.ready, b.groups-b.unavailable, m)
		}
		if len(m.groups) > b.groups+b.surge {
			c.story.Fatalf("%s, moment %d: %d groups, want at most %d: %s", c.member, i, len(m.groups), b.groups+b.surge, m)
		}
	}
	c.story.Logf("%s: %d moments, %d groups at most, %d ready at least", c.member, len(all), most, least)
	return all
}
