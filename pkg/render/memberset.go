package render

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/api/v1alpha1"
)

// MemberInput is what a member's copy of a set depends on besides the set.
type MemberInput struct {
	// HubID is the id of the hub, the value of label lwsfed.io/managed-by.
	HubID string
	// FleetRevision is the key of the hub's revision, before overrides.
	FleetRevision string
	// Decision is the member's part of the Placement.
	Decision v1alpha1.ClusterDecision
	// Rollout is the member's part of the rollout configuration.
	Rollout lwsv1.RollingUpdateConfiguration
}

// InvalidOverride says which operation of a cluster's overrides cannot be applied to the set, and why.
type InvalidOverride struct {
	// Index is the place of the operation among all of the cluster's.
	Index int
	// Op and Path are the operation's; Op is empty where all operations together give no set.
	Op, Path string
	// Err is the cause.
	Err error
}

// Error says what a person can mend.
func (e *InvalidOverride) Error() string {
	if e.Op == "" {
		return fmt.Sprintf("overrides give no valid set: %v", e.Err)
	}
	return fmt.Sprintf("override operation %d, %s %s: %v", e.Index, e.Op, e.Path, e.Err)
}

// Unwrap returns the cause.
func (e *InvalidOverride) Unwrap() error { return e.Err }

// MemberSet builds the set that server-side apply gives to a member. Everything that the hub's set says
// goes along, also fields that these types do not know, except its status and what other tools find it by.
// Overrides come last but for what identifies the set and counts its groups. An override that cannot be
// applied is an *InvalidOverride. hub is not changed.
func MemberSet(hub *unstructured.Unstructured, in MemberInput) (*unstructured.Unstructured, error) {
	out := copyOf(hub)
	if err := setRollout(out, in.Rollout); err != nil {
		return nil, fmt.Errorf("set %s/%s: %w", hub.GetNamespace(), hub.GetName(), err)
	}
	if err := identify(out, hub, in); err != nil {
		return nil, fmt.Errorf("set %s/%s: %w", hub.GetNamespace(), hub.GetName(), err)
	}
	if len(in.Decision.Patches) == 0 {
		return out, nil
	}
	out, err := patched(out, in.Decision.Patches)
	if err != nil {
		return nil, err
	}
	if err := identify(out, hub, in); err != nil {
		return nil, &InvalidOverride{Err: err}
	}
	return out, nil
}

// copyOf returns what of the hub's set is the user's.
func copyOf(hub *unstructured.Unstructured) *unstructured.Unstructured {
	out := &unstructured.Unstructured{Object: map[string]any{}}
	if spec, ok := hub.DeepCopy().Object["spec"]; ok {
		out.Object["spec"] = spec
	}
	out.SetLabels(withoutTracking(hub.GetLabels()))
	out.SetAnnotations(withoutTracking(hub.GetAnnotations()))
	return out
}

func setRollout(out *unstructured.Unstructured, c lwsv1.RollingUpdateConfiguration) error {
	values := map[string]any{
		"maxUnavailable": c.MaxUnavailable.IntVal,
		"maxSurge":       c.MaxSurge.IntVal,
		"partition":      int32(0),
	}
	if c.Partition != nil {
		values["partition"] = *c.Partition
	}
	for key, value := range values {
		path := []string{"spec", "rolloutStrategy", "rollingUpdateConfiguration", key}
		if err := unstructured.SetNestedField(out.Object, int64(value.(int32)), path...); err != nil {
			return err
		}
	}
	return nil
}

// identify sets what says whose set it is and how many groups it has. It fails where labels, annotations or
// spec are not of the form that every object has.
func identify(out, hub *unstructured.Unstructured, in MemberInput) error {
	labels, _, err := unstructured.NestedStringMap(out.Object, "metadata", "labels")
	if err != nil {
		return err
	}
	annotations, _, err := unstructured.NestedStringMap(out.Object, "metadata", "annotations")
	if err != nil {
		return err
	}
	labels, annotations = withoutOwn(labels), withoutOwn(annotations)
	labels[v1alpha1.LabelManagedBy] = in.HubID
	annotations[v1alpha1.AnnotationOriginUID] = string(hub.GetUID())
	annotations[v1alpha1.AnnotationFleetRevision] = in.FleetRevision

	delete(out.Object, "status")
	out.Object["metadata"] = map[string]any{}
	out.SetGroupVersionKind(lwsv1.GroupVersion.WithKind("LeaderWorkerSet"))
	out.SetNamespace(hub.GetNamespace())
	out.SetName(hub.GetName())
	out.SetLabels(labels)
	out.SetAnnotations(annotations)
	return unstructured.SetNestedField(out.Object, int64(in.Decision.Replicas), "spec", "replicas")
}

func withoutOwn(all map[string]string) map[string]string {
	kept := map[string]string{}
	for key, value := range all {
		if !strings.HasPrefix(key, ownPrefix) {
			kept[key] = value
		}
	}
	return kept
}

// maxSetBytes is what etcd takes of one object by default. A copy can double a set, so the bound is checked after
// every operation.
const maxSetBytes = 3 << 19

// patched applies the operations one by one, so that the one that fails is known.
func patched(set *unstructured.Unstructured, patches []v1alpha1.JSONPatch) (*unstructured.Unstructured, error) {
	doc, err := set.MarshalJSON()
	if err != nil {
		return nil, err
	}
	for i, p := range patches {
		if doc, err = applyPatch(doc, p); err != nil {
			return nil, &InvalidOverride{Index: i, Op: p.Op, Path: p.Path, Err: err}
		}
	}
	out := &unstructured.Unstructured{}
	if err := out.UnmarshalJSON(doc); err != nil {
		return nil, &InvalidOverride{Err: err}
	}
	return out, nil
}

// patchOperation is a JSONPatch as RFC 6902 spells it: no value is not the value null.
type patchOperation struct {
	Op    string          `json:"op"`
	Path  string          `json:"path"`
	From  *string         `json:"from,omitempty"`
	Value json.RawMessage `json:"value,omitempty"`
}

func applyPatch(doc []byte, p v1alpha1.JSONPatch) ([]byte, error) {
	if err := mayChange(p); err != nil {
		return nil, err
	}
	operation := patchOperation{Op: p.Op, Path: p.Path}
	if p.From != "" {
		operation.From = &p.From
	}
	switch {
	case p.Value != nil:
		operation.Value = p.Value.Raw
	case p.Op == "add" || p.Op == "replace" || p.Op == "test":
		return nil, errors.New("value is missing")
	}
	raw, err := json.Marshal([]patchOperation{operation})
	if err != nil {
		return nil, err
	}
	decoded, err := jsonpatch.DecodePatch(raw)
	if err != nil {
		return nil, err
	}
	doc, err = decoded.Apply(doc)
	if err == nil && len(doc) > maxSetBytes {
		err = fmt.Errorf("the set grows beyond %d bytes, more than an API server stores", maxSetBytes)
	}
	return doc, err
}

// mayChange refuses paths that are not the override's to change.
func mayChange(p v1alpha1.JSONPatch) error {
	if p.Op == "test" {
		return nil
	}
	changed := []string{p.Path}
	if p.Op == "move" {
		changed = append(changed, p.From)
	}
	for _, path := range changed {
		if below(path, "/spec/replicas") || !allowed(path) {
			return fmt.Errorf("%s cannot be overridden", path)
		}
	}
	return nil
}

func allowed(path string) bool {
	return strings.HasPrefix(path, "/spec/") || below(path, "/metadata/labels") || below(path, "/metadata/annotations")
}

func below(path, root string) bool { return path == root || strings.HasPrefix(path, root+"/") }
