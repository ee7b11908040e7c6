package v1alpha1

// Condition types of a MemberCluster. Ready is True when the other three are.
const (
	// ConditionReady is True when sets can be placed in the member.
	// Reasons: Ready (True), or the reason of the first other condition that is False, or else Unknown.
	ConditionReady = "Ready"
	// ConditionReachable is True while the member answers.
	// Reasons: Reachable (True); Unreachable, Unauthorized, InvalidCredentials (False); Connecting (Unknown).
	ConditionReachable = "Reachable"
	// ConditionBootstrapped is True when CRDs and the pod stamping policy are installed and proven.
	// Reasons: Bootstrapped (True); BootstrapFailed, Forbidden (False); Pending (Unknown).
	ConditionBootstrapped = "Bootstrapped"
	// ConditionCompatible is True when the member can run sets.
	// Reasons: Compatible (True); VersionTooOld, PolicyAPIMissing (False); Pending (Unknown).
	ConditionCompatible = "Compatible"
)

// Condition types of a Placement, and of a LeaderWorkerSet on the hub where the name is the same.
const (
	// ConditionScheduled is True when clusters were chosen.
	// Reasons: Scheduled (True); NoPolicy, NoCluster, InsufficientRoom, UnsupportedField (False).
	ConditionScheduled = "Scheduled"
	// ConditionApplied is True when every chosen cluster has the set as decided.
	// Reasons: Applied (True); Pending, Conflict, InvalidOverride, Rejected, Unreachable, Leaving (False).
	ConditionApplied = "Applied"
)

// Reasons of conditions.
const (
	ReasonReady              = "Ready"
	ReasonReachable          = "Reachable"
	ReasonUnreachable        = "Unreachable"
	ReasonUnauthorized       = "Unauthorized"
	ReasonInvalidCredentials = "InvalidCredentials"
	ReasonConnecting         = "Connecting"
	ReasonBootstrapped       = "Bootstrapped"
	ReasonBootstrapFailed    = "BootstrapFailed"
	ReasonForbidden          = "Forbidden"
	ReasonPending            = "Pending"
	ReasonCompatible         = "Compatible"
	ReasonVersionTooOld      = "VersionTooOld"
	ReasonPolicyAPIMissing   = "PolicyAPIMissing"
	ReasonScheduled          = "Scheduled"
	ReasonNoPolicy           = "NoPolicy"
	ReasonNoCluster          = "NoCluster"
	ReasonInsufficientRoom   = "InsufficientRoom"
	ReasonUnsupportedField   = "UnsupportedField"
	ReasonApplied            = "Applied"
	ReasonConflict           = "Conflict"
	ReasonInvalidOverride    = "InvalidOverride"
	ReasonRejected           = "Rejected"
	ReasonLeaving            = "Leaving"
)
