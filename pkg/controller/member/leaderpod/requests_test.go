package leaderpod

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/lwsfed/lwsfed/pkg/fleet"
	"github.com/lwsfed/lwsfed/pkg/render"
	"github.com/lwsfed/lwsfed/pkg/revision"
)

func TestWhichLeaderAnObjectConcerns(t *testing.T) {
	spec := template("a", 2)
	content := revision.Of(&spec)
	set, pod := demo(spec), leader("key")
	unmarked := worker(pod, 1)
	unmarked.Annotations = nil
	shared := render.SharedService(set)
	statefulSet := render.LeaderStatefulSet(render.Leader{Set: set, Key: "key", Content: content}, nil)
	for name, c := range map[string]struct {
		object   client.Object
		requests fleet.Requests
		want     []string
	}{
		"a leader":                      {pod, ofPod, []string{"demo-4"}},
		"a worker":                      {worker(pod, 1), ofPod, []string{"demo-4"}},
		"a worker that names no leader": {unmarked, ofPod, nil},
		"a pod that is no group's":      {&corev1.Pod{}, ofPod, nil},
		"a worker StatefulSet":          {render.WorkerStatefulSet(set, pod, content), ofWorkers, []string{"demo-4"}},
		"a leader StatefulSet":          {statefulSet, ofWorkers, nil},
		"another's StatefulSet":         {&appsv1.StatefulSet{}, ofWorkers, nil},
		"a group's Service":             {render.GroupService(pod), ofGroupService, []string{"demo-4"}},
		"the set's Service":             {shared, ofGroupService, nil},
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
