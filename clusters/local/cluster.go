package local

import (
	"context"
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"k8s.io/client-go/rest"
)

var errNotYet = errors.New("not yet")

// Cluster is one cluster of a fleet. Its methods may be called at the same time.
type Cluster struct {
	name       string
	kubeconfig string
	config     *rest.Config
}

// Name returns "hub" or the member's name.
func (c *Cluster) Name() string { return c.name }

// Kubeconfig returns the path of the administrator's kubeconfig.
func (c *Cluster) Kubeconfig() string { return c.kubeconfig }

// RESTConfig returns a new administrator's configuration without a client-side rate limit.
func (c *Cluster) RESTConfig() *rest.Config { return rest.CopyConfig(c.config) }

func (c *Cluster) StopAPIServer(ctx context.Context) error          { return errNotYet }
func (c *Cluster) StartAPIServer(ctx context.Context) error         { return errNotYet }
func (c *Cluster) RestartAPIServer(ctx context.Context) error       { return errNotYet }
func (c *Cluster) Freeze() error                                    { return errNotYet }
func (c *Cluster) Thaw() error                                      { return errNotYet }
func (c *Cluster) SlowDown(fraction float64) error                  { return errNotYet }
func (c *Cluster) KillControllerManager(ctx context.Context) error  { return errNotYet }
func (c *Cluster) StartControllerManager(ctx context.Context) error { return errNotYet }
func (c *Cluster) AuditEvents(since time.Time) ([]auditv1.Event, error) {
	return nil, errNotYet
}
func (c *Cluster) ServiceAccountKubeconfig(ctx context.Context, namespace, name string, ttl time.Duration) ([]byte, error) {
	return nil, errNotYet
}
func (c *Cluster) FailPods(ctx context.Context, namespace string, selector labels.Selector) error {
	return errNotYet
}
func (c *Cluster) RestartContainers(ctx context.Context, namespace string, selector labels.Selector) error {
	return errNotYet
}
func (c *Cluster) KeepNotReady(ctx context.Context, namespace string, selector labels.Selector) (release func() error, err error) {
	return nil, errNotYet
}
