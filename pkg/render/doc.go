// Package render builds objects from a LeaderWorkerSet: in a member, the StatefulSets and Services of its
// groups; for a member, its copy of the hub's set.
//
// What makes pods comes from a revision's content, never from the live spec: a group at an old revision is
// rebuilt as it was. What the live set gives is what makes no pod: replicas, and labels and annotations,
// which go to the metadata of StatefulSets and never into a pod template, where a change would roll every
// group.
package render
