package rollout

// Group is one group of a set as observed.
type Group struct {
	// Ordinal is the leader's ordinal, 0 or more.
	Ordinal int
	// Updated is true if the leader and the worker StatefulSet carry the target key. If a change alters the
	// pod template and not the key, a leader that still has the old pod template is not updated.
	Updated bool
	// Ready is true if the leader is ready and every worker is ready at its StatefulSet's revision. A group
	// that is being deleted is not ready.
	Ready bool
	// Broken is true if the group has been unready for so long that the caller expects only the update to
	// mend it. A broken old group no longer holds up the update of the others. It is optional: without it an
	// update waits while broken groups below the partition use up the budget.
	Broken bool
	// Key is the revision key of the leader, "" if the leader is absent.
	Key string
}

// Snapshot is what PlanGroups decides on: one set in one cluster at one moment.
type Snapshot struct {
	// Replicas is R, the wanted number of groups.
	Replicas int
	// MaxUnavailable and MaxSurge are u and s in groups, from Budget. Both 0 counts as u = 1.
	MaxUnavailable, MaxSurge int
	// Partition is P, the ordinal below which groups keep their template. Above R it counts as R.
	Partition int
	// Exists is true if the leader StatefulSet exists.
	Exists bool
	// StatefulSetReplicas and StatefulSetPartition are the spec's values as they are now.
	StatefulSetReplicas, StatefulSetPartition int
	// Updating is true if the target key differs from that of some group or of the StatefulSet.
	Updating bool
	// Key is the target key. It is optional; without it Plan.Replace stays empty.
	Key string
	// NewTemplate is true if the target key differs from the one the StatefulSet carries: the write of this
	// plan also writes the template and starts the update.
	NewTemplate bool
	// Groups are the observed groups in any order. Groups may be missing; of equal ordinals the last counts.
	Groups []Group
}

// Plan is what the leader StatefulSet should be.
type Plan struct {
	// Replicas and Partition are the StatefulSet's, surge included.
	Replicas, Partition int
	// MaxUnavailable is the StatefulSet's own, u+s and at least 1. It only lets the StatefulSet controller
	// work in parallel; Partition is the bound.
	MaxUnavailable int
	// Replace are the ordinals, highest first, of leaders of another key at or above the partition that the
	// StatefulSet has already. Its controller replaces none while maxUnavailable leaders are down, broken old
	// ones included, and without the feature gate MaxUnavailableStatefulSet it replaces one at a time. So
	// whoever applies the plan deletes these leaders itself, with the UID that was seen as precondition and
	// only those not being deleted yet. They are counted as unavailable already. Without this an update out of
	// a state with broken leaders may hang.
	Replace []int
	// Done is true if the StatefulSet is as planned, has no surge, and every group at or above the partition
	// is updated and ready. Old revisions that nothing names may then be removed.
	Done bool
	// Reason says what the plan does or waits for, in words for a person.
	Reason string
}
