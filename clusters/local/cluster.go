package local

import (
	"maps"
	"sync"

	"k8s.io/client-go/rest"
)

// Cluster is one cluster of a fleet. Its methods may be called at the same time.
type Cluster struct {
	name   string
	fleet  *Fleet
	member Member

	authority *authority
	port      int
	config    *rest.Config
	caFile    string
	tokenKey  string

	apiServer             *program
	controllerManager     *program // this and the next two are nil without controllers
	scheduler             *program
	kwok                  *program
	controllerManagerPort int

	pausing sync.Mutex // guards the next two and the signals that depend on them
	frozen  bool
	slow    *slowDown
}

// Name returns "hub" or the member's name.
func (c *Cluster) Name() string { return c.name }

// Labels returns the labels of the member's options.
func (c *Cluster) Labels() map[string]string { return maps.Clone(c.member.Labels) }

// Kubeconfig returns the path of the administrator's kubeconfig.
func (c *Cluster) Kubeconfig() string { return c.fleet.folder.kubeconfig(c.name) }

// RESTConfig returns a new administrator's configuration without a client-side rate limit.
func (c *Cluster) RESTConfig() *rest.Config { return rest.CopyConfig(c.config) }
