package api

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// creation is a case of what may be created: a valid object with changes.
type creation struct {
	name    string
	changes []change
	want    string // a part of the refusal; empty: accepted
}

// update is a case of what may become of a stored object.
type update struct {
	name    string
	before  []change // what makes the stored object from the valid one
	changes []change
	want    string // a part of the refusal; empty: accepted
}

// creates checks creations from a valid manifest. Nothing is stored.
func creates(t *testing.T, manifest string, cases []creation) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			judge(t, hubClient.Create(t.Context(), object(t, manifest, c.changes...), client.DryRunAll), c.want)
		})
	}
}

// updates checks updates of an object that is stored from a valid manifest.
func updates(t *testing.T, manifest string, cases []update) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			o := store(t, manifest, c.before...)
			for _, change := range c.changes {
				change(t, o)
			}
			judge(t, hubClient.Update(t.Context(), o, client.DryRunAll), c.want)
		})
	}
}

// store creates an object for the time of a test and returns it as the API server has it.
func store(t *testing.T, manifest string, changes ...change) *unstructured.Unstructured {
	t.Helper()
	o := object(t, manifest, changes...)
	if err := hubClient.Create(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := hubClient.Delete(context.WithoutCancel(t.Context()), o); err != nil {
			t.Error(err)
		}
	})
	return o
}

func judge(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("refused: %v", err)
	case want != "" && err == nil:
		t.Errorf("accepted, want a refusal with: %s", want)
	case want != "" && (!apierrors.IsInvalid(err) || !strings.Contains(err.Error(), want)):
		t.Errorf("refused with: %v\nwant: %s", err, want)
	}
}

// defaults checks what the spec of a manifest is once it is stored.
func defaults(t *testing.T, manifest, spec string) {
	t.Helper()
	o := object(t, manifest)
	if err := hubClient.Create(t.Context(), o, client.DryRunAll); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(parse(t, spec), o.Object["spec"]); diff != "" {
		t.Errorf("spec (-want +got):\n%s", diff)
	}
}
