package e2e

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/client"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/api/v1alpha1"
	"github.com/lwsfed/lwsfed/test/world"
)

// atOnce bounds how long the hub may lag behind a member.
const atOnce = time.Second

// What changes in a member shows in the hub's Placement and set at once.
func TestHubShowsWhatMembersShow(t *testing.T) {
	s := tell(t, world.Policy("", "all"))
	s.set(world.Set("", "web", 4, 2))
	s.settled("web")
	seen := s.lookOut("web")
	var lags []time.Duration
	for range 3 {
		for _, member := range members {
			release := s.hold(member, lwsv1.LabelGroupIndex+"=0,"+lwsv1.LabelWorkerIndex+"=1")
			lags = append(lags, seen.lags(s, member, 1, 3)...)
			release()
			lags = append(lags, seen.lags(s, member, 2, 4)...)
		}
	}
	slices.Sort(lags)
	t.Logf("the hub lags %v in the median, %v at most, of %d", lags[len(lags)/2], lags[len(lags)-1], len(lags))
	// One lag of many may be the machine's, which runs all clusters.
	if lags[len(lags)*3/4] > atOnce {
		t.Errorf("the hub lagged more than %v behind a member: %v", atOnce, lags)
	}
}

// lookout notes since when places show as many ready groups as they do.
type lookout struct {
	mu     sync.Mutex
	places map[string]shown
}

type shown struct {
	ready int32
	since time.Time
}

// lookOut watches the numbers of a set: in each member, what the Placement says of each member, and on the hub.
func (s *story) lookOut(name string) *lookout {
	s.Helper()
	l := &lookout{places: map[string]shown{}}
	for _, member := range members {
		s.watch(member, &lwsv1.LeaderWorkerSet{}, func(o client.Object, _ bool) {
			if o.GetName() == name {
				l.see(member, o.(*lwsv1.LeaderWorkerSet).Status.ReadyReplicas)
			}
		})
	}
	s.watch("hub", &lwsv1.LeaderWorkerSet{}, func(o client.Object, _ bool) {
		if o.GetName() == name {
			l.see("set", o.(*lwsv1.LeaderWorkerSet).Status.ReadyReplicas)
		}
	})
	s.watch("hub", &v1alpha1.Placement{}, func(o client.Object, _ bool) {
		if o.GetName() == name {
			for _, c := range o.(*v1alpha1.Placement).Status.Clusters {
				l.see("placement in "+c.Name, c.Ready)
			}
		}
	})
	return l
}

func (l *lookout) see(place string, ready int32) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if was, ok := l.places[place]; !ok || was.ready != ready {
		l.places[place] = shown{ready, time.Now()}
	}
}

// lags waits until a member has so many ready groups and the hub says so, and returns how much later the Placement and
// the set, which sums up all members, said it.
func (l *lookout) lags(s *story, member string, inMember, inAll int32) []time.Duration {
	s.Helper()
	want := map[string]int32{member: inMember, "placement in " + member: inMember, "set": inAll}
	s.soon(fmt.Sprintf("%s has %d groups ready", member, inMember), func(context.Context) error {
		l.mu.Lock()
		defer l.mu.Unlock()
		for place, ready := range want {
			if got := l.places[place].ready; got != ready {
				return fmt.Errorf("%s shows %d, want %d", place, got, ready)
			}
		}
		return nil
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	begin := l.places[member].since
	return []time.Duration{
		l.places["placement in "+member].since.Sub(begin).Round(time.Millisecond),
		l.places["set"].since.Sub(begin).Round(time.Millisecond),
	}
}

// What was last seen of a member that cannot be seen stays, and is said to be old. Once the member is back, all is as
// it was.
func TestUnreachableMemberKeepsItsNumbers(t *testing.T) {
	for name, take := range map[string]func(*story, string) func(){
		"stopped": (*story).stopAPIServer,
		"frozen":  (*story).freeze,
	} {
		t.Run(name, func(t *testing.T) {
			s := tell(t, world.Policy("", "all"))
			s.set(world.Set("", "web", 4, 2))
			s.settled("web")
			pods, numbers := s.uids("web"), s.numbers("web")
			before, err := s.clusterStatus(t.Context(), "web", west)
			if err != nil {
				t.Fatal(err)
			}

			away := time.Now()
			bringBack := take(s, west)
			s.soon("the Placement says so", func(ctx context.Context) error {
				_, err := s.lastContact(ctx, "web", west)
				return err
			})
			s.always(oneMoment, "the last numbers stay", func(ctx context.Context) error {
				contact, err := s.lastContact(ctx, "web", west)
				if err != nil {
					return err
				}
				// Members are probed every two seconds, and the API keeps no fractions.
				if contact.Before(away.Add(-4*time.Second)) || contact.After(time.Now()) {
					return fmt.Errorf("the last contact was at %v, the member went at %v", contact, away)
				}
				now, err := s.clusterStatus(ctx, "web", west)
				if err != nil {
					return err
				}
				if now.Reason != v1alpha1.ReasonUnreachable {
					return fmt.Errorf("the reason is %q", now.Reason)
				}
				now.Reachable, now.Reason, now.LastContactTime = before.Reachable, "", nil
				if diff := cmp.Diff(before, now); diff != "" {
					return fmt.Errorf("the Placement changed (-before +now):\n%s", diff)
				}
				if diff := cmp.Diff(numbers, s.numbers("web")); diff != "" {
					return fmt.Errorf("the set changed (-before +now):\n%s", diff)
				}
				return nil
			})

			bringBack()
			s.soon("the Placement is as before", func(ctx context.Context) error {
				now, err := s.clusterStatus(ctx, "web", west)
				if err != nil {
					return err
				}
				if diff := cmp.Diff(before, now); diff != "" {
					return fmt.Errorf("-before +now:\n%s", diff)
				}
				return nil
			})
			s.settled("web")
			s.always(oneMoment, "the pods are those from before", func(context.Context) error {
				if diff := cmp.Diff(pods, s.uids("web")); diff != "" {
					return fmt.Errorf("-before +now:\n%s", diff)
				}
				return nil
			})
			s.restartControllerManager(west)
		})
	}
}

// freeze suspends a member's API server until it is thawed, at the story's end at the latest.
func (s *story) freeze(member string) (thaw func()) {
	s.Helper()
	if err := fleet.Fleet.Member(member).Freeze(); err != nil {
		s.Fatal(err)
	}
	return s.atLeastOnce(func(ctx context.Context) error {
		if err := fleet.Fleet.Member(member).Thaw(); err != nil {
			return err
		}
		return fleet.AwaitReady(ctx, member)
	})
}

// numbers are the hub's of a set: its groups, those that are ready, those that are updated.
func (s *story) numbers(name string) [3]int32 {
	s.Helper()
	set := &lwsv1.LeaderWorkerSet{}
	if err := s.hub.Get(s.Context(), s.key(name), set); err != nil {
		s.Fatal(err)
	}
	return [3]int32{set.Status.Replicas, set.Status.ReadyReplicas, set.Status.UpdatedReplicas}
}

// lastContact is when a member was last seen, for both the Placement and the MemberCluster, which must say that it is
// unreachable.
func (s *story) lastContact(ctx context.Context, name, member string) (time.Time, error) {
	c, err := s.clusterStatus(ctx, name, member)
	if err != nil {
		return time.Time{}, err
	}
	m := &v1alpha1.MemberCluster{}
	if err := s.hub.Get(ctx, client.ObjectKey{Name: member}, m); err != nil {
		return time.Time{}, err
	}
	if c.Reachable != "False" || c.LastContactTime == nil {
		return time.Time{}, fmt.Errorf("the Placement says reachable %q, last contact %v", c.Reachable, c.LastContactTime)
	}
	if world.IsTrue(m.Status.Conditions, v1alpha1.ConditionReachable, member) == nil || !m.Status.LastContactTime.Equal(c.LastContactTime) {
		return time.Time{}, fmt.Errorf("the MemberCluster says %+v, the Placement %v", m.Status, c.LastContactTime)
	}
	return c.LastContactTime.Time, nil
}
