package api

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/test/world"
)

const (
	subGroupsFixed    = "spec.leaderWorkerTemplate.subGroupPolicy must not be added or removed after creation; create the set anew"
	subGroupSizeFixed = "subGroupPolicy.subGroupSize: Invalid value: 2: subGroupSize must not change after creation; create the set anew"
	claimsFixed       = "spec.leaderWorkerTemplate.volumeClaimTemplates must not change after creation, because a StatefulSet's cannot; create the set anew"
	claimsStay        = "spec.leaderWorkerTemplate.volumeClaimTemplates must not be added or removed after creation, because a StatefulSet's cannot; create the set anew"
	networkStays      = "spec.networkConfig must not be removed once it is set; set spec.networkConfig.subdomainPolicy to Shared instead"
)

func TestLeaderWorkerSetMayChange(t *testing.T) {
	updates(t, leaderWorkerSet, []update{
		{name: "size", changes: []change{set(size, "4")}},
		{name: "replicas", changes: []change{set(replicas, "4")}},
		{name: "image", changes: []change{set(template+".workerTemplate.spec.containers", `[{name: main, image: "server:2"}]`)}},
		{name: "leader template", changes: []change{set(template+".leaderTemplate", `{spec: {containers: [{name: main, image: "server:2"}]}}`)}},
		{name: "restart policy", changes: []change{set(template+".restartPolicy", "None")}},
		{name: "claim retention", changes: []change{set(retention, "{whenScaled: Delete}")}},
		{name: "both budgets to 0", changes: []change{set(maxUnavailable, "0")}, want: noBudget},
		{
			name: "from no groups, without a budget", want: noBudget,
			before:  []change{set(replicas, "0"), set(maxUnavailable, "0")},
			changes: []change{set(replicas, "1")},
		},
		{
			name:    "more groups than the name has room for",
			before:  []change{named(50), set(size, "2"), set(replicas, "10")},
			changes: []change{set(replicas, "11")}, want: tooLong,
		},
	})
}

func TestLeaderWorkerSetSubGroupsAreFixed(t *testing.T) {
	three := []change{set(size, "4"), set(subGroups, "{subGroupSize: 1}")}
	updates(t, leaderWorkerSet, []update{
		{name: "added", changes: []change{set(subGroups, "{subGroupSize: 1}")}, want: subGroupsFixed},
		{name: "removed", before: three, changes: []change{remove(subGroups)}, want: subGroupsFixed},
		{name: "set to null", before: three, changes: []change{set(subGroups, "null")}, want: subGroupsFixed},
		{name: "another size", before: three, changes: []change{set(subGroups+".subGroupSize", "2")}, want: subGroupSizeFixed},
		{name: "another size of the group", before: three, changes: []change{set(size, "5")}},
		{name: "another type", before: three, changes: []change{set(subGroups+".subGroupPolicyType", "LeaderExcluded")}},
		{
			name:    "a size of the group that cannot be divided",
			before:  []change{set(size, "3"), set(subGroups, "{subGroupSize: 3}")},
			changes: []change{set(size, "5")}, want: notDivisible,
		},
	})
}

func TestLeaderWorkerSetNetworkStays(t *testing.T) {
	unique := []change{set(network, "{subdomainPolicy: UniquePerReplica}")}
	updates(t, leaderWorkerSet, []update{
		{name: "added", changes: unique},
		{name: "changed", before: unique, changes: []change{set(network+".subdomainPolicy", "Shared")}},
		{name: "removed", before: unique, changes: []change{remove(network)}, want: networkStays},
		{name: "set to null", before: unique, changes: []change{set(network, "null")}, want: networkStays},
		{
			name: "policy set to null", before: unique, changes: []change{set(network+".subdomainPolicy", "null")},
			want: "spec.networkConfig.subdomainPolicy",
		},
		{
			name: "policy removed", before: unique, changes: []change{remove(network + ".subdomainPolicy")},
			want: "spec.networkConfig.subdomainPolicy: Required value",
		},
	})
}

func TestLeaderWorkerSetClaimsAreFixed(t *testing.T) {
	claim := func(name, storage string) string {
		return `{metadata: {name: ` + name + `}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: ` + storage + `}}}}`
	}
	one := []change{set(claims, "["+claim("cache", "1Gi")+"]")}
	updates(t, leaderWorkerSet, []update{
		{name: "added", changes: one, want: claimsStay},
		{name: "removed", before: one, changes: []change{remove(claims)}, want: claimsStay},
		{name: "emptied", before: one, changes: []change{set(claims, "[]")}, want: claimsStay},
		{name: "nothing emptied", changes: []change{set(claims, "[]")}},
		{name: "one more", before: one, changes: []change{set(claims, "["+claim("cache", "1Gi")+","+claim("data", "1Gi")+"]")}, want: claimsFixed},
		{name: "another name", before: one, changes: []change{set(claims, "["+claim("data", "1Gi")+"]")}, want: claimsFixed},
		{name: "another storage request", before: one, changes: []change{set(claims, "["+claim("cache", "2Gi")+"]")}, want: claimsFixed},
		{name: "what a typed client adds", before: one, changes: []change{set(claims, `
- metadata: {name: cache, creationTimestamp: null}
  spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
  status: {}`)}},
		{name: "the image beside them", before: one, changes: []change{
			set(template+".workerTemplate.spec.containers", `[{name: main, image: "server:2"}]`),
		}},
	})
}

// Sets of a time before a rule, or of another controller's CRD, must not be stuck when the rules come.
func TestLeaderWorkerSetStoredBeforeTheRules(t *testing.T) {
	withoutRules(t)
	lowered := map[string][]change{
		"long":     {named(60), set(size, "2"), set(replicas, "10"), set(maxSurge, "1")},
		"dotted":   {set(name, "llama.70b")},
		"many":     {set(name, "many"), set(replicas, "1000"), set(size, "100000000")},
		"stuck":    {set(name, "stuck"), set(replicas, "4"), set(maxUnavailable, "10%")},
		"divided":  {set(name, "divided"), set(size, "5"), set(subGroups, "{subGroupSize: 3}")},
		"too wide": {set(name, "wide"), set(size, "2"), set(subGroups, "{subGroupSize: 3}")},
	}
	stored := map[string]client.Object{}
	for name, changes := range lowered {
		stored[name] = store(t, leaderWorkerSet, changes...)
	}
	withRules(t)
	for name, o := range stored {
		t.Run(name, func(t *testing.T) {
			for _, patch := range []string{
				`{"metadata":{"labels":{"team":"a"}}}`,
				`{"spec":{"leaderWorkerTemplate":{"workerTemplate":{"spec":{"containers":[{"name":"main","image":"server:2"}]}}}}}`,
				`{"spec":{"replicas":1}}`,
			} {
				if err := hubClient.Patch(t.Context(), o, client.RawPatch(types.MergePatchType, []byte(patch))); err != nil {
					t.Errorf("%s: %v", patch, err)
				}
			}
		})
	}
}

// withoutRules takes the rules between fields out of the sets' CRD until the end of the test.
func withoutRules(t *testing.T) {
	t.Helper()
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := hubClient.Get(t.Context(), client.ObjectKey{Name: "leaderworkersets.leaderworkerset.x-k8s.io"}, crd); err != nil {
		t.Fatal(err)
	}
	root := crd.Spec.Versions[0].Schema.OpenAPIV3Schema
	spec := root.Properties["spec"]
	template := spec.Properties["leaderWorkerTemplate"]
	root.XValidations, spec.XValidations, template.XValidations = nil, nil, nil
	root.Properties["spec"], spec.Properties["leaderWorkerTemplate"] = spec, template
	t.Cleanup(func() { withRules(t) })
	if err := hubClient.Update(t.Context(), crd); err != nil {
		t.Fatal(err)
	}
	await(t, createLong)
}

// withRules installs the CRD as it is and waits until its rules hold.
func withRules(t *testing.T) {
	t.Helper()
	if err := world.Install(context.WithoutCancel(t.Context()), hubClient, "config/crd"); err != nil {
		t.Fatal(err)
	}
	await(t, func(ctx context.Context) error {
		if err := createLong(ctx); !apierrors.IsInvalid(err) {
			return fmt.Errorf("a set with too long a name is not refused: %w", err)
		}
		return nil
	})
}

// createLong tries to create a set that the rules refuse.
func createLong(ctx context.Context) error {
	long := &lwsv1.LeaderWorkerSet{}
	long.Namespace, long.Name = "default", strings.Repeat("a", 60)
	long.Spec.LeaderWorkerTemplate.WorkerTemplate = world.Pod("server:1")
	return hubClient.Create(ctx, long, client.DryRunAll)
}

func await(t *testing.T, check func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
	defer cancel()
	if err := world.Poll(ctx, check); err != nil {
		t.Fatal(err)
	}
}
