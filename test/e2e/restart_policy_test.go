package e2e

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/clusters/local"
	"github.com/lwsfed/lwsfed/test/world"
)

// fault is what happens to a pod of a group.
type fault struct {
	name  string
	cause func(s *story, pod *corev1.Pod) error
	// replaces says that the pod does not outlive it.
	replaces bool
}

var faults = []fault{
	{"fails", func(s *story, pod *corev1.Pod) error {
		return inEast().FailPods(s.Context(), pod.Namespace, alone(pod))
	}, true},
	{"restarts", func(s *story, pod *corev1.Pod) error {
		return inEast().RestartContainers(s.Context(), pod.Namespace, alone(pod))
	}, false},
	{"deleted", func(s *story, pod *corev1.Pod) error {
		return fleet.Members[east].Delete(s.Context(), pod.DeepCopy())
	}, true},
	{"gone", func(s *story, pod *corev1.Pod) error { // at once, as when its node is removed
		return fleet.Members[east].Delete(s.Context(), pod.DeepCopy(), client.GracePeriodSeconds(0))
	}, true},
}

// inEast is the member with its tools for faults.
func inEast() *local.Cluster { return fleet.Fleet.Member(east) }

// alone selects one pod of a group.
func alone(pod *corev1.Pod) labels.Selector {
	return labels.SelectorFromSet(labels.Set{
		lwsv1.LabelName:        pod.Labels[lwsv1.LabelName],
		lwsv1.LabelGroupIndex:  pod.Labels[lwsv1.LabelGroupIndex],
		lwsv1.LabelWorkerIndex: pod.Labels[lwsv1.LabelWorkerIndex],
	})
}

// When a pod of a group fails, its whole group is created anew, once, and no other.
func TestPodFailureRecreatesItsGroup(t *testing.T) {
	for name, policy := range map[string]lwsv1.RestartPolicyType{
		"always":      lwsv1.RestartPolicyRecreateGroupOnPodRestart,
		"after-start": lwsv1.RestartPolicyRecreateGroupAfterStart,
	} {
		t.Run(name, func(t *testing.T) {
			s := tell(t, world.Policy("", "east", east))
			// Each fault has a group whose leader it strikes and one whose worker it strikes. One group is well.
			groups := 2*len(faults) + 1
			s.set(world.Set("", "web", int32(groups), 3, restartPolicy(policy)))
			s.settled("web")
			before := s.groups(east, "web")
			struck := map[int]*corev1.Pod{}
			for i, fault := range faults {
				for ordinal, index := range map[int]int{2 * i: 0, 2*i + 1: 2} {
					struck[ordinal] = before[ordinal].Pods()[index]
					if err := fault.cause(s, struck[ordinal]); err != nil {
						t.Fatal(err)
					}
				}
			}
			for ordinal, pod := range struck {
				s.soon(fmt.Sprintf("group %d is another one after pod %s %s", ordinal, pod.Name, faults[ordinal/2].name), func(ctx context.Context) error {
					return s.replaced(ctx, before[ordinal])
				})
			}
			s.settled("web")
			s.always(oneMoment, "the groups stay", func(context.Context) error {
				for _, g := range before {
					if err := s.recreated(g, struck[g.Ordinal]); err != nil {
						return err
					}
				}
				return nil
			})
		})
	}
}

// Workers that are gone at once, before anybody can see that they go, and that their StatefulSets replace, recreate
// their groups too.
func TestWorkersGoneAtOnceRecreateTheirGroups(t *testing.T) {
	s := tell(t, world.Policy("", "east", east))
	const groups = 30
	s.set(world.Set("", "web", groups, 2))
	s.settled("web")
	before := s.groups(east, "web")
	strikes, ctx := errgroup.WithContext(t.Context())
	for _, g := range before {
		strikes.Go(func() error {
			return fleet.Members[east].Delete(ctx, g.Workers[0].DeepCopy(), client.GracePeriodSeconds(0))
		})
	}
	if err := strikes.Wait(); err != nil {
		t.Fatal(err)
	}
	for _, g := range before {
		s.soon(fmt.Sprintf("group %d is another one", g.Ordinal), func(ctx context.Context) error { return s.replaced(ctx, g) })
	}
	s.settled("web")
	for _, g := range before {
		if err := s.recreated(g, g.Workers[0]); err != nil {
			t.Error(err)
		}
	}
}

// With restartPolicy None the failed pod alone is created anew, and one whose container restarts stays.
func TestPodFailureReplacesThePodAlone(t *testing.T) {
	for _, fault := range faults {
		t.Run(fault.name, func(t *testing.T) {
			s := tell(t, world.Policy("", "east", east))
			s.set(world.Set("", "web", 2, 3, restartPolicy(lwsv1.RestartPolicyNone)))
			s.settled("web")
			before := s.uids("web")
			failed := s.group(east, "web", 1).Pods()[2]
			if err := fault.cause(s, failed); err != nil {
				t.Fatal(err)
			}
			delete(before, east+"/"+failed.Name)
			s.soon("the pod is what it should be", func(context.Context) error {
				g := s.group(east, "web", 1)
				if !g.Ready(3) {
					return fmt.Errorf("group 1 is not ready: %s", describe(s.groups(east, "web")))
				}
				switch now := g.Pods()[2]; {
				case fault.replaces && now.UID == failed.UID:
					return fmt.Errorf("pod %s is not replaced", now.Name)
				case !fault.replaces && now.UID != failed.UID:
					return fmt.Errorf("pod %s is replaced", now.Name)
				case !fault.replaces && now.Status.ContainerStatuses[0].RestartCount == 0:
					return fmt.Errorf("pod %s did not restart", now.Name)
				}
				return nil
			})
			s.settled("web")
			s.always(oneMoment, "the others stay", func(context.Context) error {
				now := s.uids("web")
				delete(now, east+"/"+failed.Name)
				if diff := cmp.Diff(before, now); diff != "" {
					return fmt.Errorf("pods changed (-before +now):\n%s", diff)
				}
				return nil
			})
		})
	}
}

// With RecreateGroupAfterStart a group that has not started as a whole is left to start.
func TestStartingGroupIsLeftToStart(t *testing.T) {
	for _, test := range []struct {
		name      string
		policy    lwsv1.RestartPolicyType
		recreated bool
	}{
		{"after-start", lwsv1.RestartPolicyRecreateGroupAfterStart, false},
		{"always", lwsv1.RestartPolicyRecreateGroupOnPodRestart, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := tell(t, world.Policy("", "east", east))
			s.set(world.Set("", "web", 1, 3, restartPolicy(test.policy), func(set *lwsv1.LeaderWorkerSet) {
				template := &set.Spec.LeaderWorkerTemplate
				template.LeaderTemplate = ptr.To(world.Pod("server:1"))
				template.WorkerTemplate.Spec.NodeSelector = map[string]string{"no-such": "node"}
			}))
			s.soon("the leader is ready and all workers exist", func(ctx context.Context) error {
				groups, err := s.readGroups(ctx, east, "web")
				if err != nil {
					return err
				}
				if len(groups) != 1 || !world.PodReady(groups[0].Leader) || len(groups[0].Workers) != 2 {
					return fmt.Errorf("got %s", describe(groups))
				}
				return nil
			})
			before := s.group(east, "web", 0)
			if err := inEast().RestartContainers(t.Context(), s.namespace, alone(before.Leader)); err != nil {
				t.Fatal(err)
			}
			if test.recreated {
				s.soon("the group is another one", func(ctx context.Context) error {
					return s.replaced(ctx, before)
				})
				return
			}
			s.always(oneMoment, "the group stays", func(context.Context) error {
				for i, pod := range s.group(east, "web", 0).Pods() {
					if pod.UID != before.Pods()[i].UID {
						return fmt.Errorf("pod %s was replaced", pod.Name)
					}
				}
				return nil
			})
		})
	}
}

func restartPolicy(p lwsv1.RestartPolicyType) func(*lwsv1.LeaderWorkerSet) {
	return func(set *lwsv1.LeaderWorkerSet) { set.Spec.LeaderWorkerTemplate.RestartPolicy = p }
}

// replaced says which pod of a group is not replaced yet.
func (s *story) replaced(ctx context.Context, before world.Group) error {
	groups, err := s.readGroups(ctx, east, "web")
	if err != nil {
		return err
	}
	now := map[string]types.UID{}
	for _, g := range groups {
		for _, pod := range g.Pods() {
			now[pod.Name] = pod.UID
		}
	}
	for _, pod := range before.Pods() {
		if uid, ok := now[pod.Name]; !ok || uid == pod.UID {
			return fmt.Errorf("pod %s is not replaced: %s", pod.Name, describe(groups))
		}
	}
	return nil
}

// recreated says which pod of a group did not come as often as it should: once, and once more if one was struck. A
// worker that was struck may have come a third time, if its StatefulSet replaced it before its group went.
func (s *story) recreated(g world.Group, struck *corev1.Pod) error {
	seen := journals[east].PodUIDs(s.namespace)
	for i, pod := range g.Pods() {
		least, most := 1, 1
		if struck != nil {
			least, most = 2, 2
		}
		if struck != nil && struck.Name == pod.Name && i > 0 {
			most = 3
		}
		if n := len(seen[pod.Name]); n < least || n > most {
			return fmt.Errorf("pod %s was %d pods, want %d to %d", pod.Name, n, least, most)
		}
	}
	return nil
}
