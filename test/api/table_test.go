package api

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
)

// prints checks what kubectl get shows of the one object at a path: cells by column, but for the age.
func prints(t *testing.T, path string, want map[string]any) {
	t.Helper()
	table := &metav1.Table{}
	err := rawClient(t).Get().AbsPath(path).SetHeader("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io").
		Do(t.Context()).Into(table)
	if err != nil {
		t.Fatal(err)
	}
	if len(table.Rows) != 1 {
		t.Fatalf("%s has %d rows, want 1", path, len(table.Rows))
	}
	got := map[string]any{}
	for i, column := range table.ColumnDefinitions {
		if column.Priority == 0 && column.Name != "Age" {
			got[column.Name] = table.Rows[0].Cells[i]
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("cells by column (-want +got):\n%s", diff)
	}
}

// hasShortName checks the word that kubectl takes for a kind.
func hasShortName(t *testing.T, groupVersion, plural, want string) {
	t.Helper()
	resources, err := discoveryClient(t).ServerResourcesForGroupVersion(groupVersion)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range resources.APIResources {
		if r.Name == plural {
			if diff := cmp.Diff([]string{want}, r.ShortNames); diff != "" {
				t.Errorf("short names (-want +got):\n%s", diff)
			}
			return
		}
	}
	t.Errorf("%s has no %s", groupVersion, plural)
}

func rawClient(t *testing.T) rest.Interface { return discoveryClient(t).RESTClient() }

func discoveryClient(t *testing.T) *discovery.DiscoveryClient {
	t.Helper()
	c, err := discovery.NewDiscoveryClientForConfig(hub.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	return c
}
