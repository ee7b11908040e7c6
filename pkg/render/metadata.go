package render

import (
	"strings"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/api/v1alpha1"
)

// ownPrefix is of the labels and annotations by which hub and member know each other's sets.
const ownPrefix = "lwsfed.io/"

// trackingPrefixes are of the labels and annotations by which other tools find the objects that they
// applied. Copied to another object, they would make the tool delete it, or admit it as if it were the set.
var trackingPrefixes = []string{
	"kubectl.kubernetes.io/",
	"argocd.argoproj.io/",
	"kustomize.toolkit.fluxcd.io/",
	"helm.toolkit.fluxcd.io/",
	"meta.helm.sh/",
	"kueue.x-k8s.io/",
}

// isTracking reports whether another tool finds its own objects by the label or annotation.
func isTracking(key string) bool {
	for _, prefix := range trackingPrefixes {
		if strings.HasPrefix(key, prefix) {
			return true
		}
	}
	return false
}

// userLabels are the labels of a set that its StatefulSets get, with the hub that runs it.
func userLabels(set *lwsv1.LeaderWorkerSet) map[string]string {
	labels := withoutTracking(set.Labels)
	if hub, ok := set.Labels[v1alpha1.LabelManagedBy]; ok {
		labels[v1alpha1.LabelManagedBy] = hub
	}
	return labels
}

// userAnnotations are the annotations of a set that its StatefulSets get.
func userAnnotations(set *lwsv1.LeaderWorkerSet) map[string]string {
	return withoutTracking(set.Annotations)
}

func withoutTracking(all map[string]string) map[string]string {
	kept := map[string]string{}
	for key, value := range all {
		if !isTracking(key) && !strings.HasPrefix(key, ownPrefix) {
			kept[key] = value
		}
	}
	return kept
}
