package e2e

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"testing"
	"time"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"github.com/lwsfed/lwsfed/api/v1alpha1"
	"github.com/lwsfed/lwsfed/clusters/local"
	"github.com/lwsfed/lwsfed/test/world"
)

// After a restart with nothing to do, lwsfed writes nothing but its lease. With LWSFED_LONG it is watched for a minute.
func TestRestartWritesNothing(t *testing.T) {
	s := tell(t, world.Policy("", "all"))
	s.set(world.Set("", "web", 4, 2))
	s.settled("web")
	during := 15 * time.Second
	if os.Getenv("LWSFED_LONG") != "" {
		during = time.Minute
	}
	time.Sleep(2 * time.Second) // the last status of an earlier story
	fleet.Lwsfed.Kill()
	start := time.Now()
	s.startLwsfed()
	for _, member := range members {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		if err := fleet.AwaitReady(ctx, member); err != nil {
			t.Fatal(err)
		}
		cancel()
	}
	time.Sleep(during)
	for _, cluster := range []*local.Cluster{fleet.Fleet.Hub(), fleet.Fleet.Member(east), fleet.Fleet.Member(west)} {
		events, err := cluster.AuditEvents(start)
		if err != nil {
			t.Fatal(err)
		}
		asked := 0
		for _, e := range events {
			if e.User.Username != world.User {
				continue
			}
			asked++
			if what, wrote := written(e); wrote {
				t.Errorf("in %s, %v after the start: %s %s", cluster.Name(), e.RequestReceivedTimestamp.Sub(start), e.Verb, what)
			}
		}
		if asked == 0 {
			t.Errorf("the audit log of %s has nothing of lwsfed", cluster.Name())
		}
	}
}

// written says what a request wrote. Its own lease, with the Event that says who leads, may be; dry runs and questions
// about rights write nothing.
func written(e auditv1.Event) (string, bool) {
	switch e.Verb {
	case "create", "update", "patch", "delete", "deletecollection":
	default:
		return "", false
	}
	if e.ObjectRef == nil {
		return e.RequestURI, true
	}
	switch e.ObjectRef.Resource {
	case "leases", "selfsubjectaccessreviews":
		return "", false
	}
	if e.ObjectRef.Resource == "events" && e.ObjectRef.Namespace == v1alpha1.SystemNamespace {
		return "", false
	}
	if u, err := url.Parse(e.RequestURI); err == nil && u.Query().Has("dryRun") {
		return "", false
	}
	return fmt.Sprintf("%s %s/%s", e.ObjectRef.Resource, e.ObjectRef.Namespace, e.ObjectRef.Name), true
}
