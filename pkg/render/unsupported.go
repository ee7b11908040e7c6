package render

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
)

// tpu is the resource whose pods need variables that are not stamped yet.
const tpu corev1.ResourceName = "google.com/tpu"

const notYet = "lwsfed does not support it yet; remove it, or run the set in one cluster with another controller"

// Unsupported lists what a set asks for and this version cannot do. A set with any of it is refused whole:
// groups without what their owner asked for would be worse than none.
func Unsupported(spec *lwsv1.LeaderWorkerSetSpec, annotations map[string]string) field.ErrorList {
	var all field.ErrorList
	template := field.NewPath("spec", "leaderWorkerTemplate")
	if spec.LeaderWorkerTemplate.SubGroupPolicy != nil {
		all = append(all, field.Forbidden(template.Child("subGroupPolicy"), notYet))
	}
	if len(spec.LeaderWorkerTemplate.VolumeClaimTemplates) > 0 {
		all = append(all, field.Forbidden(template.Child("volumeClaimTemplates"), notYet))
	}
	if spec.LeaderWorkerTemplate.PersistentVolumeClaimRetentionPolicy != nil {
		all = append(all, field.Forbidden(template.Child("persistentVolumeClaimRetentionPolicy"), notYet))
	}
	for _, key := range []string{lwsv1.AnnotationExclusiveTopology, lwsv1.AnnotationSubGroupExclusiveTopology} {
		if annotations[key] != "" {
			all = append(all, field.Forbidden(field.NewPath("metadata", "annotations").Key(key), notYet))
		}
	}
	if leader := spec.LeaderWorkerTemplate.LeaderTemplate; leader != nil {
		all = append(all, unsupportedPod(template.Child("leaderTemplate"), leader)...)
	}
	return append(all, unsupportedPod(template.Child("workerTemplate"), &spec.LeaderWorkerTemplate.WorkerTemplate)...)
}

func unsupportedPod(path *field.Path, pod *corev1.PodTemplateSpec) field.ErrorList {
	var all field.ErrorList
	if _, marked := pod.Annotations[lwsv1.AnnotationLeaderName]; marked {
		all = append(all, field.Forbidden(path.Child("metadata", "annotations").Key(lwsv1.AnnotationLeaderName),
			"it is set on workers by lwsfed alone; remove it from the template"))
	}
	all = append(all, unsupportedContainers(path.Child("spec", "initContainers"), pod.Spec.InitContainers)...)
	return append(all, unsupportedContainers(path.Child("spec", "containers"), pod.Spec.Containers)...)
}

func unsupportedContainers(path *field.Path, containers []corev1.Container) field.ErrorList {
	var all field.ErrorList
	for i, container := range containers {
		if asksForTPU(container.Resources) {
			all = append(all, field.Forbidden(path.Index(i).Child("resources").Key(string(tpu)), notYet))
		}
	}
	return all
}

func asksForTPU(r corev1.ResourceRequirements) bool {
	_, limit := r.Limits[tpu]
	_, request := r.Requests[tpu]
	return limit || request
}
