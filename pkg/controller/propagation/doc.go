// Package propagation brings each LeaderWorkerSet of the hub to the members that its Placement chooses, and
// takes it away from those that it does not choose any more. One key is one set in one member.
//
// What is done follows from the Placement alone. Without one, nothing is touched: a hub that lost its
// objects must not make members delete groups. A set is the hub's if it carries the hub's id; what is not
// the hub's is never written, unless the policy adopts it.
//
// At rest nothing is written. The member's set carries the hash of what was applied, so that every change of
// the hub is seen, removals and fields of newer versions included; and what was applied must still be in the
// member's set, so that drift is seen. What others add is theirs.
//
// Outcomes are kept in memory for the status controller. They are lost at a restart, and found again: every
// key is reconciled then.
package propagation
