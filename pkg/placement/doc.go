// Package placement decides which clusters run a LeaderWorkerSet and how many of its groups each runs.
// It is pure: the same input gives the same decision, in whatever order its parts come.
//
// # Dividing groups
//
// Every cluster has an exact fair share x(h) of h groups. While h is at most the sum of all min, it is in
// proportion to min. Above, it is weight × level, held between min and max, with the one level that makes
// the shares add up to h. Groups that no cluster has room for stay over.
//
// Groups are handed out one at a time. The k-th group of a cluster may be handed out once its fair share
// exceeds k-1 and must be once its fair share is k; among those that may, the one that must come first is
// next (earliest deadline first). Every interval of h holds at most as many groups as it is long, so a
// schedule without a late group exists and this order finds one. Hence, always:
//
//   - a cluster has its fair share, rounded down or up (it stays within quota, bounds included);
//   - adding one group never takes one away from another cluster (house monotone);
//   - min comes first as far as there are groups, max is never exceeded, and the parts add up to the smaller
//     of the groups and the room.
//
// Largest remainder has only the first of these: with weights 6:6:2, ten groups become 4,4,2 and eleven
// 5,5,1. Divisor methods have only the second.
//
// Where all fair shares are whole numbers the state is known, so the work starts at the last such point:
// it is bounded by the sum of the weights over their greatest common divisor, and by the groups.
package placement
