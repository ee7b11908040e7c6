package fleet

import (
	"context"
	"net/http"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Access is how a member is reached while it is being prepared. Every request ends after 5 s.
type Access struct {
	// Name of the member.
	Name string
	// Config and HTTP are for clients of the caller's own, such as discovery.
	Config *rest.Config
	HTTP   *http.Client
	// Client is uncached and knows the kinds of NewScheme without discovery.
	Client client.Client
}

// Report is what preparing a member found out. What is known is filled in even if it failed.
type Report struct {
	// Version is the member's Kubernetes version, such as v1.36.3.
	Version string
	// ClusterUID is the UID of the member's namespace kube-system.
	ClusterUID string
}

// Prepare makes a member ready to run sets, and proves it. It runs before a member is engaged, after each
// outage and every ten minutes, so it must not write when nothing is missing.
// An error that wraps a *Failure says which condition is False; any other is classed by its kind.
type Prepare func(ctx context.Context, access Access) (Report, error)
