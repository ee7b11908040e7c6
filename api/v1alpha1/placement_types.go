package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName={plc}
// +kubebuilder:printcolumn:name="Desired",type="integer",JSONPath=".status.desired"
// +kubebuilder:printcolumn:name="Ready",type="integer",JSONPath=".status.ready"
// +kubebuilder:printcolumn:name="Up-to-date",type="integer",JSONPath=".status.updated"
// +kubebuilder:printcolumn:name="Policy",type="string",JSONPath=".spec.policy"
// +kubebuilder:printcolumn:name="Revision",type="string",JSONPath=".status.revision"
// +kubebuilder:printcolumn:name="Age",type="date",JSONPath=".metadata.creationTimestamp"

// Placement is the decision where the groups of one LeaderWorkerSet run, and what is seen of them. It has
// the set's namespace and name. It outlives the set until every member is clean.
type Placement struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is the standard object metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the decision.
	// +optional
	Spec PlacementSpec `json:"spec,omitempty"`
	// status is what is seen in the clusters.
	// +optional
	Status PlacementStatus `json:"status,omitempty"`
}

// +kubebuilder:object:root=true

// PlacementList is a list of Placements.
type PlacementList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Placement `json:"items"`
}

// PlacementSpec is a decision. The scheduler owns all of it but rollout, which is the operator's.
type PlacementSpec struct {
	// setUID is the UID of the LeaderWorkerSet that the decision is for. A set that was deleted and created
	// again under the same name has another, and waits until the old one's groups are gone.
	// +optional
	SetUID string `json:"setUID,omitempty"`

	// policy is the PlacementPolicy that decided.
	// +optional
	Policy string `json:"policy,omitempty"`

	// clusters are the clusters that run the set.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=1024
	Clusters []ClusterDecision `json:"clusters,omitempty"`

	// replicas is how the decision counts: Duplicated or Divided.
	// +optional
	Replicas ReplicaSchedulingType `json:"replicas,omitempty"`

	// conflictResolution is the policy's, as it was when it last decided.
	// +optional
	ConflictResolution ConflictResolution `json:"conflictResolution,omitempty"`

	// deletionPolicy is the policy's, as it was when it last decided.
	// +optional
	DeletionPolicy DeletionPolicy `json:"deletionPolicy,omitempty"`
}

// ClusterDecision is one cluster's part of a decision.
type ClusterDecision struct {
	// name of the MemberCluster.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name"`
	// replicas is the number of groups that the cluster runs.
	// +required
	// +kubebuilder:validation:Minimum=0
	Replicas int32 `json:"replicas"`
	// reason says why, for a person to read.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Reason string `json:"reason,omitempty"`
	// patches are the policy's overrides for this cluster, in order.
	// +optional
	// +listType=atomic
	Patches []JSONPatch `json:"patches,omitempty"`
}

// PlacementStatus is what is seen in the clusters.
type PlacementStatus struct {
	// conditions are Scheduled, Applied, Available and Progressing.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// observedGeneration is the metadata.generation of the Placement that this status speaks of.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// revision is the key of the set's newest fleet revision, before overrides.
	// +optional
	Revision string `json:"revision,omitempty"`

	// desired is the number of groups that all clusters together should run.
	// +optional
	Desired int32 `json:"desired"`
	// ready is the number of ready groups in all clusters together.
	// +optional
	Ready int32 `json:"ready"`
	// updated is the number of groups at their cluster's newest revision in all clusters together.
	// +optional
	Updated int32 `json:"updated"`

	// clusters is what is seen in each cluster. A cluster stays here until it is known to be clean.
	// +optional
	// +listType=map
	// +listMapKey=name
	Clusters []ClusterStatus `json:"clusters,omitempty"`
}

// ClusterStatus is what is seen of a set in one cluster.
type ClusterStatus struct {
	// name of the MemberCluster.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name"`

	// state says how far the set is in the cluster: Pending, it is not there yet; Applied, it is as decided;
	// Conflict, another owner's set is in the way; Invalid, it cannot be made for this cluster or the cluster
	// refuses it; Leaving, it is being withdrawn. For an unreachable cluster it is what was last seen.
	// +optional
	State ClusterState `json:"state,omitempty"`

	// reason is why the cluster does not have the set as decided: one of condition Applied. Empty if it has.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Reason string `json:"reason,omitempty"`

	// message says more about the state, for a person to read.
	// +optional
	// +kubebuilder:validation:MaxLength=4096
	Message string `json:"message,omitempty"`

	// reachable is False while the cluster cannot be seen; its numbers are then those last seen.
	// +optional
	// +kubebuilder:validation:Enum="True";"False"
	Reachable metav1.ConditionStatus `json:"reachable,omitempty"`

	// lastContactTime is when an unreachable cluster was last seen. Absent while the cluster is reachable.
	// +optional
	LastContactTime *metav1.Time `json:"lastContactTime,omitempty"`

	// desired is the number of groups that the cluster should run.
	// +optional
	Desired int32 `json:"desired"`
	// replicas is the number of groups that exist.
	// +optional
	Replicas int32 `json:"replicas"`
	// ready is the number of ready groups.
	// +optional
	Ready int32 `json:"ready"`
	// updated is the number of groups at the cluster's newest revision.
	// +optional
	Updated int32 `json:"updated"`

	// revision is the key that the cluster's leader StatefulSet carries.
	// +optional
	Revision string `json:"revision,omitempty"`

	// revisions counts the groups by the revision key of their leader, while there is more than one.
	// +optional
	// +listType=map
	// +listMapKey=key
	Revisions []RevisionCount `json:"revisions,omitempty"`
}

// RevisionCount is a number of groups at one revision.
type RevisionCount struct {
	// key is the revision key.
	// +required
	Key string `json:"key"`
	// groups is the number of groups whose leader carries the key.
	// +required
	Groups int32 `json:"groups"`
}

// ClusterState says how far a set is in a cluster.
// +kubebuilder:validation:Enum=Pending;Applied;Conflict;Invalid;Leaving
type ClusterState string

const (
	// ClusterPending means that the set is not in the cluster yet.
	ClusterPending ClusterState = "Pending"
	// ClusterApplied means that the set is in the cluster as decided.
	ClusterApplied ClusterState = "Applied"
	// ClusterConflict means that a set of another owner is in the way.
	ClusterConflict ClusterState = "Conflict"
	// ClusterInvalid means that the set cannot be made for the cluster, or that the cluster refuses it.
	ClusterInvalid ClusterState = "Invalid"
	// ClusterLeaving means that the set is being withdrawn from the cluster.
	ClusterLeaving ClusterState = "Leaving"
)
