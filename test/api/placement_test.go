package api

import (
	"strings"
	"testing"
)

const placement = `
apiVersion: lwsfed.io/v1alpha1
kind: Placement
metadata: {namespace: default, name: web}
spec:
  setUID: 5a1e
  policy: all
  replicas: Divided
  clusters: [{name: eu-1, replicas: 2}, {name: us-1, replicas: 1}]`

func TestPlacementRules(t *testing.T) {
	decision := func(d string) []change { return []change{set(clusters, "["+d+"]")} }
	creates(t, placement, []creation{
		{name: "as decided"},
		{name: "without spec", changes: []change{remove("spec")}},
		{name: "no clusters", changes: []change{set(clusters, "[]")}},
		{name: "no groups", changes: decision("{name: eu-1, replicas: 0}")},
		{name: "groups below 0", changes: decision("{name: eu-1, replicas: -1}"), want: "spec.clusters[0].replicas in body should be greater than or equal to 0"},
		{name: "no number of groups", changes: decision("{name: eu-1}"), want: "spec.clusters[0].replicas: Required value"},
		{name: "no cluster", changes: decision("{replicas: 1}"), want: "spec.clusters[0].name: Required value"},
		{name: "a cluster of a long name", changes: decision("{name: " + long + ", replicas: 1}"), want: longerThanALabel},
		{name: "a cluster twice", changes: decision("{name: eu-1, replicas: 1}, {name: eu-1, replicas: 2}"), want: "spec.clusters[1]: Duplicate value"},
		{name: "too long a reason", changes: decision("{name: eu-1, replicas: 1, reason: " + strings.Repeat("a", 1025) + "}"), want: "spec.clusters[0].reason: Too long: may not be more than 1024"},
		{name: "override", changes: decision("{name: eu-1, replicas: 1, patches: [{op: remove, path: /spec/startupPolicy}]}")},
		{name: "override of the replicas", changes: decision("{name: eu-1, replicas: 1, patches: [{op: remove, path: /spec/replicas}]}"), want: replicasPath},
		{name: "neither divided nor duplicated", changes: []change{set("spec.replicas", "Split")}, want: `spec.replicas: Unsupported value: "Split": supported values: "Duplicated", "Divided"`},
		{name: "no such conflict resolution", changes: []change{set("spec.conflictResolution", "Take")}, want: `spec.conflictResolution: Unsupported value: "Take"`},
		{name: "no such deletion policy", changes: []change{set("spec.deletionPolicy", "Keep")}, want: `spec.deletionPolicy: Unsupported value: "Keep"`},
	})
}

// A Placement is a decision: nothing is filled in that the scheduler did not decide.
func TestPlacementDefaults(t *testing.T) {
	defaults(t, placement, `
setUID: 5a1e
policy: all
replicas: Divided
clusters: [{name: eu-1, replicas: 2}, {name: us-1, replicas: 1}]`)
}

func TestPlacementStatus(t *testing.T) {
	seen := func(c string) []change {
		return []change{set("status", "{desired: 1, ready: 1, updated: 1, clusters: ["+c+"]}")}
	}
	for _, c := range []creation{
		{name: "seen", changes: seen(`{name: eu-1, state: Applied, reachable: "True"}`)},
		{name: "no such state", changes: seen("{name: eu-1, state: Gone}"), want: `status.clusters[0].state: Unsupported value: "Gone"`},
		{name: "no such reachability", changes: seen("{name: eu-1, reachable: Unknown}"), want: `status.clusters[0].reachable: Unsupported value: "Unknown": supported values: "True", "False"`},
		{name: "a cluster twice", changes: seen("{name: eu-1}, {name: eu-1}"), want: "status.clusters[1]: Duplicate value"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := store(t, placement)
			for _, change := range c.changes {
				change(t, o)
			}
			judge(t, hubClient.Status().Update(t.Context(), o), c.want)
		})
	}
}

func TestPlacementColumns(t *testing.T) {
	o := store(t, placement)
	set("status", "{desired: 3, ready: 2, updated: 1, revision: abc}")(t, o)
	if err := hubClient.Status().Update(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	prints(t, "/apis/lwsfed.io/v1alpha1/placements", map[string]any{
		"Name": "web", "Desired": int64(3), "Ready": int64(2), "Up-to-date": int64(1), "Policy": "all", "Revision": "abc",
	})
	hasShortName(t, "lwsfed.io/v1alpha1", "placements", "plc")
}
