package world

import (
	"context"
	"fmt"
	"path/filepath"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// apply does what kubectl apply --server-side -k does, for folders of the module. It leaves Deployments out:
// there is nobody to run them on the hub, where lwsfed runs as a process.
func apply(ctx context.Context, c client.Client, folders ...string) error {
	home, err := root()
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
	return nil
}
