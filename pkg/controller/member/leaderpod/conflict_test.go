package leaderpod

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/lwsfed/lwsfed/pkg/revision"
)

// What has the group's name and is not its own is never written, and a person is told. What a leader before left
// goes by itself, and nobody is.
func TestBuildNeverTakesOver(t *testing.T) {
	spec := unique(template("a", 2))
	content := revision.Of(&spec)
	foreignWorkers := []string{`Warning NameConflict the group waits: *v1.StatefulSet "demo-4" is not its own; delete it or rename the set`}
	foreignService := []string{`Warning NameConflict the group waits: *v1.Service "demo-4" is not its own; delete it or rename the set`}
	for name, c := range map[string]struct {
		kind, owner string
		workers     bool
		events      []string
	}{
		"the StatefulSet of another set":          {"LeaderWorkerSet", "demo-4", true, foreignWorkers},
		"the StatefulSet of another pod":          {"Pod", "demo-40", true, foreignWorkers},
		"the StatefulSet of nobody":               {"", "", true, foreignWorkers},
		"the StatefulSet of the leader before it": {"Pod", "demo-4", true, nil},
		"the Service of another set":              {"LeaderWorkerSet", "demo-4", false, foreignService},
		"the Service of nobody":                   {"", "", false, foreignService},
		"the Service of the leader before it":     {"Pod", "demo-4", false, nil},
	} {
		for _, seen := range []bool{true, false} {
			t.Run(name+map[bool]string{true: "", false: " that the cache does not show"}[seen], func(t *testing.T) {
				o := whole(spec, content)
				var other metav1.Object = o.service
				if c.workers {
					other = o.workers
				}
				other.SetOwnerReferences(nil)
				if c.kind != "" {
					ownedBy(other, c.kind, c.owner, "another")
				}
				member := memberWith(o.objects()...)
				if !seen && c.workers {
					o.workers = nil
				} else if !seen {
					o.service = nil
				}
				b, recorder := building(o, member)
				err := b.build(t.Context(), content)
				if want := !seen && c.events != nil; (err != nil) != want {
					t.Errorf("error %v, want one: %v", err, want)
				}
				if diff := cmp.Diff(c.events, said(recorder)); diff != "" {
					t.Errorf("events (-want +got):\n%s", diff)
				}
				for _, stored := range []metav1.Object{mustGet(t, member, "demo-4", &appsv1.StatefulSet{}), mustGet(t, member, "demo-4", &corev1.Service{})} {
					if stored.GetResourceVersion() != "999" {
						t.Errorf("%T was written", stored)
					}
				}
			})
		}
	}
}

// A cache that is behind makes the controller try again what it did already.
func TestBuildTwiceIsBuildOnce(t *testing.T) {
	spec := unique(template("a", 2))
	o, content := bare(spec, spec)
	member := memberWith(o.objects()...)
	b, recorder := building(o, member)
	for range 2 {
		if err := b.build(t.Context(), content); err != nil {
			t.Fatal(err)
		}
	}
	if got := said(recorder); len(got) != 1 {
		t.Errorf("events %q, want one", got)
	}
}

func TestBuildTellsWhatTheMemberRefuses(t *testing.T) {
	spec := template("a", 2)
	o, content := bare(spec, spec)
	refused := apierrors.NewForbidden(schema.GroupResource{Resource: "statefulsets"}, "demo-4", errors.New("quota"))
	member := interceptor.NewClient(memberWith(o.objects()...), interceptor.Funcs{
		Create: func(context.Context, client.WithWatch, client.Object, ...client.CreateOption) error { return refused },
	})
	b, recorder := building(o, member)
	if err := b.build(t.Context(), content); !apierrors.IsForbidden(err) {
		t.Errorf("error %v, want the member's", err)
	}
	want := []string{`Warning FailedCreate create *v1.StatefulSet "demo-4": statefulsets "demo-4" is forbidden: quota`}
	if diff := cmp.Diff(want, said(recorder)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestRecreateDeletesTheLeaderThatWasSeen(t *testing.T) {
	spec := template("a", 2)
	content := revision.Of(&spec)
	for name, c := range map[string]struct {
		err    error
		events []string
	}{
		"it is there":                 {nil, []string{"Normal RecreateGroup recreating group demo-4: pod demo-4-1 failed"}},
		"it is gone":                  {apierrors.NewNotFound(schema.GroupResource{Resource: "pods"}, "demo-4"), nil},
		"another has its name by now": {apierrors.NewConflict(schema.GroupResource{Resource: "pods"}, "demo-4", errors.New("uid")), nil},
	} {
		t.Run(name, func(t *testing.T) {
			o := whole(spec, content)
			var options client.DeleteOptions
			member := interceptor.NewClient(memberWith(o.objects()...), interceptor.Funcs{
				Delete: func(_ context.Context, _ client.WithWatch, _ client.Object, opts ...client.DeleteOption) error {
					options.ApplyOptions(opts)
					return c.err
				},
			})
			b, recorder := building(o, member)
			if err := b.recreate(t.Context(), "pod demo-4-1 failed"); err != nil {
				t.Fatal(err)
			}
			if options.Preconditions == nil || *options.Preconditions.UID != "leader" {
				t.Errorf("preconditions %v, want the leader's UID", options.Preconditions)
			}
			if options.PropagationPolicy == nil || *options.PropagationPolicy != metav1.DeletePropagationForeground {
				t.Errorf("propagation %v, want Foreground", options.PropagationPolicy)
			}
			if diff := cmp.Diff(c.events, said(recorder)); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}
