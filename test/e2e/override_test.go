package e2e

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/lwsfed/lwsfed/api/v1alpha1"
	"github.com/lwsfed/lwsfed/test/world"
)

const imagePath = "/spec/leaderWorkerTemplate/workerTemplate/spec/containers/0/image"

// An override changes the set for one cluster alone.
func TestOverrideForOneCluster(t *testing.T) {
	policy := world.Policy("", "all")
	policy.Spec.Overrides = overrideIn(west, imagePath, `"mirror/server:1"`)
	s := tell(t, policy)
	s.set(world.Set("", "web", 2, 2))
	s.settled("web")
	for member, want := range map[string]string{east: "server:1", west: "mirror/server:1"} {
		s.soon("groups in "+member, func(ctx context.Context) error { return s.runs(ctx, member, "web", want) })
	}
}

// An override that does not apply is reported, and what runs goes on unchanged.
func TestInvalidOverrideChangesNothing(t *testing.T) {
	policy := world.Policy("", "all")
	s := tell(t, policy)
	s.set(world.Set("", "web", 2, 2))
	s.settled("web")
	before := s.uids("web")
	change(s, s.hub, client.ObjectKeyFromObject(policy), &v1alpha1.PlacementPolicy{}, func(p *v1alpha1.PlacementPolicy) {
		p.Spec.Overrides = overrideIn(west, "/spec/leaderWorkerTemplate/nowhere/image", `"mirror/server:1"`)
	})
	s.soon("the Placement says so", func(ctx context.Context) error {
		c, err := s.clusterStatus(ctx, "web", west)
		if err == nil && (c.State != v1alpha1.ClusterInvalid || c.Reason != v1alpha1.ReasonInvalidOverride) {
			return fmt.Errorf("state is %s, %s: %s", c.State, c.Reason, c.Message)
		}
		return err
	})
	s.always(oneMoment, "the groups go on", func(context.Context) error {
		if diff := cmp.Diff(before, s.uids("web")); diff != "" {
			return fmt.Errorf("pods changed (-before +now):\n%s", diff)
		}
		return nil
	})
}

func overrideIn(cluster, path, value string) []v1alpha1.Override {
	return []v1alpha1.Override{{
		Clusters: v1alpha1.OverrideClusters{Names: []string{cluster}},
		Patches: []v1alpha1.JSONPatch{{
			Op: "replace", Path: path, Value: &apiextensionsv1.JSON{Raw: []byte(value)},
		}},
	}}
}
