// Package rollout decides how a rolling update moves: inside one member's set, and how one rollout
// configuration is shared by the clusters of a set. It is pure: data in, a plan with its reason out.
//
// # Inside a set
//
// The leader StatefulSet has n replicas and partition p. R groups are wanted, ordinals 0 to R-1. Groups
// at ordinals from R on are surge, at most s of them. P, the user's partition, is the floor of p. The
// StatefulSet controller replaces, highest first, what is not updated at or above p, and it sees leaders
// only; so p alone bounds the update, and PlanGroups moves p only as far as the groups bear.
//
// A group is available if it is ready and not doomed; doomed is a group at or above p that is not updated
// (the StatefulSet controller may delete it at any moment), or one at or above the planned replicas.
// The update starts at p = R and walks down. An unready or an updated group costs nothing and is passed;
// a ready old group is passed only while at least R-u groups, surge counted, stay available.
//
// Surge is kept while the update needs it. k counts the groups from P to R-1 that are not updated and
// ready. While k > s the surge is s; then it is k-u, until none is left. A ready surge group is not given
// back while it stands in for a wanted one.
//
// # Invariants
//
//   - replicas ≤ R+s, and no surge at creation or scaling.
//   - No plan dooms a ready group if that leaves fewer than R-u available. Only groups the caller calls
//     Broken are left out of this count.
//   - p never rises in one update. It rises for a new template (to R; further, if surge groups stand in
//     for wanted ones), and at rest, where every group is updated and ready and P asks for it.
//   - The same snapshot gives the same plan, and at rest the plan is what is there already.
//
// # Where this differs from upstream
//
// Surge is given back as soon as every group from P on is updated and ready. Upstream keeps it as long as
// groups below P are old; a canary may last for weeks, and idle groups are whole nodes of accelerators.
//
// A P that is raised above p in mid-update does not lift p: a group already updated would go back to the
// old template at its next restart.
package rollout
