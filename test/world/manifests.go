package world

import (
	"context"
	"fmt"
	"path/filepath"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// Install does what kubectl apply --server-side -k does, for folders of the module. It leaves Deployments out:
// there is nobody to run them on the hub, where lwsfed runs as a process.
func Install(ctx context.Context, c client.Client, folders ...string) error {
	home, err := Root()
	if err != nil {
		return err
	}
	var namespaces, others []*unstructured.Unstructured
	for _, folder := range folders {
		built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), filepath.Join(home, folder))
		if err != nil {
			return fmt.Errorf("build %s: %w", folder, err)
		}
		for _, r := range built.Resources() {
			content, err := r.Map()
			if err != nil {
				return fmt.Errorf("read %s of %s: %w", r.CurId(), folder, err)
			}
			switch o := (&unstructured.Unstructured{Object: content}); o.GetKind() {
			case "Deployment":
			case "Namespace":
				namespaces = append(namespaces, o)
			default:
				others = append(others, o)
			}
		}
	}
	for _, o := range append(namespaces, others...) {
		err := c.Apply(ctx, client.ApplyConfigurationFromUnstructured(o), client.FieldOwner("kubectl"), client.ForceOwnership)
		if err != nil {
			return fmt.Errorf("apply %s %q: %w", o.GetKind(), o.GetName(), err)
		}
	}
	for _, o := range others {
		if o.GetKind() == "CustomResourceDefinition" {
			if err := served(ctx, c, o); err != nil {
				return err
			}
		}
	}
	return nil
}

// served waits until the API server serves a definition's kind.
func served(ctx context.Context, c client.Client, definition *unstructured.Unstructured) error {
	kind := schema.GroupKind{}
	kind.Group, _, _ = unstructured.NestedString(definition.Object, "spec", "group")
	kind.Kind, _, _ = unstructured.NestedString(definition.Object, "spec", "names", "kind")
	return Poll(ctx, func(context.Context) error {
		_, err := c.RESTMapper().RESTMapping(kind)
		return err
	})
}
