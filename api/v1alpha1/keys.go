package v1alpha1

const (
	// LabelManagedBy on a member's object is the id of the hub that runs it.
	LabelManagedBy = "lwsfed.io/managed-by"
	// AnnotationOriginUID on a member's LeaderWorkerSet is the UID of the hub's LeaderWorkerSet.
	AnnotationOriginUID = "lwsfed.io/origin-uid"
	// AnnotationFleetRevision on a member's LeaderWorkerSet is the key of the hub's revision, before overrides.
	AnnotationFleetRevision = "lwsfed.io/fleet-revision"
	// FinalizerMembers on a Placement holds it until no member has the set any more.
	FinalizerMembers = "lwsfed.io/members"
	// FinalizerMemberCluster on a MemberCluster holds it until its sets are withdrawn or left as asked.
	FinalizerMemberCluster = "lwsfed.io/member"
)

const (
	// FieldManager is the one field manager of server-side apply, on members and hub.
	FieldManager = "lwsfed"
	// SystemNamespace is the namespace of lwsfed's own objects, on hub and members alike.
	SystemNamespace = "lwsfed-system"
	// KubeconfigKey is the key of a kubeconfig in its Secret.
	KubeconfigKey = "kubeconfig"
)
