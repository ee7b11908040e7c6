// Package leaderpod builds the workers of one group in one member, and recreates the group when a pod of it
// fails.
//
// The key is the leader pod. Everything that makes workers comes from the revision whose key the leader
// itself carries: never from the live spec, never from the newest revision. A revision that the member lost is
// restored from the hub's store; one that nobody knows is waited for, with a Warning event.
//
// The workers' StatefulSet is created once and never given another template.
package leaderpod
