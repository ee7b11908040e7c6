package revision

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
)

// Content is what a revision holds: the part of a set's spec that makes pods, with defaults applied.
type Content struct {
	// Template is spec.leaderWorkerTemplate.
	Template lwsv1.LeaderWorkerTemplate
	// Network is spec.networkConfig; never nil.
	Network *lwsv1.NetworkConfig
}

// Of returns the content of a spec. It shares nothing with spec.
func Of(spec *lwsv1.LeaderWorkerSetSpec) Content {
	return normalise(*spec.LeaderWorkerTemplate.DeepCopy(), spec.NetworkConfig.DeepCopy())
}

// Equal reports whether both contents make the same pods.
func (c Content) Equal(other Content) bool {
	return apiequality.Semantic.DeepEqual(c, other)
}

// Size is the number of pods of a group, the leader included; at least 1.
func (c Content) Size() int32 { return max(1, *c.Template.Size) }

// Subdomain is how the pods of a group find each other.
func (c Content) Subdomain() lwsv1.SubdomainPolicy { return *c.Network.SubdomainPolicy }

// LeaderTemplate is the pod template of leaders: the worker template where the set gives no other.
func (c Content) LeaderTemplate() *corev1.PodTemplateSpec {
	if c.Template.LeaderTemplate != nil {
		return c.Template.LeaderTemplate
	}
	return &c.Template.WorkerTemplate
}

// keyLength keeps room in labels and names: <set>-<key> must be a name.
const keyLength = 10

// alphabet has no vowels and no characters that look alike, as Kubernetes' own generated names.
const alphabet = "bcdfghjklmnpqrstvwxz2456789"

// Key is the revision key of the content: 10 characters of [a-z0-9] from the SHA-256 of its canonical form,
// which is its JSON with sorted keys, defaults applied and nulls and empty values left out. So a field that
// a later version of the types knows and nobody sets does not change a key.
func (c Content) Key() string { return c.SaltedKey(0) }

// SaltedKey is the n-th key of the content, for when the ones before it mean something else. SaltedKey(0)
// is Key.
func (c Content) SaltedKey(n int) string {
	canonical, err := json.Marshal(withoutEmpty(c.wire()))
	if err != nil {
		// Maps of plain values always marshal.
		panic(fmt.Sprintf("marshal canonical content: %v", err))
	}
	if n > 0 {
		canonical = append(canonical, strconv.Itoa(n)...)
	}
	sum := sha256.Sum256(canonical)
	key := make([]byte, keyLength)
	for i := range key {
		key[i] = alphabet[int(sum[i])%len(alphabet)]
	}
	return string(key)
}

// wire is the content as plain JSON values, by the names of the API.
func (c Content) wire() map[string]any {
	data, err := json.Marshal(struct {
		Template lwsv1.LeaderWorkerTemplate `json:"leaderWorkerTemplate"`
		Network  *lwsv1.NetworkConfig       `json:"networkConfig"`
	}{c.Template, c.Network})
	if err != nil {
		// API types always marshal.
		panic(fmt.Sprintf("marshal revision content: %v", err))
	}
	var wire map[string]any
	if err := json.Unmarshal(data, &wire); err != nil {
		panic(fmt.Sprintf("unmarshal revision content: %v", err))
	}
	return wire
}

// withoutEmpty drops nulls, empty maps, empty lists and empty strings from maps, from the leaves up. Items
// of a list stay, for their position has a meaning.
func withoutEmpty(value any) any {
	switch v := value.(type) {
	case map[string]any:
		kept := make(map[string]any, len(v))
		for key, item := range v {
			if item = withoutEmpty(item); !isEmpty(item) {
				kept[key] = item
			}
		}
		return kept
	case []any:
		kept := make([]any, len(v))
		for i, item := range v {
			kept[i] = withoutEmpty(item)
		}
		return kept
	default:
		return v
	}
}

func isEmpty(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	default:
		return false
	}
}

// normalise applies the defaults of the API, so that content stored before a default was added equals
// content that passed the API server since. It changes template.
func normalise(template lwsv1.LeaderWorkerTemplate, network *lwsv1.NetworkConfig) Content {
	lwsv1.DefaultTemplate(&template)
	for _, pod := range []*corev1.PodTemplateSpec{template.LeaderTemplate, &template.WorkerTemplate} {
		if pod != nil {
			normalisePod(pod)
		}
	}
	return Content{Template: template, Network: lwsv1.DefaultNetworkConfig(network)}
}

// normalisePod applies the one default that the CRD has inside pod templates, where the key of a list needs
// it, and drops the creation time that some versions of client-go write as null and others as a zero time.
func normalisePod(pod *corev1.PodTemplateSpec) {
	pod.CreationTimestamp.Reset()
	for _, containers := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range containers {
			for j := range containers[i].Ports {
				if containers[i].Ports[j].Protocol == "" {
					containers[i].Ports[j].Protocol = corev1.ProtocolTCP
				}
			}
		}
	}
}
