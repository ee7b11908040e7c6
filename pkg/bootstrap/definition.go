package bootstrap

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/lwsfed/lwsfed/api/v1alpha1"
	"github.com/lwsfed/lwsfed/config/crd"
)

// labelVersion on the definition is the hash of what was applied.
const labelVersion = "lwsfed.io/definition"

// applyDefinition installs the definition of LeaderWorkerSet where the member does not have this one, and
// waits until it is served.
func applyDefinition(ctx context.Context, c client.Client) error {
	want := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(crd.LeaderWorkerSets, &want.Object); err != nil {
		return fmt.Errorf("read CustomResourceDefinition: %w", err)
	}
	sum := sha256.Sum256(crd.LeaderWorkerSets)
	version := hex.EncodeToString(sum[:8])
	want.SetLabels(map[string]string{labelVersion: version})

	have := &apiextensionsv1.CustomResourceDefinition{}
	err := c.Get(ctx, client.ObjectKeyFromObject(want), have)
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("get CustomResourceDefinition %q: %w", want.GetName(), err)
	}
	if err != nil || have.Labels[labelVersion] != version {
		config := client.ApplyConfigurationFromUnstructured(want)
		if err := c.Apply(ctx, config, client.FieldOwner(v1alpha1.FieldManager), client.ForceOwnership); err != nil {
			return fmt.Errorf("apply CustomResourceDefinition %q: %w", want.GetName(), err)
		}
	}
	err = wait.PollUntilContextCancel(ctx, 100*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		if err := c.Get(ctx, client.ObjectKeyFromObject(want), have); err != nil {
			return false, err
		}
		return established(have), nil
	})
	if err != nil {
		return fmt.Errorf("wait for CustomResourceDefinition %q: %w", want.GetName(), err)
	}
	return nil
}

func established(d *apiextensionsv1.CustomResourceDefinition) bool {
	for _, c := range d.Status.Conditions {
		if c.Type == apiextensionsv1.Established {
			return c.Status == apiextensionsv1.ConditionTrue
		}
	}
	return false
}
