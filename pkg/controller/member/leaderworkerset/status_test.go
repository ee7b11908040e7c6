package leaderworkerset

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
)

// told is a status in one line: groups, ready, updated, the conditions that are True, and the reason and message
// that all three conditions share.
func told(t *testing.T, status lwsv1.LeaderWorkerSetStatus) string {
	t.Helper()
	var isTrue []string
	about := map[string]bool{}
	for _, kind := range []string{lwsv1.ConditionAvailable, lwsv1.ConditionProgressing, lwsv1.ConditionUpdateInProgress} {
		c := meta.FindStatusCondition(status.Conditions, kind)
		if c == nil {
			t.Fatalf("no condition %s", kind)
		}
		if c.ObservedGeneration != 7 {
			t.Errorf("condition %s speaks of generation %d, want 7", kind, c.ObservedGeneration)
		}
		if c.Status == metav1.ConditionTrue {
			isTrue = append(isTrue, kind)
		}
		about[c.Reason+": "+c.Message] = true
	}
	if len(about) != 1 {
		t.Errorf("the conditions say different things: %v", about)
	}
	for words := range about {
		return fmt.Sprintf("%d/%d/%d %s %s", status.Replicas, status.ReadyReplicas, status.UpdatedReplicas, strings.Join(isTrue, "+"), words)
	}
	return ""
}

func TestStatusOfWhatIsSeen(t *testing.T) {
	a, b := spec("a", 2, 4), spec("b", 2, 4)
	created := see(a, a, "")
	created.sts, created.known = nil, nil
	leftover := see(a, spec("a", 2, 3), "OOOO")
	leftover.statefulSet(leftover.old, 3, 0)
	for name, c := range map[string]struct {
		in   *seen
		want string
	}{
		"a leader too many still runs": {leftover, "4/4/4 Available AllGroupsReady: all groups are ready and as updated as they should be"},
		"created":                      {created, "0/0/0 Progressing GroupsProgressing: 0 of 4 groups are ready"},
		"starting":                     {see(a, a, "Ooo-"), "3/1/3 Progressing GroupsProgressing: 1 of 4 groups are ready"},
		"at rest":                      {see(a, a, "OOOO"), "4/4/4 Available AllGroupsReady: all groups are ready and as updated as they should be"},
		"a group failed":               {see(a, a, "OOoO"), "4/3/4 Progressing GroupsProgressing: 3 of 4 groups are ready"},
		"a group is being recreated":   {see(a, a, "OxOO"), "4/3/4 Progressing GroupsProgressing: 3 of 4 groups are ready"},
		"scaled up":                    {see(a, spec("a", 2, 6), "OOOO"), "4/4/4 Progressing GroupsProgressing: 4 of 6 groups are ready"},
		"scaled down":                  {see(a, spec("a", 2, 3), "OOOO"), "4/4/4 Progressing GroupsProgressing: 4 of 3 groups are ready"},
		"scaled to nothing":            {see(a, spec("a", 2, 0), ""), "0/0/0 Available AllGroupsReady: all groups are ready and as updated as they should be"},
		"a new template":               {see(a, b, "OOOO"), "4/4/0 Progressing+UpdateInProgress GroupsUpdating: starting the update of 4 groups"},
		"an update":                    {see(a, b, "OOON").updating(3), "4/4/1 Progressing+UpdateInProgress GroupsUpdating: updating group 2 of 4: 1 of 1 unavailable"},
		"an update that waits":         {see(a, b, "OOOn").updating(3), "4/3/1 Progressing+UpdateInProgress GroupsUpdating: waiting to update group 2 of 4: 1 of 1 unavailable"},
		"an update's last group":       {see(a, b, "oNNN").updating(0), "4/3/3 Progressing+UpdateInProgress GroupsUpdating: waiting for 1 of 4 groups to be updated and ready"},
		"updated":                      {see(a, b, "NNNN").updating(0), "4/4/4 Available AllGroupsReady: all groups are ready and as updated as they should be"},
		"updated down to a partition":  {see(a, rolling(b, "1", "0", 2), "OONN").updating(2), "4/4/2 Available AllGroupsReady: all groups are ready and as updated as they should be"},
		"an old group below the partition failed": {
			see(a, rolling(b, "1", "0", 2), "oONN").updating(2),
			"4/3/2 Progressing GroupsProgressing: 3 of 4 groups are ready",
		},
		"surge counts as a group": {
			see(a, rolling(b, "0", "1", 0), "OOOON").updating(4),
			"5/5/1 Progressing+UpdateInProgress GroupsUpdating: updating group 3 of 4: 1 of 1 unavailable",
		},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := decide(c.in.observation(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, told(t, statusOf(c.in.set, d, problem{}))); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestStatusOfAProblem(t *testing.T) {
	a := spec("a", 2, 2)
	s := see(a, a, "Oo")
	s.set.Status = lwsv1.LeaderWorkerSetStatus{Replicas: 9, ReadyReplicas: 8, UpdatedReplicas: 7, ObservedGeneration: 3}
	seen, err := decide(s.observation(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		decision *decision
		want     string
	}{
		"without a decision the numbers stay": {nil, "9/8/7  NameConflict: taken"},
		"with a decision they are as seen":    {seen, "2/1/2  NameConflict: taken"},
	} {
		t.Run(name, func(t *testing.T) {
			status := statusOf(s.set, c.decision, problem{reasonConflict, "taken"})
			if diff := cmp.Diff(c.want, told(t, status)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if s.set.Status.ReadyReplicas != 8 {
				t.Error("the set's own status was changed")
			}
		})
	}
}

func TestStatusSelectsLeadersForAutoscalers(t *testing.T) {
	a := spec("a", 2, 1)
	status := statusOf(demo(a), nil, problem{reasonConflict, "taken"})
	want := "leaderworkerset.sigs.k8s.io/name=demo,leaderworkerset.sigs.k8s.io/worker-index=0"
	if diff := cmp.Diff(want, status.HPAPodSelector); diff != "" {
		t.Errorf("hpaPodSelector (-want +got):\n%s", diff)
	}
	if status.ObservedGeneration != 7 {
		t.Errorf("observedGeneration %d, want 7", status.ObservedGeneration)
	}
}

// What others report on the set, and when a condition last changed, is theirs.
func TestStatusKeepsWhatItDoesNotSay(t *testing.T) {
	a := spec("a", 2, 1)
	s := see(a, a, "O")
	d, err := decide(s.observation(), nil)
	if err != nil {
		t.Fatal(err)
	}
	s.set.Status = statusOf(s.set, d, problem{})
	long := metav1.Unix(1, 0)
	s.set.Status.Conditions = append(s.set.Status.Conditions, metav1.Condition{Type: "Foreign", Status: metav1.ConditionTrue})
	for i := range s.set.Status.Conditions {
		s.set.Status.Conditions[i].LastTransitionTime = long
	}
	if diff := cmp.Diff(s.set.Status, statusOf(s.set, d, problem{})); diff != "" {
		t.Errorf("the same again differs (-before +after):\n%s", diff)
	}
}

func TestProblemIsNewUntilTheStatusSpeaksOfIt(t *testing.T) {
	p := problem{reasonMissing, "no revision x"}
	set := demo(spec("a", 1, 1))
	for _, c := range []struct {
		stored *problem
		want   bool
	}{
		{nil, true},
		{&problem{reasonMissing, "no revision y"}, true},
		{&problem{reasonConflict, "no revision x"}, true},
		{&p, false},
	} {
		set.Status = lwsv1.LeaderWorkerSetStatus{}
		if c.stored != nil {
			set.Status = statusOf(set, nil, *c.stored)
		}
		if got := problemIsNew(set, p); got != c.want {
			t.Errorf("after %v: problemIsNew = %v, want %v", c.stored, got, c.want)
		}
	}
}

func TestAMemberThatIsAwaySaysNothingOfTheSet(t *testing.T) {
	resource := schema.GroupResource{Group: "apps", Resource: "statefulsets"}
	refused := &url.Error{Op: "Patch", URL: "https://member", Err: &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}}
	for name, c := range map[string]struct {
		err  error
		want bool
	}{
		"none":              {nil, false},
		"deadline":          {context.DeadlineExceeded, true},
		"timeout":           {apierrors.NewTimeoutError("slow", 1), true},
		"server timeout":    {apierrors.NewServerTimeout(resource, "patch", 1), true},
		"too many requests": {apierrors.NewTooManyRequests("busy", 1), true},
		"unavailable":       {apierrors.NewServiceUnavailable("starting"), true},
		"internal":          {apierrors.NewInternalError(errors.New("etcd")), true},
		"refused":           {refused, true},
		"forbidden":         {apierrors.NewForbidden(resource, "demo", errors.New("no right")), false},
		"invalid":           {apierrors.NewInvalid(schema.GroupKind{Kind: "StatefulSet"}, "demo", nil), false},
		"conflict":          {apierrors.NewConflict(resource, "demo", errors.New("old")), false},
	} {
		err := c.err
		if err != nil {
			err = fmt.Errorf("update leader StatefulSet %q: %w", "demo", err)
		}
		if got := isTransient(err); got != c.want {
			t.Errorf("%s: isTransient = %v, want %v", name, got, c.want)
		}
	}
}
