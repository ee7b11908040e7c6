// Package controller has the controllers of the hub in its folders, one package each. Those in member act
// in the member clusters, the others on the hub.
//
// What lwsfed may do on the hub is written as markers beside the code that does it, and here where it
// belongs to the manager as a whole. In members it acts as whom the member's kubeconfig says, so the
// packages in member have no markers.
package controller

// What the manager and the fleet of members need on the hub: to know the hub by the UID of its namespace
// kube-system, and to see that no other controller runs the hub's sets.
// +kubebuilder:rbac:groups="",resources=namespaces,resourceNames=kube-system,verbs=get
// +kubebuilder:rbac:groups=apps,resources=statefulsets,verbs=get;list;watch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// In lwsfed-system alone: the kubeconfigs of members, the lease of the leader and the event that tells of it.
// +kubebuilder:rbac:groups="",namespace=lwsfed-system,resources=secrets,verbs=get;list;watch
// +kubebuilder:rbac:groups=coordination.k8s.io,namespace=lwsfed-system,resources=leases,verbs=create;get;list;patch;update;watch
// +kubebuilder:rbac:groups="",namespace=lwsfed-system,resources=events,verbs=create;patch

// What the controllers do with the objects of users and of lwsfed.
// +kubebuilder:rbac:groups=leaderworkerset.x-k8s.io,resources=leaderworkersets,verbs=get;list;watch;patch;update
// +kubebuilder:rbac:groups=leaderworkerset.x-k8s.io,resources=leaderworkersets/status,verbs=get;patch;update
// +kubebuilder:rbac:groups=leaderworkerset.x-k8s.io,resources=leaderworkersets/finalizers,verbs=update
// +kubebuilder:rbac:groups=apps,resources=controllerrevisions,verbs=create;delete;get;list;patch;update;watch
// +kubebuilder:rbac:groups=lwsfed.io,resources=memberclusters;placementpolicies,verbs=get;list;watch;patch;update
// +kubebuilder:rbac:groups=lwsfed.io,resources=placements,verbs=create;delete;get;list;patch;update;watch
// +kubebuilder:rbac:groups=lwsfed.io,resources=memberclusters/status;placementpolicies/status;placements/status,verbs=get;patch;update
// +kubebuilder:rbac:groups=lwsfed.io,resources=memberclusters/finalizers;placements/finalizers,verbs=update
