// Package leaderworkerset runs one set in one member: its leader StatefulSet, its revisions, its shared
// Service and its status.
//
// Each reconcile observes the set's objects from the member's cache, decides in pure code (decide.go), writes
// what differs, and writes the status once:
//
//  1. revisions that something names and that are not there are restored, a new template gets a new one;
//  2. only then is the StatefulSet given the key, with the replicas and partition of the rollout plan;
//  3. once the update is done, revisions that nothing names are trimmed.
//
// Workers are not made here: see package leaderpod.
package leaderworkerset
