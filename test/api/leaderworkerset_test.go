package api

import (
	"strings"
	"testing"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
)

const leaderWorkerSet = `
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {namespace: default, name: web}
spec:
  leaderWorkerTemplate:
    workerTemplate: {spec: {containers: [{name: main, image: "server:1"}]}}`

// Paths of a set.
const (
	name           = "metadata.name"
	replicas       = "spec.replicas"
	network        = "spec.networkConfig"
	strategy       = "spec.rolloutStrategy"
	rolling        = strategy + ".rollingUpdateConfiguration"
	maxUnavailable = rolling + ".maxUnavailable"
	maxSurge       = rolling + ".maxSurge"
	partition      = rolling + ".partition"
	template       = "spec.leaderWorkerTemplate"
	size           = template + ".size"
	subGroups      = template + ".subGroupPolicy"
	claims         = template + ".volumeClaimTemplates"
	retention      = template + ".persistentVolumeClaimRetentionPolicy"
)

const (
	tooLong        = "metadata.name is too long: <name>, or with a size above 1 <name>-<highest group index, maxSurge included>, must have at most 52 characters, so that names and labels of pods stay within 63; choose a shorter name"
	notDNS1035     = "metadata.name must be a DNS-1035 label: lower case letters, digits and '-', starting with a letter and not ending with '-'"
	tooManyPods    = "spec.replicas times spec.leaderWorkerTemplate.size must not be above 2147483647; lower one of them"
	noBudget       = "spec.rolloutStrategy.rollingUpdateConfiguration: maxUnavailable (a percentage of spec.replicas is rounded down) and maxSurge must not both be 0; raise one of them"
	notUnavailable = "maxUnavailable must be a number from 0 to 2147483647 or a percentage of at most 100, such as 10%"
	notSurge       = "maxSurge must be a number from 0 to 2147483647 or a percentage of at most 100, such as 10%"
	notDivisible   = "spec.leaderWorkerTemplate.size or size-1 (with subGroupPolicyType LeaderExcluded, size-1) must be divisible by subGroupPolicy.subGroupSize; change size"
	tooBigSubGroup = "spec.leaderWorkerTemplate.subGroupPolicy.subGroupSize must not be above spec.leaderWorkerTemplate.size; lower it or raise size"
	notRetention   = "persistentVolumeClaimRetentionPolicy.whenDeleted and whenScaled must be Retain or Delete"
)

// named gives a set a name of so many characters.
func named(length int) change { return set(name, strings.Repeat("a", length)) }

func TestLeaderWorkerSetName(t *testing.T) {
	creates(t, leaderWorkerSet, []creation{
		{name: "one letter", changes: []change{set(name, "a")}},
		{name: "letters, digits and dashes", changes: []change{set(name, "llama-3-70b")}},
		{name: "starts with a digit", changes: []change{set(name, "3-llama")}, want: notDNS1035},
		{name: "has a dot", changes: []change{set(name, "llama.70b")}, want: notDNS1035},
		{name: "52 characters, leaders alone", changes: []change{named(52), set(replicas, "1000000")}},
		{name: "53 characters, leaders alone", changes: []change{named(53)}, want: tooLong},
		{name: "room for ten groups", changes: []change{named(50), set(size, "2"), set(replicas, "10")}},
		{name: "no room for eleven groups", changes: []change{named(50), set(size, "2"), set(replicas, "11")}, want: tooLong},
		{name: "room for eleven groups", changes: []change{named(49), set(size, "2"), set(replicas, "11")}},
		{name: "room for the biggest groups", changes: []change{named(50), set(size, "214748364"), set(replicas, "10")}},
		{name: "no room without groups", changes: []change{named(51), set(size, "2"), set(replicas, "0")}, want: tooLong},
		{name: "room for surge", changes: []change{named(50), set(size, "2"), set(replicas, "9"), set(maxSurge, "1")}},
		{
			name: "no room for surge", want: tooLong,
			changes: []change{named(50), set(size, "2"), set(replicas, "10"), set(maxSurge, "1")},
		},
		{
			name: "no room for a percentage of surge, rounded up", want: tooLong,
			changes: []change{named(50), set(size, "2"), set(replicas, "9"), set(maxSurge, "12%")},
		},
		{name: "room for surge that is never above replicas", changes: []change{
			named(50), set(size, "2"), set(replicas, "5"), set(maxSurge, "2147483647"),
		}},
		{name: "generated, too long", want: tooLong, changes: []change{
			remove(name), set("metadata.generateName", strings.Repeat("a", 48)),
		}},
		{name: "generated", changes: []change{remove(name), set("metadata.generateName", strings.Repeat("a", 47))}},
	})
}

func TestLeaderWorkerSetNumbers(t *testing.T) {
	creates(t, leaderWorkerSet, []creation{
		{name: "without spec", changes: []change{remove("spec")}, want: "spec: Required value"},
		{name: "without groups", changes: []change{set(replicas, "0")}},
		{
			name: "replicas below 0", changes: []change{set(replicas, "-1")},
			want: "spec.replicas: Invalid value: -1: spec.replicas in body should be greater than or equal to 0",
		},
		{name: "a million groups", changes: []change{set(replicas, "1000000")}},
		{
			name: "more than a million groups", changes: []change{set(replicas, "1000001")},
			want: "spec.replicas: Invalid value: 1000001: spec.replicas in body should be less than or equal to 1000000",
		},
		{
			name: "groups without a leader", changes: []change{set(size, "0")},
			want: "spec.leaderWorkerTemplate.size: Invalid value: 0: spec.leaderWorkerTemplate.size in body should be greater than or equal to 1",
		},
		{name: "as many pods as can be counted", changes: []change{set(replicas, "1"), set(size, "2147483647")}},
		{name: "more pods than can be counted", changes: []change{set(replicas, "2"), set(size, "1073741824")}, want: tooManyPods},
		{name: "partition", changes: []change{set(partition, "7")}},
		{
			name: "partition below 0", changes: []change{set(partition, "-1")},
			want: rollingPath + ".partition in body should be greater than or equal to 0",
		},
	})
}

const rollingPath = "spec.rolloutStrategy.rollingUpdateConfiguration"

func TestLeaderWorkerSetBudget(t *testing.T) {
	creates(t, leaderWorkerSet, []creation{
		{name: "maxUnavailable below 0", changes: []change{set(maxUnavailable, "-1")}, want: rollingPath + ".maxUnavailable: Invalid value: -1: " + notUnavailable},
		{name: "maxUnavailable of 100%", changes: []change{set(maxUnavailable, "100%")}},
		{name: "maxUnavailable of 100% with zeros before", changes: []change{set(maxUnavailable, "0100%")}},
		{name: "maxUnavailable above 100%", changes: []change{set(maxUnavailable, "101%")}, want: rollingPath + `.maxUnavailable: Invalid value: "101%": ` + notUnavailable},
		{name: "maxUnavailable in words", changes: []change{set(maxUnavailable, "half")}, want: notUnavailable},
		{name: "maxUnavailable of a number in quotes", changes: []change{set(maxUnavailable, `"1"`)}, want: notUnavailable},
		{name: "maxSurge below 0", changes: []change{set(maxSurge, "-1")}, want: rollingPath + ".maxSurge: Invalid value: -1: " + notSurge},
		{name: "maxSurge above what is counted in", changes: []change{set(maxSurge, "2147483648")}, want: notSurge},
		{name: "maxUnavailable above what is counted in", changes: []change{set(maxUnavailable, "2147483648")}, want: notUnavailable},
		{name: "maxSurge of 100%", changes: []change{set(maxSurge, "100%")}},
		{name: "maxSurge above 100%", changes: []change{set(maxSurge, "200%")}, want: notSurge},
		{name: "both 0", changes: []change{set(maxUnavailable, "0"), set(maxSurge, "0")}, want: noBudget},
		{name: "both 0%", changes: []change{set(maxUnavailable, "0%"), set(maxSurge, "0%")}, want: noBudget},
		{name: "both 0 without groups", changes: []change{set(replicas, "0"), set(maxUnavailable, "0"), set(maxSurge, "0")}},
		{name: "surge alone", changes: []change{set(maxUnavailable, "0"), set(maxSurge, "1")}},
		{name: "surge of less than a group, rounded up", changes: []change{set(maxUnavailable, "0"), set(maxSurge, "1%")}},
		{name: "less than a group unavailable, rounded down", changes: []change{set(replicas, "9"), set(maxUnavailable, "10%")}, want: noBudget},
		{name: "one group unavailable", changes: []change{set(replicas, "10"), set(maxUnavailable, "10%")}},
	})
}

func TestLeaderWorkerSetSubGroups(t *testing.T) {
	policy := func(groupSize, policy string) []change { return []change{set(size, groupSize), set(subGroups, policy)} }
	creates(t, leaderWorkerSet, []creation{
		{name: "size is divisible", changes: policy("4", "{subGroupSize: 2}")},
		{name: "size-1 is divisible", changes: policy("5", "{subGroupSize: 2}")},
		{name: "neither is divisible", changes: policy("5", "{subGroupSize: 3}"), want: notDivisible},
		{name: "leader excluded, size-1 is divisible", changes: policy("5", "{subGroupSize: 2, subGroupPolicyType: LeaderExcluded}")},
		{name: "leader excluded, size is divisible", changes: policy("4", "{subGroupSize: 2, subGroupPolicyType: LeaderExcluded}"), want: notDivisible},
		{name: "as big as the group", changes: policy("4", "{subGroupSize: 4}")},
		{name: "bigger than the group", changes: policy("1", "{subGroupSize: 2}"), want: tooBigSubGroup},
		{name: "size below 1", changes: policy("4", "{subGroupSize: 0}"), want: "subGroupPolicy.subGroupSize in body should be greater than or equal to 1"},
		{name: "without a size", changes: policy("4", "{}"), want: "subGroupPolicy.subGroupSize: Required value"},
	})
}

func TestLeaderWorkerSetChoices(t *testing.T) {
	retain := "{whenDeleted: Retain, whenScaled: Delete}"
	creates(t, leaderWorkerSet, []creation{
		{name: "restart policy", changes: []change{set(template+".restartPolicy", "RecreateGroupAfterStart")}},
		{name: "old restart policy", changes: []change{set(template+".restartPolicy", "Default")}},
		{
			name: "no such restart policy", changes: []change{set(template+".restartPolicy", "Always")},
			want: `spec.leaderWorkerTemplate.restartPolicy: Unsupported value: "Always": supported values: "Default", "RecreateGroupOnPodRestart", "RecreateGroupAfterStart", "None"`,
		},
		{name: "startup policy", changes: []change{set("spec.startupPolicy", "LeaderReady")}},
		{
			name: "no such startup policy", changes: []change{set("spec.startupPolicy", "Ready")},
			want: `spec.startupPolicy: Unsupported value: "Ready": supported values: "LeaderCreated", "LeaderReady"`,
		},
		{
			name: "no such strategy", changes: []change{set(strategy+".type", "Recreate")},
			want: `spec.rolloutStrategy.type: Unsupported value: "Recreate": supported values: "RollingUpdate"`,
		},
		{name: "subdomain policy", changes: []change{set(network, "{subdomainPolicy: UniquePerReplica}")}},
		{
			name: "no such subdomain policy", changes: []change{set(network, "{subdomainPolicy: Unique}")},
			want: `spec.networkConfig.subdomainPolicy: Unsupported value: "Unique": supported values: "Shared", "UniquePerReplica"`,
		},
		{
			name: "no such subgroup policy", changes: []change{set(subGroups, "{subGroupSize: 1, subGroupPolicyType: Leader}")},
			want: `subGroupPolicyType: Unsupported value: "Leader": supported values: "LeaderWorker", "LeaderExcluded"`,
		},
		{name: "claim retention", changes: []change{set(retention, retain)}},
		{name: "no such claim retention when deleted", changes: []change{set(retention, "{whenDeleted: Keep}")}, want: notRetention},
		{name: "no such claim retention when scaled", changes: []change{set(retention, "{whenScaled: Keep}")}, want: notRetention},
	})
}

func TestLeaderWorkerSetDefaults(t *testing.T) {
	defaults(t, leaderWorkerSet, `
replicas: 1
startupPolicy: LeaderCreated
rolloutStrategy:
  type: RollingUpdate
  rollingUpdateConfiguration: {maxUnavailable: 1, maxSurge: 0, partition: 0}
leaderWorkerTemplate:
  size: 1
  restartPolicy: RecreateGroupOnPodRestart
  workerTemplate: {spec: {containers: [{name: main, image: "server:1"}]}}`)
}

func TestLeaderWorkerSetDefaultsInsideOfWhatIsGiven(t *testing.T) {
	defaults(t, leaderWorkerSet+`
    size: 2
    subGroupPolicy: {subGroupSize: 1}
  rolloutStrategy: {rollingUpdateConfiguration: {maxSurge: 10%}}`, `
replicas: 1
startupPolicy: LeaderCreated
rolloutStrategy:
  type: RollingUpdate
  rollingUpdateConfiguration: {maxUnavailable: 1, maxSurge: 10%, partition: 0}
leaderWorkerTemplate:
  size: 2
  restartPolicy: RecreateGroupOnPodRestart
  subGroupPolicy: {subGroupSize: 1, subGroupPolicyType: LeaderWorker}
  workerTemplate: {spec: {containers: [{name: main, image: "server:1"}]}}`)
}

func TestLeaderWorkerSetColumns(t *testing.T) {
	o := store(t, leaderWorkerSet, set(replicas, "3"))
	set("status", "{replicas: 3, readyReplicas: 2, updatedReplicas: 1}")(t, o)
	if err := hubClient.Status().Update(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	prints(t, "/apis/leaderworkerset.x-k8s.io/v1/leaderworkersets", map[string]any{
		"Name": "web", "Desired": int64(3), "Ready": int64(2), "Up-to-date": int64(1),
	})
	hasShortName(t, "leaderworkerset.x-k8s.io/v1", "leaderworkersets", "lws")
}

func TestLeaderWorkerSetScales(t *testing.T) {
	o := store(t, leaderWorkerSet, set(replicas, "10"), set(maxUnavailable, "10%"))
	set("status", "{replicas: 4, hpaPodSelector: role=leader}")(t, o)
	if err := hubClient.Status().Update(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	web, scale := &lwsv1.LeaderWorkerSet{}, &autoscalingv1.Scale{}
	web.Namespace, web.Name = o.GetNamespace(), o.GetName()
	if err := hubClient.SubResource("scale").Get(t.Context(), web, scale); err != nil {
		t.Fatal(err)
	}
	if got := scale.Status; got.Replicas != 4 || got.Selector != "role=leader" {
		t.Errorf("scale has status %+v, want 4 replicas and selector role=leader", got)
	}

	// 10% of five groups is none, which an autoscaler cannot know of.
	scale.Spec.Replicas = 5
	if err := hubClient.SubResource("scale").Update(t.Context(), web, client.WithSubResourceBody(scale)); err != nil {
		t.Fatal(err)
	}
	if err := hubClient.Get(t.Context(), client.ObjectKeyFromObject(web), web); err != nil {
		t.Fatal(err)
	}
	if got := *web.Spec.Replicas; got != 5 {
		t.Errorf("the set has %d replicas, want 5", got)
	}

	scale.Spec.Replicas, scale.ResourceVersion = 1000001, ""
	err := hubClient.SubResource("scale").Update(t.Context(), web, client.WithSubResourceBody(scale))
	if !apierrors.IsInvalid(err) {
		t.Errorf("scaling to more than a million groups gives %v, want a refusal", err)
	}
}
