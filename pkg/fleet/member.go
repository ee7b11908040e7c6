package fleet

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
)

// member is one member and its goroutine. Its fields are under the fleet's lock.
type member struct {
	fleet   *Fleet
	name    string
	spec    Member
	state   State
	cluster *handle // nil until published
	stop    context.CancelFunc
}

// handle is a cluster whose uncached reader has a deadline as its client has.
type handle struct {
	cluster.Cluster
	reader client.Reader
}

// GetAPIReader returns the uncached reader.
func (h *handle) GetAPIReader() client.Reader { return h.reader }

func (m *member) run(ctx context.Context) { <-ctx.Done() }
