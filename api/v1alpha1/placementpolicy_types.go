package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName={pp}
// +kubebuilder:printcolumn:name="Type",type="string",JSONPath=".spec.replicas.type"
// +kubebuilder:printcolumn:name="Sets",type="integer",JSONPath=".status.sets"
// +kubebuilder:printcolumn:name="Age",type="date",JSONPath=".metadata.creationTimestamp"

// PlacementPolicy says which clusters run the LeaderWorkerSets of its namespace that it selects, and how
// their groups are divided. Where several policies match a set, one that names the set beats a selector,
// then the higher priority wins, then the older policy, then the name.
type PlacementPolicy struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is the standard object metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the policy.
	// +required
	Spec PlacementPolicySpec `json:"spec"`
	// status is what became of the policy.
	// +optional
	Status PlacementPolicyStatus `json:"status,omitempty"`
}

// +kubebuilder:object:root=true

// PlacementPolicyList is a list of PlacementPolicies.
type PlacementPolicyList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []PlacementPolicy `json:"items"`
}

// PlacementPolicySpec is a policy.
// +kubebuilder:validation:XValidation:rule="has(self.names) != has(self.selector)",message="exactly one of spec.names and spec.selector must be set"
type PlacementPolicySpec struct {
	// names are the LeaderWorkerSets that the policy is for.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=63
	Names []string `json:"names,omitempty"`

	// selector selects LeaderWorkerSets by their labels. An empty selector selects all of the namespace.
	// +optional
	// +kubebuilder:validation:XValidation:rule="!has(self.matchExpressions) || self.matchExpressions.all(e, (e.operator in ['In', 'NotIn']) ? has(e.values) && e.values.size() > 0 : (e.operator in ['Exists', 'DoesNotExist']) && (!has(e.values) || e.values.size() == 0))",message="spec.selector.matchExpressions operator must be In or NotIn with values, or Exists or DoesNotExist without"
	Selector *metav1.LabelSelector `json:"selector,omitempty"`

	// priority decides between policies that match the same set in the same way; the highest wins. Defaults to 0.
	// +optional
	// +kubebuilder:default=0
	Priority int32 `json:"priority,omitempty"`

	// clusters are the clusters that the sets may run in. Empty means every member without taints.
	// +optional
	Clusters ClusterSelection `json:"clusters,omitempty"`

	// replicas says how the groups of a set are given to clusters. Defaults to Duplicated.
	// +optional
	// +kubebuilder:default={type: Duplicated}
	Replicas ReplicaScheduling `json:"replicas,omitempty"`

	// overrides change the LeaderWorkerSet for some clusters. They apply in order.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Overrides []Override `json:"overrides,omitempty"`

	// conflictResolution says what happens where a member already has a LeaderWorkerSet of that name that is
	// not the hub's: Abort (the default) leaves it alone, Adopt takes it over with no pod restart.
	// +optional
	// +kubebuilder:default=Abort
	ConflictResolution ConflictResolution `json:"conflictResolution,omitempty"`

	// deletionPolicy says what happens in a member when the set leaves it: Delete (the default) deletes the
	// set and its groups there, Orphan leaves them running.
	// +optional
	// +kubebuilder:default=Delete
	DeletionPolicy DeletionPolicy `json:"deletionPolicy,omitempty"`
}

// ClusterSelection selects clusters. Names and selector both given: a cluster must match both.
type ClusterSelection struct {
	// names are MemberClusters. Absent means any.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=1024
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=63
	Names []string `json:"names,omitempty"`

	// selector selects MemberClusters by their labels. Absent means any.
	// +optional
	// +kubebuilder:validation:XValidation:rule="!has(self.matchExpressions) || self.matchExpressions.all(e, (e.operator in ['In', 'NotIn']) ? has(e.values) && e.values.size() > 0 : (e.operator in ['Exists', 'DoesNotExist']) && (!has(e.values) || e.values.size() == 0))",message="spec.clusters.selector.matchExpressions operator must be In or NotIn with values, or Exists or DoesNotExist without"
	Selector *metav1.LabelSelector `json:"selector,omitempty"`

	// tolerations allow clusters with matching taints.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:XValidation:rule="self.all(t, !has(t.operator) || t.operator in ['', 'Equal', 'Exists'])",message="spec.clusters.tolerations operator must be Equal or Exists"
	// +kubebuilder:validation:XValidation:rule="self.all(t, has(t.key) && t.key != '' || has(t.operator) && t.operator == 'Exists')",message="spec.clusters.tolerations operator must be Exists when key is empty"
	// +kubebuilder:validation:XValidation:rule="self.all(t, !has(t.operator) || t.operator != 'Exists' || !has(t.value) || t.value == '')",message="spec.clusters.tolerations value must be empty when operator is Exists"
	// +kubebuilder:validation:XValidation:rule="self.all(t, !has(t.effect) || t.effect in ['', 'NoSchedule', 'PreferNoSchedule', 'NoExecute'])",message="spec.clusters.tolerations effect must be NoSchedule, PreferNoSchedule or NoExecute, or empty for all"
	Tolerations []corev1.Toleration `json:"tolerations,omitempty"`
}

// ReplicaScheduling says how the groups of a set are given to clusters.
// +kubebuilder:validation:XValidation:rule="self.type == 'Divided' || !has(self.preferences) || self.preferences.size() == 0",message="replicas.preferences can be set only when replicas.type is Divided"
type ReplicaScheduling struct {
	// type is Duplicated (the default), every cluster runs spec.replicas groups, or Divided, the clusters
	// share them.
	// +optional
	// +kubebuilder:default=Duplicated
	Type ReplicaSchedulingType `json:"type,omitempty"`

	// strategy is how Divided groups are shared: Weighted (the default), in proportion to the weights.
	// +optional
	// +kubebuilder:default=Weighted
	Strategy DivisionStrategy `json:"strategy,omitempty"`

	// preferences weigh and bound clusters. A selected cluster without one has weight 1 and no bounds.
	// +optional
	// +listType=map
	// +listMapKey=cluster
	// +kubebuilder:validation:MaxItems=1024
	Preferences []ClusterPreference `json:"preferences,omitempty"`
}

// ClusterPreference weighs and bounds one cluster's share of groups.
// +kubebuilder:validation:XValidation:rule="!has(self.max) || !has(self.min) || self.min <= self.max",message="preferences min must not be greater than max"
type ClusterPreference struct {
	// cluster is the name of a MemberCluster.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Cluster string `json:"cluster"`
	// weight is the cluster's part of the whole. Defaults to 1; 0 gives it min groups only.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000000
	Weight *int32 `json:"weight,omitempty"`
	// min is how many groups the cluster gets first, as far as there are any. Defaults to 0.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Min *int32 `json:"min,omitempty"`
	// max is how many groups the cluster gets at most. Absent means no bound.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Max *int32 `json:"max,omitempty"`
}

// Override changes the LeaderWorkerSet for some clusters.
type Override struct {
	// clusters are the clusters that get the change. Empty means all.
	// +optional
	Clusters OverrideClusters `json:"clusters,omitempty"`
	// patches are JSON patch operations (RFC 6902) on the LeaderWorkerSet. Only paths below /spec, /metadata/labels
	// and /metadata/annotations may be changed, and not /spec/replicas.
	// +required
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	Patches []JSONPatch `json:"patches"`
}

// OverrideClusters selects the clusters of an override.
type OverrideClusters struct {
	// names are MemberClusters. Absent means any.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=1024
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=63
	Names []string `json:"names,omitempty"`
	// selector selects MemberClusters by their labels. Absent means any.
	// +optional
	Selector *metav1.LabelSelector `json:"selector,omitempty"`
}

// JSONPatch is one operation of a JSON patch (RFC 6902).
// +kubebuilder:validation:XValidation:rule="!(self.op in ['move', 'copy']) || has(self.from)",message="patches from must be set when op is move or copy"
// +kubebuilder:validation:XValidation:rule="self.path.startsWith('/spec/') || self.path == '/metadata/labels' || self.path.startsWith('/metadata/labels/') || self.path == '/metadata/annotations' || self.path.startsWith('/metadata/annotations/')",message="patches path must be below /spec, /metadata/labels or /metadata/annotations"
// +kubebuilder:validation:XValidation:rule="self.path != '/spec/replicas'",message="patches path must not be /spec/replicas; set replicas.preferences instead"
// +kubebuilder:validation:XValidation:rule="self.op != 'move' || !has(self.from) || (self.from.startsWith('/spec/') || self.from == '/metadata/labels' || self.from.startsWith('/metadata/labels/') || self.from == '/metadata/annotations' || self.from.startsWith('/metadata/annotations/')) && self.from != '/spec/replicas'",message="patches from of op move must be below /spec, /metadata/labels or /metadata/annotations and not /spec/replicas; use copy to leave it in place"
type JSONPatch struct {
	// op is the operation.
	// +required
	// +kubebuilder:validation:Enum=add;remove;replace;move;copy;test
	Op string `json:"op"`
	// path is the JSON pointer (RFC 6901) of the target.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	Path string `json:"path"`
	// from is the JSON pointer of the source of move and copy.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	From string `json:"from,omitempty"`
	// value is the value of add, replace and test.
	// +optional
	Value *apiextensionsv1.JSON `json:"value,omitempty"`
}

// ReplicaSchedulingType is how the groups of a set are given to clusters.
// +kubebuilder:validation:Enum=Duplicated;Divided
type ReplicaSchedulingType string

const (
	// Duplicated gives every cluster spec.replicas groups.
	Duplicated ReplicaSchedulingType = "Duplicated"
	// Divided shares spec.replicas groups among the clusters.
	Divided ReplicaSchedulingType = "Divided"
)

// DivisionStrategy is how groups are divided.
// +kubebuilder:validation:Enum=Weighted
type DivisionStrategy string

// Weighted divides groups in proportion to the weights.
const Weighted DivisionStrategy = "Weighted"

// ConflictResolution says what happens where a member has a set of that name that is not the hub's.
// +kubebuilder:validation:Enum=Abort;Adopt
type ConflictResolution string

const (
	// ConflictAbort leaves the member's set alone and reports it.
	ConflictAbort ConflictResolution = "Abort"
	// ConflictAdopt takes the member's set over with no pod restart.
	ConflictAdopt ConflictResolution = "Adopt"
)

// DeletionPolicy says what happens in a member when a set leaves it.
// +kubebuilder:validation:Enum=Delete;Orphan
type DeletionPolicy string

const (
	// DeletionDelete deletes the member's set and its groups.
	DeletionDelete DeletionPolicy = "Delete"
	// DeletionOrphan leaves the member's set and its groups running.
	DeletionOrphan DeletionPolicy = "Orphan"
)

// PlacementPolicyStatus is what became of a policy.
type PlacementPolicyStatus struct {
	// conditions are Accepted.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// observedGeneration is the metadata.generation that this status speaks of.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// sets is the number of LeaderWorkerSets that the policy places.
	// +optional
	Sets int32 `json:"sets,omitempty"`
}
