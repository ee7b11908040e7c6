package e2e

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/api/v1alpha1"
	"github.com/lwsfed/lwsfed/test/world"
)

// A set applied once on the hub runs as groups in both members.
func TestRunsInEveryMember(t *testing.T) {
	s := tell(t, world.Policy("", "all"))
	s.set(world.Set("", "web", 5, 3))
	s.settled("web")
	if diff := cmp.Diff(map[string]int32{east: 3, west: 2}, s.placed("web")); diff != "" {
		t.Errorf("groups by cluster (-want +got):\n%s", diff)
	}

	set, p := &lwsv1.LeaderWorkerSet{}, &v1alpha1.Placement{}
	for _, o := range []client.Object{set, p} {
		if err := s.hub.Get(t.Context(), s.key("web"), o); err != nil {
			t.Fatal(err)
		}
	}
	sum := [3]int32{set.Status.Replicas, set.Status.ReadyReplicas, set.Status.UpdatedReplicas}
	if want := [3]int32{5, 5, 5}; sum != want {
		t.Errorf("the hub's set has replicas, ready and updated %v, want %v", sum, want)
	}
	sum = [3]int32{p.Status.Desired, p.Status.Ready, p.Status.Updated}
	if want := [3]int32{5, 5, 5}; sum != want {
		t.Errorf("the Placement has desired, ready and updated %v, want %v", sum, want)
	}
	for _, d := range p.Spec.Clusters {
		if d.Reason == "" {
			t.Errorf("the Placement gives no reason for %s", d.Name)
		}
	}
	if a, b := s.currentKey(east, "web"), s.currentKey(west, "web"); a != b || a != p.Status.Revision {
		t.Errorf("revision keys of the same template: east %q, west %q, Placement %q", a, b, p.Status.Revision)
	}
	for _, member := range members {
		service := &corev1.Service{}
		if err := fleet.Members[member].Get(t.Context(), s.key("web"), service); err != nil {
			t.Errorf("Service in %s: %v", member, err)
		} else if service.Spec.ClusterIP != corev1.ClusterIPNone || !service.Spec.PublishNotReadyAddresses {
			t.Errorf("Service in %s has ClusterIP %q and publishNotReadyAddresses %t, want a headless one with not ready addresses",
				member, service.Spec.ClusterIP, service.Spec.PublishNotReadyAddresses)
		}
	}
}

// Every pod is told its place in its group before any variable of its own.
func TestPodsKnowTheirGroup(t *testing.T) {
	s := tell(t, world.Policy("", "east", east))
	own := corev1.EnvVar{Name: lwsv1.EnvGroupSize, Value: "mine"}
	s.set(world.Set("", "web", 2, 2, func(set *lwsv1.LeaderWorkerSet) {
		pod := &set.Spec.LeaderWorkerTemplate.WorkerTemplate.Spec
		pod.Containers[0].Env = []corev1.EnvVar{{Name: "USER_SET", Value: "yes"}, own}
		pod.Containers = append(pod.Containers, corev1.Container{Name: "sidecar", Image: "sidecar:1"})
		pod.InitContainers = []corev1.Container{{Name: "init", Image: "init:1"}}
	}))
	s.settled("web")
	for _, g := range s.groups(east, "web") {
		for index, pod := range g.Pods() {
			labels := map[string]string{
				lwsv1.LabelName:        "web",
				lwsv1.LabelGroupIndex:  fmt.Sprint(g.Ordinal),
				lwsv1.LabelWorkerIndex: fmt.Sprint(index),
				lwsv1.LabelGroupKey:    g.Leader.Name,
				lwsv1.LabelRevision:    g.Key(),
			}
			for key, want := range labels {
				if got := pod.Labels[key]; got != want {
					t.Errorf("pod %s has label %s=%q, want %q", pod.Name, key, got, want)
				}
			}
			if pod.Spec.Subdomain != "web" {
				t.Errorf("pod %s has subdomain %q, want web", pod.Name, pod.Spec.Subdomain)
			}
			want := []corev1.EnvVar{
				{Name: lwsv1.EnvLeaderAddress, Value: fmt.Sprintf("%s.web.%s", g.Leader.Name, s.namespace)},
				{Name: lwsv1.EnvGroupSize, Value: "2"},
				{Name: lwsv1.EnvWorkerIndex, Value: fmt.Sprint(index)},
			}
			for _, c := range append(pod.Spec.InitContainers, pod.Spec.Containers...) {
				if diff := cmp.Diff(want, c.Env[:min(3, len(c.Env))]); diff != "" {
					t.Errorf("first variables of container %s of pod %s (-want +got):\n%s", c.Name, pod.Name, diff)
				}
				for _, e := range c.Env[min(3, len(c.Env)):] {
					if e == own {
						t.Errorf("container %s of pod %s still has the user's %s", c.Name, pod.Name, e.Name)
					}
				}
			}
		}
	}
}

// A set with subdomainPolicy UniquePerReplica has a Service for each group.
func TestUniqueSubdomain(t *testing.T) {
	s := tell(t, world.Policy("", "east", east))
	unique := lwsv1.SubdomainUniquePerReplica
	s.set(world.Set("", "web", 2, 2, func(set *lwsv1.LeaderWorkerSet) {
		set.Spec.NetworkConfig = &lwsv1.NetworkConfig{SubdomainPolicy: &unique}
	}))
	s.settled("web")
	for _, g := range s.groups(east, "web") {
		service := &corev1.Service{}
		if err := fleet.Members[east].Get(t.Context(), s.key(g.Leader.Name), service); err != nil {
			t.Errorf("Service of group %d: %v", g.Ordinal, err)
		}
		for _, pod := range g.Pods() {
			if pod.Spec.Subdomain != g.Leader.Name {
				t.Errorf("pod %s has subdomain %q, want %q", pod.Name, pod.Spec.Subdomain, g.Leader.Name)
			}
			want := fmt.Sprintf("%s.%s.%s", g.Leader.Name, g.Leader.Name, s.namespace)
			if got := pod.Spec.Containers[0].Env[0].Value; got != want {
				t.Errorf("pod %s has leader address %q, want %q", pod.Name, got, want)
			}
		}
	}
	if err := absent(t.Context(), fleet.Members[east], s.key("web"), &corev1.Service{}); err != nil {
		t.Errorf("the set has a shared Service that no group uses: %v", err)
	}
}

// A group of size 1 is a leader alone.
func TestLeadersAlone(t *testing.T) {
	s := tell(t, world.Policy("", "all"))
	s.set(world.Set("", "web", 4, 1))
	s.settled("web")
	s.change("web", world.Image("server:2"))
	s.settled("web")
	for _, member := range members {
		for _, g := range s.groups(member, "web") {
			if g.StatefulSet != nil {
				t.Errorf("group %d in %s has a StatefulSet of workers", g.Ordinal, member)
			}
		}
	}
}

// With startupPolicy LeaderReady, workers come once their leader is ready.
func TestWorkersWaitForTheirLeader(t *testing.T) {
	s := tell(t, world.Policy("", "east", east))
	release := s.hold(east, lwsv1.LabelWorkerIndex+"=0")
	s.set(world.Set("", "web", 2, 2, leaderReady))
	s.soon("leaders appear", func(ctx context.Context) error {
		groups, err := s.readGroups(ctx, east, "web")
		if err != nil {
			return err
		}
		if len(groups) != 2 {
			return fmt.Errorf("%d leaders, want 2", len(groups))
		}
		return nil
	})
	s.always(oneMoment, "leaders that are not ready have no workers", func(ctx context.Context) error {
		groups, err := s.readGroups(ctx, east, "web")
		for _, g := range groups {
			if g.StatefulSet != nil {
				return fmt.Errorf("group %d has workers", g.Ordinal)
			}
		}
		return err
	})
	release()
	s.settled("web")
}

func leaderReady(set *lwsv1.LeaderWorkerSet) {
	set.Spec.StartupPolicy = lwsv1.StartupPolicyLeaderReady
}
