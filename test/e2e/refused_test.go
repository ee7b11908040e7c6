package e2e

import (
	"context"
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/api/v1alpha1"
	"github.com/lwsfed/lwsfed/test/world"
)

// A set that asks for what lwsfed cannot do yet is refused with a condition, and runs nowhere.
func TestUnsupportedFieldIsRefused(t *testing.T) {
	s := tell(t, world.Policy("", "all"))
	s.set(world.Set("", "web", 2, 2, func(set *lwsv1.LeaderWorkerSet) {
		set.Spec.LeaderWorkerTemplate.SubGroupPolicy = &lwsv1.SubGroupPolicy{SubGroupSize: ptr.To[int32](1)}
	}))
	s.soon("the condition names the fault", func(ctx context.Context) error {
		set := &lwsv1.LeaderWorkerSet{}
		if err := s.hub.Get(ctx, s.key("web"), set); err != nil {
			return err
		}
		c := meta.FindStatusCondition(set.Status.Conditions, v1alpha1.ConditionScheduled)
		if c == nil || c.Status != metav1.ConditionFalse || c.Reason != v1alpha1.ReasonUnsupportedField {
			return fmt.Errorf("condition Scheduled is %+v", c)
		}
		return nil
	})
	s.always(oneMoment, "nothing runs", func(ctx context.Context) error {
		return absent(ctx, fleet.Members[east], s.key("web"), &lwsv1.LeaderWorkerSet{})
	})
}
