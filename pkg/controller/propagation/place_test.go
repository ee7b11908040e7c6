package propagation

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/cluster"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/api/v1alpha1"
	"github.com/lwsfed/lwsfed/pkg/fleet"
)

// answering is a member without objects whose API server answers the first writes so, and takes the others. It notes
// them all.
type answering struct {
	cluster.Cluster
	answers []error
	writes  []string
}

func (a *answering) GetAPIReader() client.Reader { return a.GetClient() }

func (a *answering) GetClient() client.Client {
	note := func(verb string) error {
		a.writes = append(a.writes, verb)
		if len(a.answers) == 0 {
			return nil
		}
		answer := a.answers[0]
		a.answers = a.answers[1:]
		return answer
	}
	return interceptor.NewClient(fake.NewClientBuilder().WithScheme(fleet.NewScheme()).Build(), interceptor.Funcs{
		Apply: func(_ context.Context, _ client.WithWatch, _ runtime.ApplyConfiguration, options ...client.ApplyOption) error {
			o := &client.ApplyOptions{}
			o.ApplyOptions(options)
			if o.Force != nil && *o.Force {
				return note("apply by force")
			}
			return note("apply")
		},
		Create: func(context.Context, client.WithWatch, client.Object, ...client.CreateOption) error {
			return note("create")
		},
		Delete: func(context.Context, client.WithWatch, client.Object, ...client.DeleteOption) error {
			return note("delete")
		},
		Patch: func(context.Context, client.WithWatch, client.Object, client.Patch, ...client.PatchOption) error {
			return note("patch")
		},
	})
}

// said is an outcome in one line, "" for none.
func said(o *Outcome) string {
	if o == nil {
		return ""
	}
	words := fmt.Sprintf("%s %s: %s", o.State, o.Reason, o.Message)
	if o.Clean {
		words += " (clean)"
	}
	return words
}

func TestPlaceByWhatIsThere(t *testing.T) {
	const (
		clash   = "Conflict Conflict: there is a set of that name that is not the hub's; conflictResolution Adopt would take it over"
		earlier = "Pending Pending: an earlier set of that name is being deleted there"
		applied = "Applied Applied: "
	)
	same := stored(t, desiredOf(t, chosen()))
	for name, c := range map[string]struct {
		live   *lwsv1.LeaderWorkerSet
		adopt  v1alpha1.ConflictResolution
		want   string
		writes []string
	}{
		"nothing":                 {nil, "", applied, []string{"apply"}},
		"the set as decided":      {same, "", applied, nil},
		"the set, drifted":        {merged(t, same, `{"spec":{"replicas":9}}`), "", applied, []string{"apply by force"}},
		"an earlier set":          {marked("hub", "earlier"), "", earlier, []string{"delete"}},
		"an earlier set, leaving": {deleted(marked("hub", "earlier")), "", earlier, nil},
		"nobody's set":            {marked("", ""), "", clash, nil},
		"nobody's set to adopt":   {marked("", ""), v1alpha1.ConflictAdopt, applied, []string{"apply by force"}},
		"another hub's set":       {marked("h2", "x"), v1alpha1.ConflictAdopt, `Conflict Conflict: the set there is run by another hub, "h2"`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			o, member := chosen(), &answering{}
			o.member, o.live, o.placement.Spec.ConflictResolution = member, c.live, c.adopt
			outcome, err := reconciler().act(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, said(outcome)); diff != "" {
				t.Errorf("outcome (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.writes, member.writes); diff != "" {
				t.Errorf("writes (-want +got):\n%s", diff)
			}
			if outcome.PlacementUID != "placement" {
				t.Errorf("the outcome is of Placement %q", outcome.PlacementUID)
			}
		})
	}
}

var resource = schema.GroupResource{Group: lwsv1.GroupVersion.Group, Resource: "leaderworkersets"}

// What is returned is remembered when the write is over.
func TestOutcomesOfErrors(t *testing.T) {
	const refused = "Invalid Rejected: the cluster refuses the set: "
	for name, c := range map[string]struct {
		answer               error
		returned, remembered string
		retried              bool
	}{
		"taken": {nil, "Applied Applied: ", "Pending Pending: being written", false},
		"invalid": {
			apierrors.NewInvalid(schema.GroupKind{Kind: "LeaderWorkerSet"}, "demo", nil),
			refused + `LeaderWorkerSet "demo" is invalid`, "Pending Pending: being written", false,
		},
		"bad request": {apierrors.NewBadRequest("strict decoding"), refused + "strict decoding", "Pending Pending: being written", false},
		"too large":   {apierrors.NewRequestEntityTooLargeError("3 MiB"), refused + "Request entity too large: 3 MiB", "Pending Pending: being written", false},
		"forbidden": {
			apierrors.NewForbidden(resource, "demo", errors.New("no right")),
			"", refused + `leaderworkersets.leaderworkerset.x-k8s.io "demo" is forbidden: no right`, true,
		},
		"somebody was first": {apierrors.NewConflict(resource, "demo", errors.New("uid")), "", "Pending Pending: being written", true},
		"no time":            {context.DeadlineExceeded, "", "Pending Pending: not written yet: the API server did not answer in time", true},
		"busy":               {apierrors.NewTooManyRequests("busy", 1), "", "Pending Pending: not written yet: busy", true},
		"broken":             {apierrors.NewInternalError(errors.New("etcd")), "", "Pending Pending: not written yet: Internal error occurred: etcd", true},
	} {
		t.Run(name, func(t *testing.T) {
			o, r := chosen(), reconciler()
			o.member = &answering{answers: []error{c.answer}}
			outcome, err := r.act(t.Context(), o)
			if (err != nil) != c.retried || c.retried && !errors.Is(err, c.answer) {
				t.Errorf("error %v, want the member's: %v", err, c.retried)
			}
			if diff := cmp.Diff(c.returned, said(outcome)); diff != "" {
				t.Errorf("returned (-want +got):\n%s", diff)
			}
			remembered, _ := r.Outcomes.Get("eu", o.key.set)
			if diff := cmp.Diff(c.remembered, said(&remembered)); diff != "" {
				t.Errorf("remembered (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAMissingNamespaceIsCreated(t *testing.T) {
	missing := apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, "serving")
	same := stored(t, desiredOf(t, chosen()))
	for name, c := range map[string]struct {
		live      *lwsv1.LeaderWorkerSet
		answers   []error
		want, err string
		writes    []string
	}{
		"it is missing": {nil, []error{missing}, "Applied Applied: ", "", []string{"apply", "create", "apply"}},
		"somebody creates it too": {
			nil,
			[]error{missing, apierrors.NewAlreadyExists(schema.GroupResource{Resource: "namespaces"}, "serving")},
			"Applied Applied: ", "",
			[]string{"apply", "create", "apply"},
		},
		"it may not be created": {
			nil,
			[]error{missing, apierrors.NewForbidden(schema.GroupResource{Resource: "namespaces"}, "serving", errors.New("no right"))},
			"", `create namespace: namespaces "serving" is forbidden: no right`,
			[]string{"apply", "create"},
		},
		"the set went with it": {
			merged(t, same, `{"spec":{"replicas":9}}`),
			[]error{missing},
			"", `namespaces "serving" not found`,
			[]string{"apply by force"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			o, member := chosen(), &answering{answers: c.answers}
			o.member, o.live = member, c.live
			outcome, err := reconciler().act(t.Context(), o)
			if err == nil {
				err = errors.New("")
			}
			if diff := cmp.Diff(c.want+c.err, said(outcome)+err.Error()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if diff := cmp.Diff(c.writes, member.writes); diff != "" {
				t.Errorf("writes (-want +got):\n%s", diff)
			}
		})
	}
}

// A write that never came back may have made the set, so a member is not clean from before it on.
func TestAMemberIsNotCleanOnceASetMayBeThere(t *testing.T) {
	for name, c := range map[string]struct {
		before *Outcome
		want   string
	}{
		"nothing is known":        {nil, "Pending Pending: being written"},
		"clean before":            {&Outcome{Clean: true, PlacementUID: "placement"}, "Pending Pending: being written"},
		"of an earlier Placement": {&Outcome{State: v1alpha1.ClusterApplied, PlacementUID: "earlier"}, "Pending Pending: being written"},
		"there already":           {&Outcome{State: v1alpha1.ClusterApplied, Reason: v1alpha1.ReasonApplied, PlacementUID: "placement"}, "Applied Applied: "},
	} {
		t.Run(name, func(t *testing.T) {
			o, r := chosen(), reconciler()
			if c.before != nil {
				r.Outcomes.set(o.key, *c.before)
			}
			o.member = &answering{answers: []error{apierrors.NewConflict(resource, "demo", errors.New("uid"))}}
			if _, err := r.act(t.Context(), o); !apierrors.IsConflict(err) {
				t.Fatalf("error %v, want the conflict", err)
			}
			got, _ := r.Outcomes.Get("eu", o.key.set)
			if diff := cmp.Diff(c.want, said(&got)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestAnOverrideThatCannotBeAppliedWritesNothing(t *testing.T) {
	o, member := chosen(), &answering{}
	o.member = member
	o.placement.Spec.Clusters[0].Patches = []v1alpha1.JSONPatch{
		{Op: "add", Path: "/spec/startupPolicy", Value: &apiextensionsv1.JSON{Raw: []byte(`"LeaderReady"`)}},
		{Op: "replace", Path: "/spec/replicas", Value: &apiextensionsv1.JSON{Raw: []byte(`7`)}},
	}
	outcome, err := reconciler().act(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	want := "Invalid InvalidOverride: override operation 1, replace /spec/replicas: /spec/replicas cannot be overridden"
	if diff := cmp.Diff(want, said(outcome)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if member.writes != nil {
		t.Errorf("writes %v, want none", member.writes)
	}
}

// What cannot be decided yet has no outcome: what was said before holds.
func TestNothingIsDoneUntilPlacementAndSetAreOfOneMind(t *testing.T) {
	for name, change := range map[string]func(*observed){
		"no Placement":                        func(o *observed) { o.placement = nil },
		"no set":                              func(o *observed) { o.hub = nil },
		"the set is being deleted":            func(o *observed) { o.hub.SetDeletionTimestamp(ptr.To(metav1.Unix(1, 0))) },
		"the Placement is of another set":     func(o *observed) { o.hub.SetUID("next") },
		"the member was never connected":      func(o *observed) { o.member = nil },
		"leaving, and it was never connected": func(o *observed) { o.member, o.placement.Spec.Clusters = nil, nil },
	} {
		t.Run(name, func(t *testing.T) {
			o, member := chosen(), &answering{}
			o.member = member
			change(&o)
			outcome, err := reconciler().act(t.Context(), o)
			if outcome != nil || err != nil || member.writes != nil {
				t.Errorf("outcome %q, error %v, writes %v; want none", said(outcome), err, member.writes)
			}
		})
	}
}
