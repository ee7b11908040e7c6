// Package fleet is the only door to member clusters. It is a provider for multicluster-runtime.
//
// Every member has one goroutine of its own, which does all that can wait for the member: it reads the
// kubeconfig, connects, has the member prepared (bootstrap), fills the caches, publishes the cluster and
// then watches over it. Set and Delete never touch the network, so one member's trouble delays nobody.
//
// Invariants:
//   - A member is published, and engaged with the controllers, only after Prepare succeeded and its caches are in sync.
//   - Once published it stays so until it is deleted or its kubeconfig changes. Unreachable is a state, not an
//     absence: cached reads go on and are stale.
//   - A changed kubeconfig stops the old cluster, waits for its end, and only then starts the new one.
//   - Watches and calls use separate connections. Calls end after 15 s; probes after 1 s, on a third connection.
//   - No discovery: the REST mapping of the kinds in NewScheme is static.
//
// Before the first connect, failures are retried after 1 s, doubling to 15 s, and shown in State at once. After it,
// /readyz is probed every 2 s: three misses make the member unreachable, two answers make it reachable again.
package fleet
