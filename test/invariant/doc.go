// Package invariant watches a cluster beside a test and judges afterwards whether the promise of revisions was
// kept at every moment:
//
//   - every worker StatefulSet and every worker pod carries the revision key of the leader that owns it, and is
//     made of that revision's content, of its size too;
//   - a leader's key never changes;
//   - every key that a leader, a worker StatefulSet or a leader StatefulSet carries is that of a revision, and no
//     revision goes while something that lives carries its key.
//
// What belongs together is found by UID, not by name: the workers of a leader that was replaced are not those of
// the leader that has its name now. What came first is told by resource versions.
package invariant
