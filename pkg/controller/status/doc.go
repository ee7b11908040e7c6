// Package status writes what the fleet shows of each set: the status of its Placement, and of the hub's set.
//
// It is the only writer of both once a Placement exists, reads caches alone, and lets the Placement go when no
// member has the set any more. Events of one set within a tenth of a second are one reconcile.
//
// An unreachable member's last numbers stay, with when it was last seen. After a start, what was written stays until
// the member is seen again, so that a restart writes nothing.
package status
