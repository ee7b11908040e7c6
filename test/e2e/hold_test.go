package e2e

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/utils/ptr"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/test/world"
)

// oneMoment is how long a story watches that something does not happen.
const oneMoment = time.Second

// hold keeps pods of a member from being ready, those that exist and those to come, until release.
func (s *story) hold(member, selector string) (release func()) {
	s.Helper()
	selected, err := labels.Parse(selector)
	if err != nil {
		s.Fatal(err)
	}
	s.namespaceIn(member)
	end, err := fleet.Fleet.Member(member).KeepNotReady(s.Context(), s.namespace, selected)
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() {
		if err := end(); err != nil {
			s.Error(err)
		}
	})
	return func() {
		s.Helper()
		if err := end(); err != nil {
			s.Fatal(err)
		}
	}
}

// Version makes all pods of the set run an image of the version, with a label version that holds can select by.
func version(v string) func(*lwsv1.LeaderWorkerSet) {
	return func(set *lwsv1.LeaderWorkerSet) {
		template := &set.Spec.LeaderWorkerTemplate
		world.Image("server:" + v)(set)
		template.WorkerTemplate.Labels = map[string]string{"version": v}
		if template.LeaderTemplate != nil {
			template.LeaderTemplate.Spec.Containers[0].Image = "leader:" + v
			template.LeaderTemplate.Labels = map[string]string{"version": v}
		}
	}
}

// stuckInUpdate runs a set of three groups at version 1 in east, and starts an update to version 2 that stays at
// its first group, number 2, because no leader at version 2 becomes ready before release.
func (s *story) stuckInUpdate(changes ...func(*lwsv1.LeaderWorkerSet)) (release func()) {
	s.Helper()
	s.set(world.Set("", "web", 3, 3, version("1")))
	s.settled("web")
	release = s.hold(east, "version=2")
	s.change("web", append(changes, version("2"))...)
	s.soon("group 2 is at version 2", func(ctx context.Context) error {
		return s.leaderRuns(ctx, 2, "2")
	})
	return release
}

// leaderRuns says that a group's leader is not of the version.
func (s *story) leaderRuns(ctx context.Context, ordinal int, want string) error {
	groups, err := s.readGroups(ctx, east, "web")
	if err != nil {
		return err
	}
	for _, g := range groups {
		if g.Ordinal == ordinal {
			if got := g.Leader.Labels["version"]; got != want {
				return fmt.Errorf("the leader of group %d is at version %q, want %q", ordinal, got, want)
			}
			return nil
		}
	}
	return fmt.Errorf("group %d has no leader", ordinal)
}

// partitioned keeps groups below an ordinal from being updated.
func partitioned(ordinal int32) func(*lwsv1.LeaderWorkerSet) {
	return func(set *lwsv1.LeaderWorkerSet) {
		set.Spec.RolloutStrategy.RollingUpdateConfiguration.Partition = ptr.To(ordinal)
	}
}
