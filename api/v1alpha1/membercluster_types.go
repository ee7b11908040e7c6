package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,shortName={mc}
// +kubebuilder:printcolumn:name="Ready",type="string",JSONPath=".status.conditions[?(@.type=='Ready')].status"
// +kubebuilder:printcolumn:name="Reason",type="string",JSONPath=".status.conditions[?(@.type=='Ready')].reason"
// +kubebuilder:printcolumn:name="Version",type="string",JSONPath=".status.kubernetesVersion"
// +kubebuilder:printcolumn:name="Last-contact",type="date",JSONPath=".status.lastContactTime"
// +kubebuilder:printcolumn:name="Age",type="date",JSONPath=".metadata.creationTimestamp"
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 63",message="metadata.name must have at most 63 characters, so that it can be a label value"

// MemberCluster is a cluster that runs groups. Its labels (region, zone, provider, accelerator) are what
// policies select.
type MemberCluster struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is the standard object metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is how the member is reached and what may run there.
	// +required
	Spec MemberClusterSpec `json:"spec"`
	// status is what the hub sees of the member.
	// +optional
	Status MemberClusterStatus `json:"status,omitempty"`
}

// +kubebuilder:object:root=true

// MemberClusterList is a list of MemberClusters.
type MemberClusterList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []MemberCluster `json:"items"`
}

// MemberClusterSpec is how a member is reached and what may run there.
// +kubebuilder:validation:XValidation:rule="has(self.kubeconfigSecretRef) != has(self.clusterProfileRef)",message="exactly one of spec.kubeconfigSecretRef and spec.clusterProfileRef must be set"
type MemberClusterSpec struct {
	// kubeconfigSecretRef names a Secret in the hub's namespace lwsfed-system whose key "kubeconfig" holds a
	// kubeconfig of the member.
	// +optional
	KubeconfigSecretRef *SecretReference `json:"kubeconfigSecretRef,omitempty"`

	// clusterProfileRef names a ClusterProfile (multicluster.x-k8s.io) of the hub that says how to reach the member.
	// +optional
	ClusterProfileRef *ClusterProfileReference `json:"clusterProfileRef,omitempty"`

	// taints keep sets away whose policy does not tolerate them.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:XValidation:rule="self.all(t, t.key != '')",message="spec.taints key must not be empty"
	// +kubebuilder:validation:XValidation:rule="self.all(t, t.effect in ['NoSchedule', 'PreferNoSchedule', 'NoExecute'])",message="spec.taints effect must be NoSchedule, PreferNoSchedule or NoExecute"
	Taints []corev1.Taint `json:"taints,omitempty"`

	// client bounds the requests that the hub makes to the member.
	// +optional
	// +kubebuilder:default={qps: 1000, burst: 2000}
	Client ClientLimits `json:"client,omitempty"`

	// workloads says which sets lwsfed runs in the member: Federated (the default), those that the hub
	// placed there, or All, also those created in the member directly.
	// +optional
	// +kubebuilder:default=Federated
	Workloads Workloads `json:"workloads,omitempty"`
}

// SecretReference names a Secret of the hub in namespace lwsfed-system.
type SecretReference struct {
	// name of the Secret.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
}

// ClusterProfileReference names a ClusterProfile on the hub.
type ClusterProfileReference struct {
	// namespace of the ClusterProfile.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace"`
	// name of the ClusterProfile.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
}

// ClientLimits bounds the requests that the hub makes to one member.
// +kubebuilder:validation:XValidation:rule="self.burst >= self.qps",message="client.burst must be at least client.qps"
type ClientLimits struct {
	// qps is the sustained number of requests a second. Defaults to 1000, which leaves it to the member's API
	// server to share its capacity: lwsfed has few requests under way at a time.
	// +optional
	// +kubebuilder:default=1000
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000
	QPS int32 `json:"qps,omitempty"`
	// burst is the number of requests above qps at once. Defaults to 2000.
	// +optional
	// +kubebuilder:default=2000
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=20000
	Burst int32 `json:"burst,omitempty"`
}

// Workloads says which sets lwsfed runs in a member.
// +kubebuilder:validation:Enum=Federated;All
type Workloads string

const (
	// WorkloadsFederated runs the sets that the hub placed in the member.
	WorkloadsFederated Workloads = "Federated"
	// WorkloadsAll also runs the sets that were created in the member directly.
	WorkloadsAll Workloads = "All"
)

// MemberClusterStatus is what the hub sees of a member.
type MemberClusterStatus struct {
	// conditions are Ready, Reachable, Bootstrapped and Compatible.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// observedGeneration is the metadata.generation that this status speaks of.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// kubernetesVersion is the member's API server version, such as v1.36.3.
	// +optional
	KubernetesVersion string `json:"kubernetesVersion,omitempty"`

	// clusterUID is the UID of the member's kube-system namespace: another UID is another cluster.
	// +optional
	ClusterUID string `json:"clusterUID,omitempty"`

	// lastContactTime is when the member last answered. It is refreshed when reachability changes and at
	// most once a minute otherwise.
	// +optional
	LastContactTime *metav1.Time `json:"lastContactTime,omitempty"`

	// capacity is the sum of the member's nodes.
	// +optional
	Capacity *Capacity `json:"capacity,omitempty"`
}

// Capacity is the sum of a member's nodes.
type Capacity struct {
	// nodes is the number of nodes.
	// +optional
	Nodes int32 `json:"nodes,omitempty"`
	// accelerators is the allocatable amount of each extended resource, by name.
	// +optional
	Accelerators map[corev1.ResourceName]resource.Quantity `json:"accelerators,omitempty"`
}
