package leaderpod

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/pkg/render"
	"github.com/lwsfed/lwsfed/pkg/revision"
)

func unique(spec lwsv1.LeaderWorkerSetSpec) lwsv1.LeaderWorkerSetSpec {
	spec.NetworkConfig = &lwsv1.NetworkConfig{SubdomainPolicy: ptr.To(lwsv1.SubdomainUniquePerReplica)}
	return spec
}

// bare is a group of a leader alone.
func bare(spec, group lwsv1.LeaderWorkerSetSpec) (*observation, revision.Content) {
	content := revision.Of(&group)
	o := whole(spec, content)
	o.workers, o.service, o.pods = nil, nil, nil
	return o, content
}

// unstored leaves out what an API server adds or drops.
var unstored = cmp.Options{cmpopts.IgnoreFields(metav1.ObjectMeta{}, "ResourceVersion", "UID"), cmpopts.EquateEmpty()}

// What a group is made from is its own revision's, whatever the set asks for by now.
func TestBuildMakesAGroupFromItsRevision(t *testing.T) {
	for name, c := range map[string]struct {
		group, set       lwsv1.LeaderWorkerSetSpec
		workers, service bool
	}{
		"as the set is":                               {template("a", 3), template("a", 3), true, false},
		"the set has another image, and shrank":       {template("a", 5), template("b", 2), true, false},
		"the set's groups are leaders alone by now":   {template("a", 3), template("a", 1), true, false},
		"the set's groups were leaders alone":         {template("a", 1), template("a", 3), false, false},
		"a subdomain of its own":                      {unique(template("a", 3)), unique(template("a", 3)), true, true},
		"a subdomain of its own, the set shares one":  {unique(template("a", 3)), template("a", 3), true, true},
		"a shared subdomain, the set has one a group": {template("a", 3), unique(template("a", 3)), true, false},
		"a leader alone with a subdomain of its own":  {unique(template("a", 1)), template("b", 4), false, true},
	} {
		t.Run(name, func(t *testing.T) {
			o, content := bare(c.set, c.group)
			member := memberWith(o.objects()...)
			b, recorder := building(o, member)
			if err := b.build(t.Context(), content); err != nil {
				t.Fatal(err)
			}
			var workers *appsv1.StatefulSet
			var service *corev1.Service
			if c.workers {
				workers = render.WorkerStatefulSet(o.set, o.leader, content)
			}
			if c.service {
				service = render.GroupService(o.leader)
			}
			if diff := cmp.Diff(workers, mustGet(t, member, "demo-4", &appsv1.StatefulSet{}), unstored); diff != "" {
				t.Errorf("workers (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(service, mustGet(t, member, "demo-4", &corev1.Service{}), unstored); diff != "" {
				t.Errorf("Service (-want +got):\n%s", diff)
			}
			if got := said(recorder); (len(got) > 0) != c.workers {
				t.Errorf("events %q", got)
			}
		})
	}
}

// At rest nothing is written, and the workers' template is never touched.
func TestBuildLeavesAWholeGroupAlone(t *testing.T) {
	group, set := unique(template("a", 3)), template("b", 2)
	content := revision.Of(&group)
	o := whole(set, content)
	o.workers.Spec.Template.Labels["of"] = "another version"
	member := interceptor.NewClient(memberWith(o.objects()...), interceptor.Funcs{
		Create: func(context.Context, client.WithWatch, client.Object, ...client.CreateOption) error {
			return errors.New("created")
		},
		Patch: func(context.Context, client.WithWatch, client.Object, client.Patch, ...client.PatchOption) error {
			return errors.New("patched")
		},
	})
	b, recorder := building(o, member)
	if err := b.build(t.Context(), content); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string(nil), said(recorder)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestBuildRestoresTheNumberOfWorkers(t *testing.T) {
	spec := template("a", 3)
	content := revision.Of(&spec)
	for name, c := range map[string]struct {
		change func(*observation)
		want   int32
		events []string
	}{
		"scaled up by hand":   {func(o *observation) { o.workers.Spec.Replicas = ptr.To[int32](9) }, 2, []string{"Normal RestoredWorkers group demo-4 has 2 workers again"}},
		"scaled down by hand": {func(o *observation) { o.workers.Spec.Replicas = ptr.To[int32](0) }, 2, []string{"Normal RestoredWorkers group demo-4 has 2 workers again"}},
		"the set has grown":   {func(o *observation) { o.set.Spec.LeaderWorkerTemplate.Size = ptr.To[int32](9) }, 2, nil},
		"being deleted": {func(o *observation) {
			now := metav1.Now()
			o.workers.DeletionTimestamp, o.workers.Finalizers = &now, []string{metav1.FinalizerDeleteDependents}
			o.workers.Spec.Replicas = ptr.To[int32](9)
		}, 9, nil},
		"of the leader before": {func(o *observation) {
			ownedBy(o.workers, "Pod", "demo-4", "leader before")
			o.workers.Spec.Replicas = ptr.To[int32](9)
		}, 9, nil},
	} {
		t.Run(name, func(t *testing.T) {
			o := whole(spec, content)
			c.change(o)
			member := memberWith(o.objects()...)
			b, recorder := building(o, member)
			if err := b.build(t.Context(), content); err != nil {
				t.Fatal(err)
			}
			if got := *mustGet(t, member, "demo-4", &appsv1.StatefulSet{}).Spec.Replicas; got != c.want {
				t.Errorf("%d workers, want %d", got, c.want)
			}
			if diff := cmp.Diff(c.events, said(recorder)); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBuildWaits(t *testing.T) {
	unready := func(o *observation) { o.leader.Status.Conditions[0].Status = corev1.ConditionFalse }
	leaderReady := func(o *observation) { o.set.Spec.StartupPolicy = lwsv1.StartupPolicyLeaderReady }
	for name, c := range map[string]struct {
		changes []func(*observation)
		built   bool
	}{
		"for nothing by default":                        {[]func(*observation){unready}, true},
		"for a leader that must be ready":               {[]func(*observation){leaderReady, unready}, false},
		"not for a leader that is ready":                {[]func(*observation){leaderReady}, true},
		"for a leader that says nothing of being ready": {[]func(*observation){leaderReady, func(o *observation) { o.leader.Status.Conditions = nil }}, false},
		"for a stamped leader":                          {[]func(*observation){func(o *observation) { delete(o.leader.Labels, lwsv1.LabelGroupKey) }}, false},
	} {
		t.Run(name, func(t *testing.T) {
			o, content := bare(template("a", 2), template("a", 2))
			for _, change := range c.changes {
				change(o)
			}
			member := memberWith(o.objects()...)
			b, _ := building(o, member)
			if err := b.build(t.Context(), content); err != nil {
				t.Fatal(err)
			}
			if built := mustGet(t, member, "demo-4", &appsv1.StatefulSet{}) != nil; built != c.built {
				t.Errorf("built %v, want %v", built, c.built)
			}
		})
	}
}

// The Service of a group must be there before its leader can become ready.
func TestBuildMakesTheServiceBeforeTheLeaderIsReady(t *testing.T) {
	o, content := bare(unique(template("a", 2)), unique(template("a", 2)))
	o.set.Spec.StartupPolicy = lwsv1.StartupPolicyLeaderReady
	o.leader.Status.Conditions = nil
	member := memberWith(o.objects()...)
	b, _ := building(o, member)
	if err := b.build(t.Context(), content); err != nil {
		t.Fatal(err)
	}
	if mustGet(t, member, "demo-4", &corev1.Service{}) == nil {
		t.Error("no Service, want one")
	}
}
