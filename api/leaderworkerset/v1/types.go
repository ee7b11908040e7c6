package v1

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.status.hpaPodSelector
// +kubebuilder:resource:shortName={lws}
// +kubebuilder:printcolumn:name="Ready",type="integer",JSONPath=".status.readyReplicas",description="Number of ready replicas"
// +kubebuilder:printcolumn:name="Desired",type="integer",JSONPath=".spec.replicas",description="Number of desired replicas"
// +kubebuilder:printcolumn:name="Up-to-date",type="integer",JSONPath=".status.updatedReplicas",description="Number of up-to-date replicas"
// +kubebuilder:printcolumn:name="Age",type="date",JSONPath=".metadata.creationTimestamp"
// +kubebuilder:validation:XValidation:rule="oldSelf.hasValue() || self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",message="metadata.name must be a DNS-1035 label: lower case letters, digits and '-', starting with a letter and not ending with '-'",optionalOldSelf=true
// +kubebuilder:validation:XValidation:rule="self.metadata.name.size() + (self.spec.leaderWorkerTemplate.size == 1 ? 0 : 1 + string([self.spec.replicas - 1 + (type(self.spec.rolloutStrategy.rollingUpdateConfiguration.maxSurge) == int ? [int(self.spec.rolloutStrategy.rollingUpdateConfiguration.maxSurge), self.spec.replicas].min() : (int('0' + self.spec.rolloutStrategy.rollingUpdateConfiguration.maxSurge.find('[1-9][0-9]{0,2}')) * self.spec.replicas + 99) / 100), 0].max()).size()) <= 52 || oldSelf.optMap(o, self.spec.replicas <= o.spec.replicas && self.spec.leaderWorkerTemplate.size <= o.spec.leaderWorkerTemplate.size && self.spec.rolloutStrategy == o.spec.rolloutStrategy).orValue(false)",message="metadata.name is too long: <name>, or with a size above 1 <name>-<highest group index, maxSurge included>, must have at most 52 characters, so that names and labels of pods stay within 63; choose a shorter name",optionalOldSelf=true

// LeaderWorkerSet is a number of equal groups of pods. Each group is one leader and its workers, created,
// updated and restarted as one.
type LeaderWorkerSet struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is the standard object metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the desired state.
	// +required
	Spec LeaderWorkerSetSpec `json:"spec,omitempty"`
	// status is the observed state; on the hub, the sum over the fleet.
	// +optional
	Status LeaderWorkerSetStatus `json:"status,omitempty"`
}

// +kubebuilder:object:root=true

// LeaderWorkerSetList is a list of LeaderWorkerSets.
type LeaderWorkerSetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []LeaderWorkerSet `json:"items"`
}

// LeaderWorkerSetSpec is the desired state of a LeaderWorkerSet. Scaling is never refused for a percentage of
// maxUnavailable that comes to 0 with it: then one group at a time may be unavailable.
// +kubebuilder:validation:XValidation:rule="self.replicas * self.leaderWorkerTemplate.size <= 2147483647 || oldSelf.optMap(o, self.replicas <= o.replicas && self.leaderWorkerTemplate.size <= o.leaderWorkerTemplate.size).orValue(false)",message="spec.replicas times spec.leaderWorkerTemplate.size must not be above 2147483647; lower one of them",optionalOldSelf=true
// +kubebuilder:validation:XValidation:rule="self.replicas == 0 || (type(self.rolloutStrategy.rollingUpdateConfiguration.maxUnavailable) == int ? self.rolloutStrategy.rollingUpdateConfiguration.maxUnavailable != 0 : int('0' + self.rolloutStrategy.rollingUpdateConfiguration.maxUnavailable.find('[1-9][0-9]{0,2}')) * self.replicas >= 100) || (type(self.rolloutStrategy.rollingUpdateConfiguration.maxSurge) == int ? self.rolloutStrategy.rollingUpdateConfiguration.maxSurge != 0 : !self.rolloutStrategy.rollingUpdateConfiguration.maxSurge.matches('^0+%$')) || oldSelf.optMap(o, o.replicas > 0 && o.rolloutStrategy == self.rolloutStrategy).orValue(false)",message="spec.rolloutStrategy.rollingUpdateConfiguration: maxUnavailable (a percentage of spec.replicas is rounded down) and maxSurge must not both be 0; raise one of them",optionalOldSelf=true
// +kubebuilder:validation:XValidation:rule="has(self.networkConfig) || !has(oldSelf.networkConfig)",message="spec.networkConfig must not be removed once it is set; set spec.networkConfig.subdomainPolicy to Shared instead"
type LeaderWorkerSetSpec struct {
	// replicas is the number of groups. Defaults to 1. On the hub it counts the groups of the whole fleet
	// when a policy divides them, and of each cluster when a policy duplicates them.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000000
	Replicas *int32 `json:"replicas,omitempty"`

	// leaderWorkerTemplate is what each group is made from. A change is a rolling update.
	// +required
	LeaderWorkerTemplate LeaderWorkerTemplate `json:"leaderWorkerTemplate"`

	// rolloutStrategy says how a rolling update goes over the groups.
	// +optional
	// +kubebuilder:default={type: RollingUpdate, rollingUpdateConfiguration: {maxUnavailable: 1, maxSurge: 0, partition: 0}}
	RolloutStrategy RolloutStrategy `json:"rolloutStrategy,omitempty"`

	// startupPolicy says when the workers of a group are created: LeaderCreated (the default), as soon as
	// the leader exists, or LeaderReady, once it is ready.
	// +optional
	// +kubebuilder:default=LeaderCreated
	// +kubebuilder:validation:Enum={LeaderCreated,LeaderReady}
	StartupPolicy StartupPolicyType `json:"startupPolicy,omitempty"`

	// networkConfig says how the pods of a group find each other. Absent means a Shared subdomain.
	// A change is a rolling update.
	// +optional
	NetworkConfig *NetworkConfig `json:"networkConfig,omitempty"`
}

// LeaderWorkerTemplate is what a group is made from.
// +kubebuilder:validation:XValidation:rule="has(self.subGroupPolicy) == has(oldSelf.subGroupPolicy)",message="spec.leaderWorkerTemplate.subGroupPolicy must not be added or removed after creation; create the set anew"
// +kubebuilder:validation:XValidation:rule="!has(self.subGroupPolicy) || self.subGroupPolicy.subGroupSize <= self.size || oldSelf.optMap(o, has(o.subGroupPolicy) && self.size == o.size && self.subGroupPolicy == o.subGroupPolicy).orValue(false)",message="spec.leaderWorkerTemplate.subGroupPolicy.subGroupSize must not be above spec.leaderWorkerTemplate.size; lower it or raise size",optionalOldSelf=true
// +kubebuilder:validation:XValidation:rule="!has(self.subGroupPolicy) || self.subGroupPolicy.subGroupSize < 1 || (self.size - 1) % self.subGroupPolicy.subGroupSize == 0 || self.size % self.subGroupPolicy.subGroupSize == 0 && self.subGroupPolicy.subGroupPolicyType != 'LeaderExcluded' || oldSelf.optMap(o, has(o.subGroupPolicy) && self.size == o.size && self.subGroupPolicy == o.subGroupPolicy).orValue(false)",message="spec.leaderWorkerTemplate.size or size-1 (with subGroupPolicyType LeaderExcluded, size-1) must be divisible by subGroupPolicy.subGroupSize; change size",optionalOldSelf=true
// +kubebuilder:validation:XValidation:rule="(has(self.volumeClaimTemplates) && self.volumeClaimTemplates.size() > 0) == (has(oldSelf.volumeClaimTemplates) && oldSelf.volumeClaimTemplates.size() > 0)",message="spec.leaderWorkerTemplate.volumeClaimTemplates must not be added or removed after creation, because a StatefulSet's cannot; create the set anew"
type LeaderWorkerTemplate struct {
	// leaderTemplate is the pod template of leaders. Absent, leaders use the worker template.
	// +optional
	LeaderTemplate *corev1.PodTemplateSpec `json:"leaderTemplate,omitempty"`

	// workerTemplate is the pod template of workers.
	// +required
	WorkerTemplate corev1.PodTemplateSpec `json:"workerTemplate"`

	// size is the number of pods of a group, the leader included. Defaults to 1, a leader alone.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	Size *int32 `json:"size,omitempty"`

	// restartPolicy says what a pod failure does to its group: RecreateGroupOnPodRestart (the default),
	// RecreateGroupAfterStart, or None. Default is an old name of None.
	// +optional
	// +kubebuilder:default=RecreateGroupOnPodRestart
	// +kubebuilder:validation:Enum={Default,RecreateGroupOnPodRestart,RecreateGroupAfterStart,None}
	RestartPolicy RestartPolicyType `json:"restartPolicy,omitempty"`

	// subGroupPolicy divides each group into subgroups. It cannot be added or removed.
	// +optional
	SubGroupPolicy *SubGroupPolicy `json:"subGroupPolicy,omitempty"`

	// volumeClaimTemplates are given to the StatefulSets of leaders and of workers. They cannot be changed.
	// +optional
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:XValidation:rule="self.size() == oldSelf.size() && self.all(i, c, c.metadata == oldSelf[i].metadata && c.spec == oldSelf[i].spec)",message="spec.leaderWorkerTemplate.volumeClaimTemplates must not change after creation, because a StatefulSet's cannot; create the set anew"
	VolumeClaimTemplates []corev1.PersistentVolumeClaim `json:"volumeClaimTemplates,omitempty"`

	// persistentVolumeClaimRetentionPolicy is given to the StatefulSets of leaders and of workers.
	// +optional
	// +kubebuilder:validation:XValidation:rule="[self.?whenDeleted, self.?whenScaled].all(w, w.orValue('Retain') in ['Retain', 'Delete'])",message="persistentVolumeClaimRetentionPolicy.whenDeleted and whenScaled must be Retain or Delete"
	PersistentVolumeClaimRetentionPolicy *appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy `json:"persistentVolumeClaimRetentionPolicy,omitempty"`
}

// RolloutStrategy says how a rolling update goes over the groups.
type RolloutStrategy struct {
	// type is the kind of the strategy; only RollingUpdate, the default.
	// +optional
	// +kubebuilder:default=RollingUpdate
	// +kubebuilder:validation:Enum={RollingUpdate}
	Type RolloutStrategyType `json:"type,omitempty"`

	// rollingUpdateConfiguration bounds the update. Defaults to one unavailable group, no surge, no partition.
	// +optional
	// +kubebuilder:default={maxUnavailable: 1, maxSurge: 0, partition: 0}
	RollingUpdateConfiguration *RollingUpdateConfiguration `json:"rollingUpdateConfiguration,omitempty"`
}

// RollingUpdateConfiguration bounds a rolling update.
type RollingUpdateConfiguration struct {
	// partition is the ordinal below which groups are not updated. Defaults to 0, every group is updated.
	// +optional
	// +kubebuilder:default=0
	// +kubebuilder:validation:Minimum=0
	Partition *int32 `json:"partition,omitempty"`

	// maxUnavailable is how many groups the update may make unavailable: a number, or a percentage of
	// replicas rounded down. Defaults to 1.
	// +optional
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:default=1
	// +kubebuilder:validation:XValidation:rule="type(self) == int ? self >= 0 && self <= 2147483647 : self.matches('^0*(100|[0-9]{1,2})%$')",message="maxUnavailable must be a number from 0 to 2147483647 or a percentage of at most 100, such as 10%"
	MaxUnavailable intstr.IntOrString `json:"maxUnavailable,omitempty"`

	// maxSurge is how many groups above replicas the update may create: a number, or a percentage of
	// replicas rounded up. Defaults to 0.
	// +optional
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:default=0
	// +kubebuilder:validation:XValidation:rule="type(self) == int ? self >= 0 && self <= 2147483647 : self.matches('^0*(100|[0-9]{1,2})%$')",message="maxSurge must be a number from 0 to 2147483647 or a percentage of at most 100, such as 10%"
	MaxSurge intstr.IntOrString `json:"maxSurge,omitempty"`
}

// SubGroupPolicy divides a group into subgroups.
type SubGroupPolicy struct {
	// subGroupPolicyType is LeaderWorker (the default), the leader is in the first subgroup, or
	// LeaderExcluded, the leader is in none.
	// +optional
	// +kubebuilder:default=LeaderWorker
	// +kubebuilder:validation:Enum={LeaderWorker,LeaderExcluded}
	Type *SubGroupPolicyType `json:"subGroupPolicyType,omitempty"`

	// subGroupSize is the number of pods of a subgroup. size or size-1 must be divisible by it. It cannot be changed.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="subGroupSize must not change after creation; create the set anew"
	SubGroupSize *int32 `json:"subGroupSize,omitempty"`
}

// NetworkConfig says how the pods of a group find each other.
type NetworkConfig struct {
	// subdomainPolicy is Shared, one headless Service for the set, or UniquePerReplica, one for each group.
	// +required
	// +kubebuilder:validation:Enum={Shared,UniquePerReplica}
	SubdomainPolicy *SubdomainPolicy `json:"subdomainPolicy"`
}

// LeaderWorkerSetStatus is the observed state of a LeaderWorkerSet.
type LeaderWorkerSetStatus struct {
	// conditions are Available, Progressing and UpdateInProgress; on the hub also lwsfed's own.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// readyReplicas is the number of ready groups, updated or not.
	// +optional
	ReadyReplicas int32 `json:"readyReplicas,omitempty"`

	// updatedReplicas is the number of groups at the newest revision, ready or not.
	// +optional
	UpdatedReplicas int32 `json:"updatedReplicas,omitempty"`

	// replicas is the number of groups that exist.
	// +optional
	Replicas int32 `json:"replicas,omitempty"`

	// hpaPodSelector selects the leader pods, for a HorizontalPodAutoscaler on the scale subresource.
	// +optional
	HPAPodSelector string `json:"hpaPodSelector,omitempty"`

	// observedGeneration is the metadata.generation that this status speaks of.
	// +optional
	// +kubebuilder:validation:Minimum=0
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
}

// Condition types of a LeaderWorkerSet.
const (
	// ConditionAvailable is True when every group that should be updated is updated and ready.
	ConditionAvailable = "Available"
	// ConditionProgressing is True while groups are created, scaled or updated.
	ConditionProgressing = "Progressing"
	// ConditionUpdateInProgress is True while groups move to a new revision; not at creation or scaling.
	ConditionUpdateInProgress = "UpdateInProgress"
)

// RolloutStrategyType is the kind of a rollout strategy.
type RolloutStrategyType string

// RollingUpdate moves groups to a new revision within the bounds of RollingUpdateConfiguration.
const RollingUpdate RolloutStrategyType = "RollingUpdate"

// RestartPolicyType says what a pod failure does to its group.
type RestartPolicyType string

const (
	// RestartPolicyRecreateGroupOnPodRestart recreates the whole group when a pod of it is deleted or a
	// container of it restarts.
	RestartPolicyRecreateGroupOnPodRestart RestartPolicyType = "RecreateGroupOnPodRestart"
	// RestartPolicyRecreateGroupAfterStart does the same once every pod of the group has left Pending.
	RestartPolicyRecreateGroupAfterStart RestartPolicyType = "RecreateGroupAfterStart"
	// RestartPolicyNone leaves the rest of the group alone.
	RestartPolicyNone RestartPolicyType = "None"
	// RestartPolicyDefault is an old name of None, as it may be stored.
	RestartPolicyDefault RestartPolicyType = "Default"
)

// StartupPolicyType says when the workers of a group are created.
type StartupPolicyType string

const (
	// StartupPolicyLeaderCreated creates workers as soon as the leader pod exists.
	StartupPolicyLeaderCreated StartupPolicyType = "LeaderCreated"
	// StartupPolicyLeaderReady creates workers once the leader pod is ready.
	StartupPolicyLeaderReady StartupPolicyType = "LeaderReady"
)

// SubGroupPolicyType says whether the leader is in a subgroup.
type SubGroupPolicyType string

const (
	// SubGroupPolicyTypeLeaderWorker puts the leader in the first subgroup.
	SubGroupPolicyTypeLeaderWorker SubGroupPolicyType = "LeaderWorker"
	// SubGroupPolicyTypeLeaderExcluded puts the leader in none.
	SubGroupPolicyTypeLeaderExcluded SubGroupPolicyType = "LeaderExcluded"
)

// SubdomainPolicy says which headless Service the pods of a group use.
type SubdomainPolicy string

const (
	// SubdomainShared is one headless Service for the set.
	SubdomainShared SubdomainPolicy = "Shared"
	// SubdomainUniquePerReplica is one headless Service for each group.
	SubdomainUniquePerReplica SubdomainPolicy = "UniquePerReplica"
)
