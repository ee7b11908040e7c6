package membership

import (
	"context"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/lwsfed/lwsfed/api/v1alpha1"
)

// A member that takes lwsfed's rights away while lwsfed does not run is not called ready after it starts, and is once
// it gives them back.
func TestRightsLostWhileAway(t *testing.T) {
	timeToReady(t, first)
	rights := &rbacv1.ClusterRoleBinding{}
	c := fleet.Members[first]
	if err := c.Get(t.Context(), client.ObjectKey{Name: "lwsfed-member"}, rights); err != nil {
		t.Fatal(err)
	}
	fleet.Lwsfed.Kill()
	if err := c.Delete(t.Context(), rights); err != nil {
		t.Fatal(err)
	}
	startLwsfed(t)
	lost := trouble{first, nil, v1alpha1.ConditionBootstrapped, v1alpha1.ReasonForbidden, []string{"system:serviceaccount:lwsfed-system:lwsfed"}}
	within(t, soonEnough, "the lost rights are reported", func(ctx context.Context) error {
		m, err := member(ctx, first)
		if err != nil {
			return err
		}
		return lost.unreported(m)
	})
	again := rights.DeepCopy()
	again.ObjectMeta = metav1.ObjectMeta{Name: rights.Name}
	if err := c.Create(context.Background(), again); err != nil {
		t.Fatal(err)
	}
	within(t, 2*soonEnough, first+" is ready again", func(ctx context.Context) error { return ready(ctx, first) })
}

// startLwsfed starts the program and waits until it has the lease.
func startLwsfed(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := fleet.Lwsfed.Start(ctx); err != nil {
		t.Fatal(err)
	}
	if err := fleet.Lwsfed.AwaitLead(ctx); err != nil {
		t.Fatal(err)
	}
}
