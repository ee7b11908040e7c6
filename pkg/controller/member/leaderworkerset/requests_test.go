package leaderworkerset

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/pkg/fleet"
)

func TestWhichSetsAnObjectConcerns(t *testing.T) {
	named := func(name string, labels ...string) metav1.ObjectMeta {
		m := metav1.ObjectMeta{Namespace: "serving", Name: name, Labels: map[string]string{}}
		for i := 0; i < len(labels); i += 2 {
			m.Labels[labels[i]] = labels[i+1]
		}
		return m
	}
	for name, c := range map[string]struct {
		object   client.Object
		requests fleet.Requests
		want     []string
	}{
		"a set":                {&lwsv1.LeaderWorkerSet{ObjectMeta: named("demo")}, own, []string{"demo"}},
		"a revision":           {&appsv1.ControllerRevision{ObjectMeta: named("demo-key", lwsv1.LabelName, "demo")}, ofName, []string{"demo"}},
		"a leader":             {&corev1.Pod{ObjectMeta: named("demo-0", lwsv1.LabelName, "demo", lwsv1.LabelWorkerIndex, "0")}, ofLeader, []string{"demo"}},
		"a worker":             {&corev1.Pod{ObjectMeta: named("demo-0-1", lwsv1.LabelName, "demo", lwsv1.LabelWorkerIndex, "1")}, ofLeader, nil},
		"a leader StatefulSet": {&appsv1.StatefulSet{ObjectMeta: named("demo", lwsv1.LabelName, "demo")}, ofStatefulSet, []string{"demo"}},
		"a worker StatefulSet, whose name another set may wait for": {
			&appsv1.StatefulSet{ObjectMeta: named("demo-0", lwsv1.LabelName, "demo", lwsv1.LabelGroupIndex, "0")}, ofStatefulSet, []string{"demo", "demo-0"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, r := range c.requests("eu", c.object) {
				if r.ClusterName != "eu" || r.Namespace != "serving" {
					t.Errorf("request %v is of another cluster or namespace", r)
				}
				got = append(got, r.Name)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
