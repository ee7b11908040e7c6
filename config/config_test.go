// Package config_test checks what the manifests in config must promise to whoever applies them.
package config_test

import (
	"io/fs"
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// build returns the objects of the kustomization in a folder of config.
func build(t *testing.T, folder string) []*unstructured.Unstructured {
	t.Helper()
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), folder)
	if err != nil {
		t.Fatalf("build %s: %v", folder, err)
	}
	objects := make([]*unstructured.Unstructured, 0, built.Size())
	for _, r := range built.Resources() {
		content, err := r.Map()
		if err != nil {
			t.Fatalf("read %s of %s: %v", r.CurId(), folder, err)
		}
		objects = append(objects, &unstructured.Unstructured{Object: content})
	}
	return objects
}

// only returns the objects of one kind as typed objects.
func only[T any](t *testing.T, objects []*unstructured.Unstructured, kind string) []T {
	t.Helper()
	var typed []T
	for _, o := range objects {
		if o.GetKind() != kind {
			continue
		}
		var v T
		if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(o.Object, &v, true); err != nil {
			t.Fatalf("%s %s: %v", kind, o.GetName(), err)
		}
		typed = append(typed, v)
	}
	return typed
}

// kustomizations returns every folder here that has one.
func kustomizations(t *testing.T) []string {
	t.Helper()
	var folders []string
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if filepath.Base(path) == "kustomization.yaml" {
			folders = append(folders, filepath.Dir(path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return folders
}

func TestEveryKustomizationBuilds(t *testing.T) {
	folders := kustomizations(t)
	if len(folders) < 5 {
		t.Fatalf("found only %v", folders)
	}
	for _, folder := range folders {
		t.Run(folder, func(t *testing.T) {
			if len(build(t, folder)) == 0 {
				t.Error("has no objects")
			}
		})
	}
}

func TestEveryCRDIsInstalled(t *testing.T) {
	files, err := filepath.Glob("crd/*_*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("found no CRDs: %v", err)
	}
	crds := 0
	for _, o := range build(t, "default") {
		if o.GetKind() == "CustomResourceDefinition" {
			crds++
		}
	}
	if crds != len(files) {
		t.Errorf("config/default has %d CRDs, config/crd has %d", crds, len(files))
	}
}
