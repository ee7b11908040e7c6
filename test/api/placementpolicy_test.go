package api

import (
	"strings"
	"testing"
)

const placementPolicy = `
apiVersion: lwsfed.io/v1alpha1
kind: PlacementPolicy
metadata: {namespace: default, name: all}
spec: {selector: {}}`

// Paths of a policy.
const (
	names       = "spec.names"
	selector    = "spec.selector"
	clusters    = "spec.clusters"
	tolerations = clusters + ".tolerations"
	preferences = "spec.replicas.preferences"
	overrides   = "spec.overrides"
)

const (
	namesOrSelector   = "exactly one of spec.names and spec.selector must be set"
	notSelector       = "spec.selector.matchExpressions operator must be In or NotIn with values, or Exists or DoesNotExist without"
	notClusters       = "spec.clusters.selector.matchExpressions operator must be In or NotIn with values, or Exists or DoesNotExist without"
	notTolerationOp   = "spec.clusters.tolerations operator must be Equal or Exists"
	noTolerationKey   = "spec.clusters.tolerations operator must be Exists when key is empty"
	tolerationValue   = "spec.clusters.tolerations value must be empty when operator is Exists"
	notTolerated      = "spec.clusters.tolerations effect must be NoSchedule, PreferNoSchedule or NoExecute, or empty for all"
	notDivided        = "replicas.preferences can be set only when replicas.type is Divided"
	minAboveMax       = "preferences min must not be greater than max"
	noFrom            = "patches from must be set when op is move or copy"
	notBelow          = "patches path must be below /spec, /metadata/labels or /metadata/annotations"
	replicasPath      = "patches path must not be /spec/replicas; set replicas.preferences instead"
	notFrom           = "patches from of op move must be below /spec, /metadata/labels or /metadata/annotations and not /spec/replicas; use copy to leave it in place"
	longerThanALabel  = "Too long: may not be more than 63"
	shorterThanALabel = "should be at least 1 chars long"
)

// long is a name that no label value can be.
var long = strings.Repeat("a", 64)

func TestPlacementPolicySelects(t *testing.T) {
	expression := func(e string) change { return set(selector, "{matchExpressions: ["+e+"]}") }
	creates(t, placementPolicy, []creation{
		{name: "every set", changes: []change{set(selector, "{}")}},
		{name: "sets by name", changes: []change{remove(selector), set(names, "[web]")}},
		{name: "neither by name nor by label", changes: []change{remove(selector)}, want: namesOrSelector},
		{name: "both by name and by label", changes: []change{set(names, "[web]")}, want: namesOrSelector},
		{name: "no name", changes: []change{remove(selector), set(names, "[]")}, want: "spec.names in body should have at least 1 items"},
		{name: "an empty name", changes: []change{remove(selector), set(names, `[""]`)}, want: shorterThanALabel},
		{name: "a long name", changes: []change{remove(selector), set(names, "["+long+"]")}, want: longerThanALabel},
		{name: "a name twice", changes: []change{remove(selector), set(names, "[web, web]")}, want: `spec.names[1]: Duplicate value: "web"`},
		{name: "one of values", changes: []change{expression("{key: model, operator: In, values: [llama]}")}},
		{name: "one of no values", changes: []change{expression("{key: model, operator: NotIn}")}, want: notSelector},
		{name: "a key", changes: []change{expression("{key: model, operator: Exists}")}},
		{name: "a key with values", changes: []change{expression("{key: model, operator: DoesNotExist, values: [llama]}")}, want: notSelector},
		{name: "by no such operator", changes: []change{expression("{key: model, operator: Equals, values: [llama]}")}, want: notSelector},
	})
}

func TestPlacementPolicyClusters(t *testing.T) {
	creates(t, placementPolicy, []creation{
		{name: "by name", changes: []change{set(clusters, "{names: [eu-1, us-1]}")}},
		{name: "an empty name", changes: []change{set(clusters, `{names: [""]}`)}, want: shorterThanALabel},
		{name: "a long name", changes: []change{set(clusters, "{names: ["+long+"]}")}, want: longerThanALabel},
		{name: "a name twice", changes: []change{set(clusters, "{names: [eu-1, eu-1]}")}, want: "spec.clusters.names[1]: Duplicate value"},
		{name: "by label", changes: []change{set(clusters, "{selector: {matchExpressions: [{key: gpu, operator: NotIn, values: [a100]}]}}")}},
		{name: "by label of no values", changes: []change{set(clusters, "{selector: {matchExpressions: [{key: gpu, operator: In, values: []}]}}")}, want: notClusters},
		{name: "toleration of a value", changes: []change{set(tolerations, "[{key: spot, value: a, effect: NoSchedule}]")}},
		{name: "toleration of a key", changes: []change{set(tolerations, "[{key: spot, operator: Exists}]")}},
		{name: "toleration of everything", changes: []change{set(tolerations, "[{operator: Exists}]")}},
		{name: "toleration of nothing", changes: []change{set(tolerations, "[{}]")}, want: noTolerationKey},
		{name: "toleration by no such operator", changes: []change{set(tolerations, "[{key: spot, operator: In}]")}, want: notTolerationOp},
		{name: "toleration of a key with a value", changes: []change{set(tolerations, "[{key: spot, operator: Exists, value: a}]")}, want: tolerationValue},
		{name: "toleration of no such effect", changes: []change{set(tolerations, "[{key: spot, operator: Exists, effect: Never}]")}, want: notTolerated},
	})
}

func TestPlacementPolicyReplicas(t *testing.T) {
	divided := set("spec.replicas.type", "Divided")
	creates(t, placementPolicy, []creation{
		{name: "no such type", changes: []change{set("spec.replicas", "{type: Split}")}, want: `spec.replicas.type: Unsupported value: "Split": supported values: "Duplicated", "Divided"`},
		{name: "no such strategy", changes: []change{divided, set("spec.replicas.strategy", "Even")}, want: `spec.replicas.strategy: Unsupported value: "Even": supported values: "Weighted"`},
		{name: "preferences of what is divided", changes: []change{divided, set(preferences, "[{cluster: eu-1}]")}},
		{name: "preferences of what is not divided", changes: []change{set(preferences, "[{cluster: eu-1}]")}, want: notDivided},
		{name: "no preferences of what is not divided", changes: []change{set(preferences, "[]")}},
		{name: "preference without a cluster", changes: []change{divided, set(preferences, "[{weight: 1}]")}, want: preferences + "[0].cluster: Required value"},
		{name: "two preferences of a cluster", changes: []change{divided, set(preferences, "[{cluster: eu-1}, {cluster: eu-1}]")}, want: preferences + "[1]: Duplicate value"},
		{name: "no weight", changes: []change{divided, set(preferences, "[{cluster: eu-1, weight: 0}]")}},
		{name: "weight below 0", changes: []change{divided, set(preferences, "[{cluster: eu-1, weight: -1}]")}, want: "weight in body should be greater than or equal to 0"},
		{name: "the highest weight", changes: []change{divided, set(preferences, "[{cluster: eu-1, weight: 1000000}]")}},
		{name: "too high a weight", changes: []change{divided, set(preferences, "[{cluster: eu-1, weight: 1000001}]")}, want: "weight in body should be less than or equal to 1000000"},
		{name: "min below 0", changes: []change{divided, set(preferences, "[{cluster: eu-1, min: -1}]")}, want: "min in body should be greater than or equal to 0"},
		{name: "max below 0", changes: []change{divided, set(preferences, "[{cluster: eu-1, max: -1}]")}, want: "max in body should be greater than or equal to 0"},
		{name: "min equal to max", changes: []change{divided, set(preferences, "[{cluster: eu-1, min: 2, max: 2}]")}},
		{name: "min above max", changes: []change{divided, set(preferences, "[{cluster: eu-1, min: 3, max: 2}]")}, want: preferences + "[0]: Invalid value: " + minAboveMax},
	})
}

func TestPlacementPolicyOverrides(t *testing.T) {
	patch := func(p string) []change { return []change{set(overrides, "[{patches: ["+p+"]}]")} }
	creates(t, placementPolicy, []creation{
		{name: "of the spec", changes: patch("{op: replace, path: /spec/leaderWorkerTemplate/size, value: 2}")},
		{name: "to null", changes: patch("{op: replace, path: /spec/networkConfig, value: null}")},
		{name: "of a label", changes: patch("{op: remove, path: /metadata/labels/team}")},
		{name: "of all annotations", changes: patch("{op: add, path: /metadata/annotations, value: {}}")},
		{name: "without operations", changes: []change{set(overrides, "[{patches: []}]")}, want: "spec.overrides[0].patches in body should have at least 1 items"},
		{name: "no such operation", changes: patch("{op: merge, path: /spec/startupPolicy}"), want: `op: Unsupported value: "merge": supported values: "add", "remove", "replace", "move", "copy", "test"`},
		{name: "without a path", changes: patch("{op: remove}"), want: "spec.overrides[0].patches[0].path: Required value"},
		{name: "of the status", changes: patch("{op: remove, path: /status/replicas}"), want: notBelow},
		{name: "of the whole spec", changes: patch("{op: remove, path: /spec}"), want: notBelow},
		{name: "of the name", changes: patch("{op: replace, path: /metadata/name, value: a}"), want: notBelow},
		{name: "of what only starts as the labels do", changes: patch("{op: remove, path: /metadata/labelsX}"), want: notBelow},
		{name: "of the replicas", changes: patch("{op: replace, path: /spec/replicas, value: 2}"), want: replicasPath},
		{name: "move within", changes: patch("{op: move, path: /metadata/labels/a, from: /metadata/labels/b}")},
		{name: "move from nowhere", changes: patch("{op: move, path: /metadata/labels/a}"), want: noFrom},
		{name: "move from outside", changes: patch("{op: move, path: /metadata/labels/a, from: /metadata/name}"), want: notFrom},
		{name: "move of the replicas", changes: patch("{op: move, path: /metadata/labels/a, from: /spec/replicas}"), want: notFrom},
		{name: "copy from outside", changes: patch("{op: copy, path: /metadata/labels/a, from: /metadata/name}")},
		{name: "copy from nowhere", changes: patch("{op: copy, path: /metadata/labels/a}"), want: noFrom},
		{name: "for a cluster without a name", changes: []change{set(overrides, `[{clusters: {names: [""]}, patches: [{op: remove, path: /spec/startupPolicy}]}]`)}, want: shorterThanALabel},
	})
}

func TestPlacementPolicyChoices(t *testing.T) {
	creates(t, placementPolicy, []creation{
		{name: "without spec", changes: []change{remove("spec")}, want: "spec: Required value"},
		{name: "conflict resolution", changes: []change{set("spec.conflictResolution", "Adopt")}},
		{name: "no such conflict resolution", changes: []change{set("spec.conflictResolution", "Take")}, want: `spec.conflictResolution: Unsupported value: "Take": supported values: "Abort", "Adopt"`},
		{name: "deletion policy", changes: []change{set("spec.deletionPolicy", "Orphan")}},
		{name: "no such deletion policy", changes: []change{set("spec.deletionPolicy", "Keep")}, want: `spec.deletionPolicy: Unsupported value: "Keep": supported values: "Delete", "Orphan"`},
	})
}

func TestPlacementPolicyDefaults(t *testing.T) {
	defaults(t, placementPolicy, `
selector: {}
priority: 0
replicas: {type: Duplicated, strategy: Weighted}
conflictResolution: Abort
deletionPolicy: Delete`)
	defaults(t, `
apiVersion: lwsfed.io/v1alpha1
kind: PlacementPolicy
metadata: {namespace: default, name: all}
spec: {names: [web], replicas: {type: Divided, preferences: [{cluster: eu-1}]}}`, `
names: [web]
priority: 0
replicas: {type: Divided, strategy: Weighted, preferences: [{cluster: eu-1, weight: 1}]}
conflictResolution: Abort
deletionPolicy: Delete`)
}

func TestPlacementPolicyColumns(t *testing.T) {
	o := store(t, placementPolicy)
	set("status", "{sets: 3}")(t, o)
	if err := hubClient.Status().Update(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	prints(t, "/apis/lwsfed.io/v1alpha1/placementpolicies", map[string]any{
		"Name": "all", "Type": "Duplicated", "Sets": int64(3),
	})
	hasShortName(t, "lwsfed.io/v1alpha1", "placementpolicies", "pp")
}
