package propagation

import (
	"encoding/json"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/lwsfed/lwsfed/api/v1alpha1"
)

// pod is a merge patch of the pod template of workers.
func pod(spec string) string {
	return `{"spec":{"leaderWorkerTemplate":{"workerTemplate":{"spec":` + spec + `}}}}`
}

func TestAsApplied(t *testing.T) {
	for name, c := range map[string]struct {
		hub, live string // merge patches of the hub's set and of the member's
		want      bool
	}{
		"as it was applied":       {"", "", true},
		"a status":                {"", `{"status":{"replicas":2}}`, true},
		"a label of others":       {"", `{"metadata":{"labels":{"team":"x"}}}`, true},
		"an annotation of others": {"", `{"metadata":{"annotations":{"note":"x"}}}`, true},
		"a field of others":       {"", pod(`{"priority":7}`), true},
		"a container of others": {
			"", pod(`{"containers":[{"name":"sidecar"},{"name":"main","image":"a","env":[{"name":"A","value":"1"}],"resources":{"limits":{"cpu":"1"}}}]}`), true,
		},
		"a variable of others": {
			"", pod(`{"containers":[{"name":"main","image":"a","env":[{"name":"B"},{"name":"A","value":"1"}],"resources":{"limits":{"cpu":"1"}}}]}`), true,
		},
		"another spelling of a quantity": {
			"", pod(`{"containers":[{"name":"main","image":"a","env":[{"name":"A","value":"1"}],"resources":{"limits":{"cpu":"1000m"}}}]}`), true,
		},
		"another quantity": {
			"", pod(`{"containers":[{"name":"main","image":"a","env":[{"name":"A","value":"1"}],"resources":{"limits":{"cpu":"2"}}}]}`), false,
		},
		"another value of a variable": {
			"", pod(`{"containers":[{"name":"main","image":"a","env":[{"name":"A","value":"2"}],"resources":{"limits":{"cpu":"1"}}}]}`), false,
		},
		"a container is gone":           {"", pod(`{"containers":[{"name":"sidecar"}]}`), false},
		"another number of groups":      {"", `{"spec":{"replicas":9}}`, false},
		"another partition":             {"", `{"spec":{"rolloutStrategy":{"rollingUpdateConfiguration":{"partition":1}}}}`, false},
		"the user's label is gone":      {"", `{"metadata":{"labels":{"model":null}}}`, false},
		"the user's label says another": {"", `{"metadata":{"labels":{"model":"x"}}}`, false},
		"the hub's mark is gone":        {"", `{"metadata":{"labels":{"lwsfed.io/managed-by":null}}}`, false},
		"the origin is gone":            {"", `{"metadata":{"annotations":{"lwsfed.io/origin-uid":null}}}`, false},
		"the hash is gone":              {"", `{"metadata":{"annotations":{"lwsfed.io/applied-hash":null}}}`, false},
		"the hub took a label away":     {`{"metadata":{"labels":{"model":null}}}`, "", false},
		"the hub took a field away":     {pod(`{"containers":[{"name":"main","image":"a"}]}`), "", false},
		"the hub changed a field":       {pod(`{"priority":7}`), "", false},
		"the hub has a field of a newer version": {
			`{"spec":{"ofTomorrow":"x"}}`, "", false,
		},
		"the hub's set has another status": {`{"status":{"replicas":2}}`, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			o := chosen()
			live := merged(t, stored(t, desiredOf(t, o)), c.live)
			o.hub = merged(t, o.hub, c.hub)
			if got := asApplied(desiredOf(t, o), live); got != c.want {
				t.Errorf("asApplied = %v, want %v", got, c.want)
			}
		})
	}
}

// Whether it can be stored is the API server's to say. It has stored what carries the hash.
func TestAsAppliedOfWhatTheseTypesCannotRead(t *testing.T) {
	o := chosen()
	live := stored(t, desiredOf(t, o))
	o.placement.Spec.Clusters[0].Patches = []v1alpha1.JSONPatch{{
		Op: "add", Path: "/spec/startupPolicy", Value: &apiextensionsv1.JSON{Raw: []byte(`{"ofTomorrow":true}`)},
	}}
	desired := desiredOf(t, o)
	if asApplied(desired, live) {
		t.Error("with another hash: as applied, want not")
	}
	live.Annotations[annotationAppliedHash] = desired.GetAnnotations()[annotationAppliedHash]
	if !asApplied(desired, live) {
		t.Error("with its hash: not as applied, want it to be")
	}
}

func TestContains(t *testing.T) {
	for name, c := range map[string]struct {
		have, want string
		is         bool
	}{
		"equal values":                            {`1`, `1`, true},
		"other values":                            {`1`, `2`, false},
		"other types":                             {`"1"`, `1`, false},
		"nothing is wanted":                       {`{"a":1}`, `null`, true},
		"a null is no wish":                       {`{}`, `{"a":null}`, true},
		"a field more":                            {`{"a":1,"b":2}`, `{"a":1}`, true},
		"a field less":                            {`{"b":2}`, `{"a":1}`, false},
		"an empty object is something":            {`{}`, `{"emptyDir":{}}`, false},
		"a value instead of an object":            {`1`, `{"a":1}`, false},
		"an object instead of a list":             {`{"a":1}`, `[1]`, false},
		"a field more, deep inside":               {`{"a":{"b":{"c":1,"d":2}}}`, `{"a":{"b":{"c":1}}}`, true},
		"plain lists are of one length":           {`[1,2]`, `[1]`, false},
		"plain lists are in order":                {`[2,1]`, `[1,2]`, false},
		"one element of a plain list differs":     {`[9,2]`, `[1,2]`, false},
		"objects without names are in order":      {`[{"key":"b"},{"key":"a"}]`, `[{"key":"a"},{"key":"b"}]`, false},
		"objects without names may have more":     {`[{"key":"a","x":1}]`, `[{"key":"a"}]`, true},
		"named elements in any order":             {`[{"name":"b"},{"name":"a","x":1}]`, `[{"name":"a"},{"name":"b"}]`, true},
		"a named element more":                    {`[{"name":"b"},{"name":"a"}]`, `[{"name":"a"}]`, true},
		"a named element less":                    {`[{"name":"b"}]`, `[{"name":"a"}]`, false},
		"a named element that differs":            {`[{"name":"a","x":1}]`, `[{"name":"a","x":2}]`, false},
		"no element of a named list":              {`[]`, `[{"name":"a"}]`, false},
		"a name twice makes it a plain list":      {`[{"name":"a","x":1},{"name":"a","x":2}]`, `[{"name":"a","x":2},{"name":"a","x":1}]`, false},
		"a name twice in order":                   {`[{"name":"a","x":1},{"name":"a","x":2}]`, `[{"name":"a","x":1},{"name":"a","x":2}]`, true},
		"one without a name makes it plain":       {`[{"name":"a"},{"x":1}]`, `[{"x":1},{"name":"a"}]`, false},
		"a name that is no text makes it plain":   {`[{"name":1},{"name":2}]`, `[{"name":2},{"name":1}]`, false},
		"a list of a plain list and a named one":  {`[[{"name":"b"},{"name":"a"}]]`, `[[{"name":"a"}]]`, true},
		"a named list where a plain one is asked": {`[{"name":"a"},{"name":"b"}]`, `["a","b"]`, false},
	} {
		t.Run(name, func(t *testing.T) {
			have, want := decoded(t, c.have), decoded(t, c.want)
			if got := contains(have, want); got != c.is {
				t.Errorf("%s contains %s: %v, want %v", c.have, c.want, got, c.is)
			}
		})
	}
}

func decoded(t *testing.T, raw string) (value any) {
	t.Helper()
	if err := json.Unmarshal([]byte(raw), &value); err != nil {
		t.Fatal(err)
	}
	return value
}

func TestTheHashIsOfAllThatIsApplied(t *testing.T) {
	hash := func(patch string) string {
		o := chosen()
		o.hub = merged(t, o.hub, patch)
		return desiredOf(t, o).GetAnnotations()[annotationAppliedHash]
	}
	first := hash("")
	if first == "" {
		t.Fatal("no hash")
	}
	for name, c := range map[string]struct {
		patch string
		same  bool
	}{
		"again":                          {"", true},
		"the hub's status":               {`{"status":{"replicas":3}}`, true},
		"what other tools find it by":    {`{"metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{}"}}}`, true},
		"a hash that somebody put there": {`{"metadata":{"annotations":{"lwsfed.io/applied-hash":"x"}}}`, true},
		"another image":                  {pod(`{"containers":[{"name":"main","image":"b"}]}`), false},
		"another label":                  {`{"metadata":{"labels":{"model":"x"}}}`, false},
		"another set of that name":       {`{"metadata":{"uid":"other"}}`, false},
		"a field of a newer version":     {`{"spec":{"ofTomorrow":"x"}}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := hash(c.patch); (got == first) != c.same {
				t.Errorf("hash %q after %q, want the same: %v", got, first, c.same)
			}
		})
	}
}
