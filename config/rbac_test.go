package config_test

import (
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/lwsfed/lwsfed/api/v1alpha1"
)

func TestNoRuleHasWildcards(t *testing.T) {
	for _, folder := range kustomizations(t) {
		objects := build(t, folder)
		for _, role := range only[rbacv1.ClusterRole](t, objects, "ClusterRole") {
			checkNoWildcards(t, folder, role.Name, role.Rules)
		}
		for _, role := range only[rbacv1.Role](t, objects, "Role") {
			checkNoWildcards(t, folder, role.Name, role.Rules)
		}
	}
}

func checkNoWildcards(t *testing.T, folder, role string, rules []rbacv1.PolicyRule) {
	t.Helper()
	for _, rule := range rules {
		for _, word := range slices.Concat(rule.Verbs, rule.Resources, rule.APIGroups) {
			if strings.Contains(word, "*") {
				t.Errorf("%s: role %s has a wildcard: %v", folder, role, rule)
			}
		}
	}
}

func TestHubReadsSecretsOnlyInItsNamespace(t *testing.T) {
	objects := build(t, "default")
	for _, role := range only[rbacv1.ClusterRole](t, objects, "ClusterRole") {
		if verbs := allowed(role.Rules)["/secrets"]; verbs.Len() > 0 {
			t.Errorf("ClusterRole %s may %v secrets of every namespace", role.Name, sets.List(verbs))
		}
	}
	readers := 0
	for _, role := range only[rbacv1.Role](t, objects, "Role") {
		verbs := allowed(role.Rules)["/secrets"]
		if verbs.Len() == 0 {
			continue
		}
		readers++
		if role.Namespace != v1alpha1.SystemNamespace {
			t.Errorf("Role %s/%s may %v secrets", role.Namespace, role.Name, sets.List(verbs))
		}
		if more := verbs.Difference(sets.New("get", "list", "watch")); more.Len() > 0 {
			t.Errorf("Role %s/%s may %v secrets, but should only read", role.Namespace, role.Name, sets.List(more))
		}
	}
	if readers == 0 {
		t.Error("no Role may read the kubeconfigs of members")
	}
}

// TestHubMayDoItsWork has what fails at run time, one request at a time, if a marker is lost.
func TestHubMayDoItsWork(t *testing.T) {
	objects := build(t, "default")
	everywhere, inSystem := sets.Set[string]{}, sets.Set[string]{}
	for _, role := range only[rbacv1.ClusterRole](t, objects, "ClusterRole") {
		everywhere = everywhere.Union(flat(allowed(role.Rules)))
	}
	for _, role := range only[rbacv1.Role](t, objects, "Role") {
		if role.Namespace == v1alpha1.SystemNamespace {
			inSystem = inSystem.Union(flat(allowed(role.Rules)))
		}
	}
	cases := map[string]struct {
		have     sets.Set[string]
		resource string
		verbs    string
	}{
		"watches and holds sets":          {everywhere, "leaderworkerset.x-k8s.io/leaderworkersets", "get list watch patch update"},
		"sums their status":               {everywhere, "leaderworkerset.x-k8s.io/leaderworkersets/status", "get patch update"},
		"owns objects by sets":            {everywhere, "leaderworkerset.x-k8s.io/leaderworkersets/finalizers", "update"},
		"keeps history":                   {everywhere, "apps/controllerrevisions", "get list watch create patch update delete"},
		"sees controllers in its way":     {everywhere, "apps/statefulsets", "get list watch"},
		"watches and holds members":       {everywhere, "lwsfed.io/memberclusters", "get list watch patch update"},
		"writes the status of members":    {everywhere, "lwsfed.io/memberclusters/status", "get patch update"},
		"watches policies":                {everywhere, "lwsfed.io/placementpolicies", "get list watch"},
		"writes the status of policies":   {everywhere, "lwsfed.io/placementpolicies/status", "get patch update"},
		"keeps placements":                {everywhere, "lwsfed.io/placements", "get list watch create patch update delete"},
		"writes the status of placements": {everywhere, "lwsfed.io/placements/status", "get patch update"},
		"knows the hub by its UID":        {everywhere, "/namespaces", "get"},
		"tells by events":                 {everywhere, "events.k8s.io/events", "create patch"},
		"reads kubeconfigs":               {inSystem, "/secrets", "get list watch"},
		"elects a leader":                 {inSystem, "coordination.k8s.io/leases", "get create update"},
		"tells who leads":                 {inSystem, "/events", "create patch"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			for verb := range strings.FieldsSeq(c.verbs) {
				if !c.have.Has(verb + " " + c.resource) {
					t.Errorf("may not %s %s", verb, c.resource)
				}
			}
		})
	}
}

// A cache lists and then watches: one without the other is a rule that cannot work.
func TestWhoWatchesAlsoLists(t *testing.T) {
	for _, role := range only[rbacv1.ClusterRole](t, build(t, "default"), "ClusterRole") {
		for resource, verbs := range allowed(role.Rules) {
			if verbs.Has("watch") && !verbs.HasAll("get", "list") {
				t.Errorf("ClusterRole %s may watch %s, but only %v", role.Name, resource, sets.List(verbs))
			}
		}
	}
}

func TestBindingsNameWhatExists(t *testing.T) {
	objects := build(t, "default")
	exist := sets.New[string]()
	for _, o := range objects {
		exist.Insert(o.GetKind() + " " + o.GetNamespace() + "/" + o.GetName())
	}
	check := func(binding, namespace string, role rbacv1.RoleRef, subjects []rbacv1.Subject) {
		if role.Kind == "ClusterRole" {
			namespace = ""
		}
		if want := role.Kind + " " + namespace + "/" + role.Name; !exist.Has(want) {
			t.Errorf("%s: there is no %s", binding, want)
		}
		for _, s := range subjects {
			if want := s.Kind + " " + s.Namespace + "/" + s.Name; !exist.Has(want) {
				t.Errorf("%s: there is no %s", binding, want)
			}
		}
	}
	everywhere := only[rbacv1.ClusterRoleBinding](t, objects, "ClusterRoleBinding")
	inNamespace := only[rbacv1.RoleBinding](t, objects, "RoleBinding")
	if len(everywhere) == 0 || len(inNamespace) == 0 {
		t.Fatal("nobody is bound")
	}
	for _, b := range everywhere {
		check(b.Name, "", b.RoleRef, b.Subjects)
	}
	for _, b := range inNamespace {
		check(b.Name, b.Namespace, b.RoleRef, b.Subjects)
	}
}

// allowed returns the verbs of rules by group/resource.
func allowed(rules []rbacv1.PolicyRule) map[string]sets.Set[string] {
	verbs := map[string]sets.Set[string]{}
	for _, rule := range rules {
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				name := group + "/" + resource
				verbs[name] = verbs[name].Union(sets.New(rule.Verbs...))
			}
		}
	}
	return verbs
}

func flat(allowed map[string]sets.Set[string]) sets.Set[string] {
	all := sets.New[string]()
	for resource, verbs := range allowed {
		for verb := range verbs {
			all.Insert(verb + " " + resource)
		}
	}
	return all
}
