package v1

const prefix = "leaderworkerset.sigs.k8s.io/"

// Label keys on the objects of a set.
const (
	// LabelName is the name of the LeaderWorkerSet; on every object of the set.
	LabelName = prefix + "name"
	// LabelGroupIndex is the ordinal of the group; on pods and worker StatefulSets.
	LabelGroupIndex = prefix + "group-index"
	// LabelWorkerIndex is the index of a pod in its group; the leader's is "0".
	LabelWorkerIndex = prefix + "worker-index"
	// LabelGroupKey is opaque and unique to the group in its namespace; lwsfed uses the leader pod's name.
	LabelGroupKey = prefix + "group-key"
	// LabelSubGroupIndex is the index of the pod's subgroup in its group.
	LabelSubGroupIndex = prefix + "subgroup-index"
	// LabelSubGroupKey is opaque and unique to the subgroup in its namespace.
	LabelSubGroupKey = prefix + "subgroup-key"
	// LabelRevision is the revision key: on ControllerRevisions, both StatefulSets and all pods.
	LabelRevision = prefix + "template-revision-hash"
)

// Annotation keys on the objects of a set.
const (
	// AnnotationSize is the number of pods of the group; on pods.
	AnnotationSize = prefix + "size"
	// AnnotationReplicas is the set's replicas when the leader StatefulSet was last written.
	AnnotationReplicas = prefix + "replicas"
	// AnnotationLeaderName is the name of the leader pod; on workers only.
	AnnotationLeaderName = prefix + "leader-name"
	// AnnotationExclusiveTopology is the node label that at most one group may share.
	AnnotationExclusiveTopology = prefix + "exclusive-topology"
	// AnnotationSubGroupExclusiveTopology is the node label that at most one subgroup may share.
	AnnotationSubGroupExclusiveTopology = prefix + "subgroup-exclusive-topology"
	// AnnotationSubGroupSize is the number of pods of a subgroup; on pods.
	AnnotationSubGroupSize = prefix + "subgroup-size"
	// AnnotationSubGroupPolicyType is the type of the subgroup policy; on pods.
	AnnotationSubGroupPolicyType = prefix + "subgroup-policy-type"
	// AnnotationSubdomainPolicy is the subdomain policy; on pods, only when it is UniquePerReplica.
	AnnotationSubdomainPolicy = prefix + "subdomainPolicy"
	// AnnotationLeaderRequestsTPUs is "true" on workers whose leader asks for TPUs.
	AnnotationLeaderRequestsTPUs = prefix + "leader-requests-tpus"
	// AnnotationRecreateGroupAfterStart on a set asks for RestartPolicyRecreateGroupAfterStart.
	AnnotationRecreateGroupAfterStart = prefix + "experimental-recreate-group-after-start"
)

// Environment variables that every container of a group's pods carries first.
const (
	// EnvLeaderAddress is the DNS name of the leader pod.
	EnvLeaderAddress = "LWS_LEADER_ADDRESS"
	// EnvGroupSize is the number of pods of the group.
	EnvGroupSize = "LWS_GROUP_SIZE"
	// EnvWorkerIndex is the index of the pod in its group.
	EnvWorkerIndex = "LWS_WORKER_INDEX"
)
