package fleet

import (
	"github.com/go-logr/logr"
	mcreconcile "sigs.k8s.io/multicluster-runtime/pkg/reconcile"
)

// LogConstructor gives each reconciliation a logger that says controller, cluster, namespace and name.
// Cluster "" is the hub.
func LogConstructor(base logr.Logger, controller string) func(*mcreconcile.Request) logr.Logger {
	base = base.WithValues("controller", controller)
	return func(req *mcreconcile.Request) logr.Logger {
		if req == nil {
			return base
		}
		return base.WithValues("cluster", req.ClusterName.String(), "namespace", req.Namespace, "name", req.Name)
	}
}
