package leaderpod

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/pkg/revision"
)

// leaders is the set's leader StatefulSet.
func leaders() *appsv1.StatefulSet {
	return ownedBy(&appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Namespace: "serving", Name: "demo", UID: "leaders"}}, "LeaderWorkerSet", "demo", "set")
}

func TestObserveLooksAtLeadersOfTheSetAlone(t *testing.T) {
	for name, c := range map[string]struct {
		change  func(*observation, *appsv1.StatefulSet)
		without string
		want    bool
	}{
		"the leader of a group":          {want: true},
		"the leader is gone":             {without: "demo-4"},
		"the set is gone":                {without: "set"},
		"the leader StatefulSet is gone": {without: "demo"},
		"the leader is being deleted": {change: func(o *observation, _ *appsv1.StatefulSet) {
			now := metav1.Now()
			o.leader.DeletionTimestamp, o.leader.Finalizers = &now, []string{metav1.FinalizerDeleteDependents}
		}},
		"a worker":                              {change: func(o *observation, _ *appsv1.StatefulSet) { o.leader.Labels[lwsv1.LabelWorkerIndex] = "1" }},
		"a pod that has the labels of a leader": {change: func(o *observation, _ *appsv1.StatefulSet) { o.leader.OwnerReferences = nil }},
		"a leader of the StatefulSet before": {change: func(o *observation, _ *appsv1.StatefulSet) {
			ownedBy(o.leader, "StatefulSet", "demo", "leaders before")
		}},
		"a leader of a deleted set of the name": {change: func(_ *observation, s *appsv1.StatefulSet) {
			ownedBy(s, "LeaderWorkerSet", "demo", "set before")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			spec := template("a", 2)
			o, statefulSet := whole(spec, revision.Of(&spec)), leaders()
			if c.change != nil {
				c.change(o, statefulSet)
			}
			objects := slices.DeleteFunc(append(o.objects(), statefulSet), func(o client.Object) bool {
				_, set := o.(*lwsv1.LeaderWorkerSet)
				if set {
					return c.without == "set"
				}
				_, pod := o.(*corev1.Pod)
				return o.GetName() == c.without && (pod || c.without == "demo")
			})
			got, err := (&Reconciler{}).observe(t.Context(), memberWith(objects...), client.ObjectKeyFromObject(o.leader))
			if err != nil {
				t.Fatal(err)
			}
			if (got != nil) != c.want {
				t.Errorf("observed %v, want %v", got != nil, c.want)
			}
		})
	}
}

// A pod counts only if the StatefulSet that controls it is controlled by this very leader.
func TestObserveCountsTheLeadersOwnWorkers(t *testing.T) {
	spec := template("a", 3)
	for name, c := range map[string]struct {
		change func(*observation)
		want   []string
	}{
		"its own": {func(*observation) {}, []string{"demo-4-1", "demo-4-2"}},
		"none of the leader before": {func(o *observation) {
			ownedBy(o.workers, "Pod", "demo-4", "leader before")
		}, nil},
		"none of a StatefulSet before": {func(o *observation) {
			ownedBy(o.pods[0], "StatefulSet", "demo-4", "workers before")
		}, []string{"demo-4-2"}},
		"none that has only the labels": {func(o *observation) { o.pods[1].OwnerReferences = nil }, []string{"demo-4-1"}},
		"none of another namespace":     {func(o *observation) { o.pods[0].Namespace = "other" }, []string{"demo-4-2"}},
		"none without a StatefulSet":    {func(o *observation) { o.workers = nil }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			o := whole(spec, revision.Of(&spec))
			c.change(o)
			got, err := (&Reconciler{}).observe(t.Context(), memberWith(append(o.objects(), leaders())...), client.ObjectKeyFromObject(o.leader))
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, pod := range got.pods {
				names = append(names, pod.Name)
			}
			slices.Sort(names)
			if diff := cmp.Diff(c.want, names); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
