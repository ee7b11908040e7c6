package fleet

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
)

var (
	pods         = schema.GroupResource{Resource: "pods"}
	statefulSets = schema.GroupResource{Group: "apps", Resource: "statefulsets"}
	nobodySays   = schema.GroupResource{}
)

// Were it another one each time, the member's condition would change at each failure.
func TestOfManyMissingRightsTheSameIsReported(t *testing.T) {
	for name, c := range map[string]struct {
		forbidden map[schema.GroupResource]error
		want      error
	}{
		"none":                     {nil, nil},
		"one":                      {map[schema.GroupResource]error{pods: errors.New("pods")}, errors.New("pods")},
		"one that says nothing":    {map[schema.GroupResource]error{nobodySays: errors.New("proxy")}, errors.New("proxy")},
		"the first by name":        {map[schema.GroupResource]error{statefulSets: errors.New("sets"), pods: errors.New("pods")}, errors.New("pods")},
		"one of them says nothing": {map[schema.GroupResource]error{statefulSets: errors.New("sets"), pods: errors.New("pods"), nobodySays: errors.New("proxy")}, errors.New("proxy")},
	} {
		t.Run(name, func(t *testing.T) {
			for range 50 { // the order of a map is another one each time
				m := missing{}
				got := m.add(c.forbidden)
				if (got == nil) != (c.want == nil) || got != nil && got.Error() != c.want.Error() {
					t.Fatalf("error %v, want %v", got, c.want)
				}
				if len(m) != len(c.forbidden) {
					t.Fatalf("%d resources are missing, want %d", len(m), len(c.forbidden))
				}
			}
		})
	}
}

func TestWhatAnErrorForbids(t *testing.T) {
	anonymous := apierrors.NewForbidden(statefulSets, "", nil)
	anonymous.ErrStatus.Details = nil
	for name, c := range map[string]struct {
		err  error
		want schema.GroupResource
	}{
		"a resource":    {apierrors.NewForbidden(statefulSets, "", errors.New("no")), statefulSets},
		"no details":    {anonymous, nobodySays},
		"another error": {errors.New("no"), nobodySays},
	} {
		if diff := cmp.Diff(c.want, resourceOf(c.err)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestAMissingRightIsForgottenOnceItIsGiven(t *testing.T) {
	var asked []string
	s := newFakeServer(t, func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "/selfsubjectaccessreviews") {
			return false
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		review := &authorizationv1.SelfSubjectAccessReview{}
		if _, _, err := scheme.Codecs.UniversalDeserializer().Decode(body, nil, review); err != nil {
			t.Error(err)
		}
		of := review.Spec.ResourceAttributes
		asked = append(asked, of.Verb+" "+of.Group+"/"+of.Resource+" in "+of.Namespace)
		review.APIVersion, review.Kind = "authorization.k8s.io/v1", "SelfSubjectAccessReview"
		review.Status.Allowed = of.Resource == "pods"
		answer(w, http.StatusCreated, review)
		return true
	})
	base, err := restConfig(s.kubeconfig())
	if err != nil {
		t.Fatal(err)
	}
	c, err := connect(base, Member{}, defaultTimings)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	long := time.Now().Add(-forbiddenFor - time.Second)
	for name, m := range map[string]struct {
		in   missing
		want []schema.GroupResource
	}{
		"given":                          {missing{pods: time.Now()}, nil},
		"still missing":                  {missing{statefulSets: time.Now()}, []schema.GroupResource{statefulSets}},
		"one given, one still missing":   {missing{pods: time.Now(), statefulSets: time.Now()}, []schema.GroupResource{statefulSets}},
		"missing no more by its watches": {missing{statefulSets: long}, nil},
	} {
		m.in.review(t.Context(), c.probe, time.Second)
		var left []schema.GroupResource
		for resource := range m.in {
			left = append(left, resource)
		}
		if diff := cmp.Diff(m.want, left); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	for _, question := range asked {
		if question != "watch /pods in " && question != "watch apps/statefulsets in " {
			t.Errorf("asked %q", question)
		}
	}
	s.set(func(w http.ResponseWriter, _ *http.Request) bool {
		http.Error(w, "no", http.StatusBadGateway)
		return true
	})
	m := missing{pods: time.Now()}
	if m.review(t.Context(), c.probe, time.Second); len(m) != 1 {
		t.Error("forgotten without an answer")
	}
}
