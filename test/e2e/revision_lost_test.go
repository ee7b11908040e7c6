package e2e

import (
	"context"
	"fmt"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwsfed/lwsfed/pkg/revision"
	"github.com/lwsfed/lwsfed/test/world"
)

// A revision that somebody deletes in a member while an update needs it is restored from the hub, and used.
func TestDeletedRevisionIsRestored(t *testing.T) {
	s := tell(t, world.Policy("", "east", east))
	release := s.stuckInUpdate()
	before := s.group(east, "web", 0)
	stored, err := s.revision(t.Context(), east, "web", before.Key())
	if err != nil {
		t.Fatal(err)
	}

	journals[east].ByHand(s.namespace, "web", before.Key())
	s.deleteIn(east, &appsv1.ControllerRevision{ObjectMeta: metav1.ObjectMeta{
		Namespace: s.namespace, Name: revision.Name("web", before.Key()),
	}})
	s.deleteIn(east, before.Leader.DeepCopy())
	s.soon("group 0 is whole again", func(context.Context) error {
		for _, g := range s.groups(east, "web") {
			if g.Ordinal == 0 && g.Leader.UID != before.Leader.UID && g.Ready(3) {
				return nil
			}
		}
		return fmt.Errorf("got %s", describe(s.groups(east, "web")))
	})
	restored, err := s.revision(t.Context(), east, "web", before.Key())
	if err != nil {
		t.Fatal(err)
	}
	if !restored.Equal(stored) {
		t.Errorf("the restored revision differs from the deleted one")
	}
	after := s.group(east, "web", 0)
	if after.Key() != before.Key() {
		t.Errorf("group 0 came back at %q, it was at %q", after.Key(), before.Key())
	}
	for _, worker := range after.Workers {
		if image := worker.Spec.Containers[0].Image; image != "server:1" {
			t.Errorf("worker %s came back with %s, want server:1", worker.Name, image)
		}
	}
	release()
	s.settled("web")
}
