package api

import (
	"strings"
	"testing"
)

const memberCluster = `
apiVersion: lwsfed.io/v1alpha1
kind: MemberCluster
metadata: {name: eu-1}
spec: {kubeconfigSecretRef: {name: eu-1}}`

// Paths of a member.
const (
	secret  = "spec.kubeconfigSecretRef"
	profile = "spec.clusterProfileRef"
	taints  = "spec.taints"
	limits  = "spec.client"
)

const (
	memberName    = "metadata.name must have at most 63 characters, so that it can be a label value"
	oneAccess     = "exactly one of spec.kubeconfigSecretRef and spec.clusterProfileRef must be set"
	noTaintKey    = "spec.taints key must not be empty"
	noTaintEffect = "spec.taints effect must be NoSchedule, PreferNoSchedule or NoExecute"
	burstBelowQPS = "client.burst must be at least client.qps"
)

func TestMemberClusterRules(t *testing.T) {
	inProfile := set(profile, "{namespace: fleet, name: eu-1}")
	creates(t, memberCluster, []creation{
		{name: "without spec", changes: []change{remove("spec")}, want: "spec: Required value"},
		{name: "63 characters", changes: []change{named(63)}},
		{name: "64 characters", changes: []change{named(64)}, want: memberName},
		{name: "by a ClusterProfile", changes: []change{remove(secret), inProfile}},
		{name: "by two ways", changes: []change{inProfile}, want: oneAccess},
		{name: "by no way", changes: []change{remove(secret)}, want: oneAccess},
		{name: "by a Secret without a name", changes: []change{set(secret, `{name: ""}`)}, want: "spec.kubeconfigSecretRef.name in body should be at least 1 chars long"},
		{name: "by a Secret with a long name", changes: []change{set(secret, "{name: "+strings.Repeat("a", 254)+"}")}, want: "spec.kubeconfigSecretRef.name: Too long: may not be more than 253"},
		{name: "by a ClusterProfile of no namespace", changes: []change{remove(secret), set(profile, "{name: eu-1}")}, want: "spec.clusterProfileRef.namespace: Required value"},
		{name: "all sets", changes: []change{set("spec.workloads", "All")}},
		{name: "no such sets", changes: []change{set("spec.workloads", "None")}, want: `spec.workloads: Unsupported value: "None": supported values: "Federated", "All"`},
		{name: "taint", changes: []change{set(taints, "[{key: spot, effect: NoExecute}]")}},
		{name: "taint without a key", changes: []change{set(taints, `[{key: "", effect: NoExecute}]`)}, want: noTaintKey},
		{name: "taint of no such effect", changes: []change{set(taints, "[{key: spot, effect: Never}]")}, want: noTaintEffect},
		{name: "one request a second", changes: []change{set(limits, "{qps: 1, burst: 1}")}},
		{name: "no request a second", changes: []change{set(limits, "{qps: 0}")}, want: "spec.client.qps in body should be greater than or equal to 1"},
		{name: "too many requests a second", changes: []change{set(limits, "{qps: 10001, burst: 20000}")}, want: "spec.client.qps in body should be less than or equal to 10000"},
		{name: "too many requests at once", changes: []change{set(limits, "{burst: 20001}")}, want: "spec.client.burst in body should be less than or equal to 20000"},
		{name: "fewer requests at once than a second", changes: []change{set(limits, "{qps: 2001}")}, want: burstBelowQPS},
	})
}

func TestMemberClusterDefaults(t *testing.T) {
	defaults(t, memberCluster, `
kubeconfigSecretRef: {name: eu-1}
workloads: Federated
client: {qps: 1000, burst: 2000}`)
}

func TestMemberClusterChangesItsWay(t *testing.T) {
	updates(t, memberCluster, []update{
		{name: "to a ClusterProfile", changes: []change{remove(secret), set(profile, "{namespace: fleet, name: eu-1}")}},
		{name: "to none", changes: []change{remove(secret)}, want: oneAccess},
	})
}

func TestMemberClusterColumns(t *testing.T) {
	o := store(t, memberCluster)
	set("status", `
kubernetesVersion: v1.36.3
conditions: [{type: Ready, status: "False", reason: Unreachable, message: "", lastTransitionTime: "2026-01-01T00:00:00Z"}]`)(t, o)
	if err := hubClient.Status().Update(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	prints(t, "/apis/lwsfed.io/v1alpha1/memberclusters", map[string]any{
		"Name": "eu-1", "Ready": "False", "Reason": "Unreachable", "Version": "v1.36.3", "Last-contact": nil,
	})
	hasShortName(t, "lwsfed.io/v1alpha1", "memberclusters", "mc")
}
