// Package local runs a fleet of real Kubernetes control planes as processes of this machine: a hub
// and its members, without containers. Tests and the command cmd/fleet use it.
//
// # What a fleet is
//
// One etcd holds every cluster, each under its own prefix. The hub is an API server and nothing
// else. A member has an API server, kube-controller-manager, kube-scheduler and kwok, which plays
// the nodes and the kubelets: pods are scheduled on simulated nodes and become ready at once. An
// API-only member has no controllers; the test plays them.
//
// Each cluster has its own certificate authority, so that a credential of one opens no other. Every
// program has its own identity and the rights it has in a real cluster; the kubeconfigs of the
// fleet are for the tests' own administrator. Use Cluster.ServiceAccountKubeconfig for what is tested.
//
// What differs from a real cluster:
//
//   - On the hub and on API-only members nobody collects garbage, ends namespaces or makes default
//     service accounts (the admission plugin that needs those is off).
//   - Nothing is synced to disk: the data lives as long as the fleet.
//   - Nodes count as lost only after ten minutes, so that a frozen API server does not look like it.
//   - There are no volumes, no DNS, no traffic; a pod has an address that leads nowhere.
//
// # Folders
//
// Options.Dir holds kubeconfigs/<cluster>.yaml for administrators, logs/<cluster>-<program>.log and
// logs/<cluster>-audit.jsonl, secrets (keys and the identities of programs) and data (etcd).
// Start refuses to take over folders of these names that no fleet made. The nested modules below binaries pin the
// versions of the programs; Build compiles them once into a cache outside of the checkout, which
// takes some ten minutes on two cores: run "go run ./clusters/local/cmd/fleet build" before tests.
//
// # Life of the processes
//
// All processes are started from one locked thread with a parent death signal: when the process
// that called Start ends, however it ends, the kernel kills them. Controllers that end by themselves are started
// again, as a kubelet would. Signals go through process handles, never through remembered pids.
//
// # Faults
//
// StopAPIServer is a crash: connections break, later ones are refused. Freeze suspends the process:
// connections stay open and nothing answers, as with a lost network. SlowDown suspends it for a part
// of every tenth of a second. KillControllerManager takes away what makes pods. All keep port and data.
//
// FailPods and RestartContainers write the status that a kubelet would write. KeepNotReady annotates
// pods, new ones through an admission policy, and the stages of kwok (folder stages) hold annotated
// pods in phase Running and not ready; without the annotation the same stages make every running
// pod ready, which is how restarted pods recover.
package local
