package e2e

import (
	"context"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/test/world"
)

// A leader that is deleted while an update goes on comes back at the revision that it had, with workers of that
// revision, whatever it is that the update changes.
func TestLeaderDeletedDuringUpdate(t *testing.T) {
	unique := lwsv1.SubdomainUniquePerReplica
	for _, test := range []struct {
		name   string
		change func(*lwsv1.LeaderWorkerSet)
	}{
		{"image", func(*lwsv1.LeaderWorkerSet) {}},
		{"size", func(set *lwsv1.LeaderWorkerSet) { set.Spec.LeaderWorkerTemplate.Size = ptr.To[int32](2) }},
		{"subdomain", func(set *lwsv1.LeaderWorkerSet) {
			set.Spec.NetworkConfig = &lwsv1.NetworkConfig{SubdomainPolicy: &unique}
		}},
		{"leader-template", func(set *lwsv1.LeaderWorkerSet) {
			set.Spec.LeaderWorkerTemplate.LeaderTemplate = ptr.To(world.Pod("leader:2"))
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := tell(t, world.Policy("", "east", east))
			release := s.stuckInUpdate(test.change)
			before := s.group(east, "web", 0)
			s.deleteIn(east, before.Leader.DeepCopy())

			s.soon("group 0 is whole again", func(context.Context) error {
				for _, g := range s.groups(east, "web") {
					if g.Ordinal == 0 && g.Leader.UID != before.Leader.UID && g.Ready(3) {
						return nil
					}
				}
				return fmt.Errorf("got %s", describe(s.groups(east, "web")))
			})
			after := s.group(east, "web", 0)
			if after.Key() != before.Key() {
				t.Errorf("group 0 came back at %q, it was at %q", after.Key(), before.Key())
			}
			for i, pod := range after.Pods() {
				was := before.Pods()[i]
				if diff := difference(was, pod); diff != "" {
					t.Errorf("pod %s came back changed: %s", pod.Name, diff)
				}
			}
			release()
			s.settled("web")
		})
	}
}

// difference is what of a pod's making differs.
func difference(a, b *corev1.Pod) string {
	type making struct {
		image, subdomain, version string
		env                       string
	}
	of := func(p *corev1.Pod) making {
		return making{p.Spec.Containers[0].Image, p.Spec.Subdomain, p.Labels["version"], fmt.Sprint(p.Spec.Containers[0].Env)}
	}
	if of(a) == of(b) {
		return ""
	}
	return fmt.Sprintf("was %+v, is %+v", of(a), of(b))
}
