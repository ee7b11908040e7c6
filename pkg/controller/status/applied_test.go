package status

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwsfed/lwsfed/api/v1alpha1"
)

func TestAppliedCondition(t *testing.T) {
	yes, no := metav1.ConditionTrue, metav1.ConditionFalse
	applied := v1alpha1.ClusterStatus{Name: "ap", State: v1alpha1.ClusterApplied, Reachable: yes}
	away := v1alpha1.ClusterStatus{Name: "eu", State: v1alpha1.ClusterApplied, Reachable: no}
	pending := v1alpha1.ClusterStatus{Name: "us", State: v1alpha1.ClusterPending, Reachable: yes, Message: "being written"}
	const all = "True Applied: every cluster has the set as decided"
	for name, c := range map[string]struct {
		in   []v1alpha1.ClusterStatus
		want string
	}{
		"no cluster":                   {nil, all},
		"all as decided":               {[]v1alpha1.ClusterStatus{applied}, all},
		"one pending":                  {[]v1alpha1.ClusterStatus{applied, pending}, "False Pending: us: Pending: being written"},
		"one that nothing is known of": {[]v1alpha1.ClusterStatus{{Name: "x"}}, "False Pending: x: Pending"},
		"one unreachable":              {[]v1alpha1.ClusterStatus{away, applied}, "False Unreachable: eu: Unreachable"},
		"the first gives the reason":   {[]v1alpha1.ClusterStatus{applied, away, pending}, "False Unreachable: eu: Unreachable; us: Pending: being written"},
		"a conflict": {
			[]v1alpha1.ClusterStatus{{Name: "x", State: v1alpha1.ClusterConflict, Reachable: yes, Message: "m"}}, "False Conflict: x: Conflict: m",
		},
		"a refusal": {
			[]v1alpha1.ClusterStatus{{Name: "x", State: v1alpha1.ClusterInvalid, Reachable: yes, Message: "m"}}, "False Rejected: x: Rejected: m",
		},
		"a refusal that was last seen": {
			[]v1alpha1.ClusterStatus{{Name: "x", State: v1alpha1.ClusterInvalid, Reachable: no, Message: "m"}}, "False Rejected: x: Rejected: m",
		},
		"one leaves": {
			[]v1alpha1.ClusterStatus{applied, {Name: "x", State: v1alpha1.ClusterLeaving, Reachable: yes, Message: "m"}}, "False Leaving: x: Leaving: m",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := appliedCondition(c.in)
			if got.Type != v1alpha1.ConditionApplied {
				t.Errorf("type %q", got.Type)
			}
			if diff := cmp.Diff(c.want, fmt.Sprintf("%s %s: %s", got.Status, got.Reason, got.Message)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// A message that is cut inside a character is stored as another one, and so would be written again and again.
func TestTheAppliedMessageIsCutBetweenCharacters(t *testing.T) {
	for n := range 4 {
		got := appliedCondition([]v1alpha1.ClusterStatus{{Name: "x" + strings.Repeat("y", n), Message: strings.Repeat("é", 1000)}}).Message
		if !utf8.ValidString(got) {
			t.Errorf("cut inside a character: ...%q", got[len(got)-3:])
		}
		if len(got) > 1024 || len(got) < 1023 {
			t.Errorf("%d bytes, want up to 1024", len(got))
		}
	}
}
