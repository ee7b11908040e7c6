package e2e

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/api/v1alpha1"
	"github.com/lwsfed/lwsfed/test/world"
)

// A member that hangs does not slow another one down, not even in the first seconds, when nobody knows it yet. Sets
// that east runs alone and sets that it shares with a frozen member take turns, and the best of each are compared:
// what else the machine does only adds.
func TestFrozenMemberDelaysNobody(t *testing.T) {
	s := tell(t, nil)
	for where, clusters := range map[string][]string{"east": {east}, "both": members} {
		policy := world.Policy(s.namespace, where, clusters...)
		policy.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"where": where}}
		policy.Spec.Replicas.Type = v1alpha1.Duplicated // so that east has the same to do in every round
		s.create(policy)
	}
	var alone, shared []time.Duration
	for round := range 2 {
		if round > 0 {
			s.awaitMany(west, "both", round-1)
		}
		alone = append(alone, s.runMany("east", round))
		thaw := s.freeze(west)
		shared = append(shared, s.runMany("both", round))
		thaw()
	}
	ratio := float64(slices.Min(shared)) / float64(slices.Min(alone))
	t.Logf("%d sets run in east after %v, and after %v while west, which they are for too, is frozen: %.2f times as long", many, alone, shared, ratio)
	if ratio > 2 {
		t.Errorf("a frozen member makes the other one %.2f times as slow, want at most twice", ratio)
	}
}

// many sets are more than a controller works on at the same time.
const many = 36

// runMany applies many sets and returns how long it takes until all of their groups are ready in east.
func (s *story) runMany(where string, round int) time.Duration {
	s.Helper()
	begin := time.Now()
	creations, ctx := errgroup.WithContext(s.Context())
	creations.SetLimit(8)
	for i := range many {
		set := world.Set(s.namespace, fmt.Sprintf("%s-%d-%d", where, round, i), 1, 1)
		set.Labels = map[string]string{"where": where, "round": strconv.Itoa(round)}
		creations.Go(func() error { return s.hub.Create(ctx, set) })
	}
	if err := creations.Wait(); err != nil {
		s.Fatal(err)
	}
	s.awaitMany(east, where, round)
	return time.Since(begin).Round(time.Millisecond)
}

// awaitMany waits until a member runs the sets of a round.
func (s *story) awaitMany(member, where string, round int) {
	s.Helper()
	s.soon(fmt.Sprintf("%s runs %s-%d", member, where, round), func(ctx context.Context) error {
		sets := &lwsv1.LeaderWorkerSetList{}
		labels := client.MatchingLabels{"where": where, "round": strconv.Itoa(round)}
		if err := fleet.Members[member].List(ctx, sets, client.InNamespace(s.namespace), labels); err != nil {
			return err
		}
		run := 0
		for _, set := range sets.Items {
			if meta.IsStatusConditionTrue(set.Status.Conditions, lwsv1.ConditionAvailable) {
				run++
			}
		}
		if run != many {
			return fmt.Errorf("%d of %d sets are available", run, many)
		}
		return nil
	})
}
