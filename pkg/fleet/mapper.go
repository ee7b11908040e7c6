package fleet

import (
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// clusterScoped are the kinds of the scheme that have no namespace.
var clusterScoped = sets.New(
	"ClusterRole", "ClusterRoleBinding", "ComponentStatus", "CustomResourceDefinition", "MemberCluster",
	"MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding", "MutatingWebhookConfiguration", "Namespace", "Node",
	"PersistentVolume", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding", "ValidatingWebhookConfiguration",
)

// newMapper maps the kinds of the scheme without asking a server. A member whose discovery hangs would block
// its engagement for ever, and no context could free it.
func newMapper(scheme *runtime.Scheme) meta.RESTMapper {
	mapper := meta.NewDefaultRESTMapper(scheme.PrioritizedVersionsAllGroups())
	for gvk := range scheme.AllKnownTypes() {
		if !isObject(scheme, gvk) {
			continue
		}
		scope := meta.RESTScopeNamespace
		if clusterScoped.Has(gvk.Kind) {
			scope = meta.RESTScopeRoot
		}
		mapper.Add(gvk, scope)
	}
	return mapper
}

// uncached returns an object of every kind of the scheme that members' caches do not hold.
func uncached(scheme *runtime.Scheme, cached []client.Object) []client.Object {
	held := sets.New[string]()
	for _, obj := range cached {
		gvks, _, err := scheme.ObjectKinds(obj)
		if err == nil && len(gvks) > 0 {
			held.Insert(gvks[0].GroupKind().String())
		}
	}
	var objs []client.Object
	for gvk := range scheme.AllKnownTypes() {
		if !isObject(scheme, gvk) || held.Has(gvk.GroupKind().String()) {
			continue
		}
		obj, err := scheme.New(gvk)
		if err == nil {
			objs = append(objs, obj.(client.Object))
		}
	}
	return objs
}

// isObject reports whether the kind is stored on a server, as opposed to lists and options.
func isObject(scheme *runtime.Scheme, gvk schema.GroupVersionKind) bool {
	if gvk.Version == runtime.APIVersionInternal {
		return false
	}
	obj, err := scheme.New(gvk)
	if err != nil {
		return false
	}
	_, ok := obj.(client.Object)
	return ok
}
