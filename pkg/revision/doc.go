// Package revision decides which revision a LeaderWorkerSet's groups are made from.
//
// A revision is a ControllerRevision that holds the part of a set's spec that makes pods: the group
// template and the network configuration. Its key is the value of one label that the revision, the leader
// StatefulSet, the leader pods, the worker StatefulSets and the worker pods carry. The label is the only
// state: whoever builds workers reads the key from their leader, looks the revision up and builds from it.
//
// The key of new content is a hash of its canonical form (see [Content.Key]), so the same content has the
// same key in every cluster and under every version of this program. Keys found on existing objects, set by
// another controller, are legal and kept: contents are compared by what they mean, never by key or bytes.
//
// Invariants of [PlanRevisions]:
//   - a revision exists before any object is given its key;
//   - no content is ever put under a key that already means something else;
//   - nothing that a live object names is deleted, and what is missing is restored from the hub's store or
//     reported, never guessed - but for the key of the StatefulSet itself, which after an upgrade from a
//     controller without revisions means the spec as it is.
//
// The mechanism is that of LWS KEP-238.
package revision
