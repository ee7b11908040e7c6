// Package stamping gives a member the admission policy that writes into each pod of a group what no
// StatefulSet can say, and proves that it works.
//
// A policy takes about a second to become active, and while it is absent pods pass unstamped. So it is proven
// with pods of a dry run before the first set runs, and leader pods that appear are checked.
package stamping

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/api/v1alpha1"
)

var (
	//go:embed policy.yaml
	policy []byte
	//go:embed binding.yaml
	binding []byte
)

// labelVersion on policy and binding is the hash of what was applied.
const labelVersion = "lwsfed.io/stamping"

// Apply installs the policy and its binding where the member does not have them in this version.
func Apply(ctx context.Context, c client.Client) error {
	for _, manifest := range [][]byte{policy, binding} {
		if err := apply(ctx, c, manifest); err != nil {
			return err
		}
	}
	return nil
}

func apply(ctx context.Context, c client.Client, manifest []byte) error {
	want := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(manifest, &want.Object); err != nil {
		return fmt.Errorf("read stamping manifest: %w", err)
	}
	want.SetLabels(map[string]string{labelVersion: versionOf(manifest)})
	have := &unstructured.Unstructured{}
	have.SetGroupVersionKind(want.GroupVersionKind())
	err := c.Get(ctx, client.ObjectKeyFromObject(want), have)
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("get %s %q: %w", want.GetKind(), want.GetName(), err)
	}
	if err == nil && have.GetLabels()[labelVersion] == want.GetLabels()[labelVersion] {
		return nil
	}
	config := client.ApplyConfigurationFromUnstructured(want)
	if err := c.Apply(ctx, config, client.FieldOwner(v1alpha1.FieldManager), client.ForceOwnership); err != nil {
		return fmt.Errorf("apply %s %q: %w", want.GetKind(), want.GetName(), err)
	}
	return nil
}

func versionOf(manifest []byte) string {
	sum := sha256.Sum256(manifest)
	return hex.EncodeToString(sum[:8])
}

// Verify says what the stamping left out of a leader pod, nil if nothing.
func Verify(pod *corev1.Pod) error {
	for _, label := range []string{lwsv1.LabelName, lwsv1.LabelWorkerIndex, lwsv1.LabelGroupIndex, lwsv1.LabelGroupKey} {
		if _, ok := pod.Labels[label]; !ok {
			return fmt.Errorf("label %s is missing", label)
		}
	}
	return nil
}

// unproven says why err is no proof against the policy, but against the member.
func unproven(err error) bool {
	return apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err) || apierrors.IsInvalid(err)
}
