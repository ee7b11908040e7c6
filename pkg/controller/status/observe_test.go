package status

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/pkg/controller/propagation"
)

func TestClean(t *testing.T) {
	unknown := leaves(true)
	unknown.outcome = nil
	gone := unknown
	gone.registered = false
	for name, c := range map[string]struct {
		members []member
		want    bool
	}{
		"no member":                            {nil, true},
		"all are clean":                        {[]member{leaves(true), leaves(true)}, true},
		"one has groups":                       {[]member{leaves(true), leaves(false)}, false},
		"one still runs the set":               {[]member{eu(), leaves(true)}, false},
		"nothing is known of one":              {[]member{leaves(true), unknown}, false},
		"one is no member any more":            {[]member{leaves(true), gone}, true},
		"one is no member, another has groups": {[]member{gone, leaves(false)}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := seeing(c.members...).clean(); got != c.want {
				t.Errorf("clean = %v, want %v", got, c.want)
			}
		})
	}
}

func TestTheFirstWriteWaitsForMembersThatAreAboutToReport(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*observation, *member)
		want   time.Duration
	}{
		"all have reported":               {func(*observation, *member) {}, 0},
		"one is not written to yet":       {func(_ *observation, m *member) { m.outcome, m.set = nil, nil }, settleTime},
		"one's set is not seen yet":       {func(_ *observation, m *member) { m.set = nil }, settleTime},
		"one's set has no status yet":     {func(_ *observation, m *member) { m.set.Status.ObservedGeneration = 0 }, settleTime},
		"one refused it":                  {func(_ *observation, m *member) { m.outcome, m.set = &propagation.Outcome{State: "Invalid"}, nil }, 0},
		"one is unreachable":              {func(_ *observation, m *member) { m.outcome, m.set, m.state = nil, nil, away }, 0},
		"one was never connected":         {func(_ *observation, m *member) { m.outcome, m.set, m.state = nil, nil, connects }, 0},
		"one is not chosen":               {func(_ *observation, m *member) { m.outcome, m.set, m.decision = nil, nil, nil }, 0},
		"a moment later":                  {func(o *observation, m *member) { m.set, o.now = nil, o.now.Add(2*time.Second) }, settleTime - 2*time.Second},
		"it took too long":                {func(o *observation, m *member) { m.set, o.now = nil, o.now.Add(settleTime) }, 0},
		"something was written before":    {func(o *observation, m *member) { m.set, o.placement.Status.ObservedGeneration = nil, 1 }, 0},
		"the Placement is on its way out": {func(o *observation, m *member) { m.set, o.placement.DeletionTimestamp = nil, &metav1.Time{} }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			o := seeing(eu(), named(eu(), "us"))
			c.change(o, &o.members[1])
			if got := o.unsettled(); got != c.want {
				t.Errorf("unsettled = %s, want %s", got, c.want)
			}
		})
	}
}

func TestWhichObjectsOfAMemberConcernASet(t *testing.T) {
	leader := map[string]string{lwsv1.LabelName: "demo", lwsv1.LabelWorkerIndex: "0"}
	worker := map[string]string{lwsv1.LabelName: "demo", lwsv1.LabelWorkerIndex: "1"}
	at := func(labels map[string]string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Namespace: "serving", Name: "demo", Labels: labels}
	}
	for name, c := range map[string]struct {
		in   client.Object
		want bool
	}{
		"a leader pod":        {&corev1.Pod{ObjectMeta: at(leader)}, true},
		"a worker pod":        {&corev1.Pod{ObjectMeta: at(worker)}, false},
		"a pod without index": {&corev1.Pod{ObjectMeta: at(map[string]string{lwsv1.LabelName: "demo"})}, false},
		"a set":               {&lwsv1.LeaderWorkerSet{ObjectMeta: at(nil)}, true},
	} {
		t.Run(name, func(t *testing.T) {
			got := leadersAndSets("eu", c.in)
			if (len(got) == 1) != c.want {
				t.Fatalf("requests %v, want one: %v", got, c.want)
			}
			if c.want && (got[0].Name != "demo" || got[0].Namespace != "serving" || got[0].ClusterName != "") {
				t.Errorf("request %v, want the hub's serving/demo", got[0])
			}
		})
	}
}
