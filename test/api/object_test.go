package api

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"
)

// change is one edit of a manifest, as a user makes it.
type change func(t *testing.T, o *unstructured.Unstructured)

// set gives the field at a path, its names parted by dots, a value written in YAML.
func set(path, value string) change {
	return func(t *testing.T, o *unstructured.Unstructured) {
		t.Helper()
		if err := unstructured.SetNestedField(o.Object, parse(t, value), strings.Split(path, ".")...); err != nil {
			t.Fatal(err)
		}
	}
}

// remove takes the field at a path away.
func remove(path string) change {
	return func(_ *testing.T, o *unstructured.Unstructured) {
		unstructured.RemoveNestedField(o.Object, strings.Split(path, ".")...)
	}
}

// object returns the object of a manifest with changes made to it.
func object(t *testing.T, manifest string, changes ...change) *unstructured.Unstructured {
	t.Helper()
	content, ok := parse(t, manifest).(map[string]any)
	if !ok {
		t.Fatalf("not an object: %s", manifest)
	}
	o := &unstructured.Unstructured{Object: content}
	for _, c := range changes {
		c(t, o)
	}
	return o
}

// parse reads YAML as an API server reads JSON: whole numbers are int64.
func parse(t *testing.T, text string) any {
	t.Helper()
	raw, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatalf("parse %q: %v", text, err)
	}
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		t.Fatalf("parse %q: %v", text, err)
	}
	return value
}
