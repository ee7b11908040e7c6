package local

import (
	"context"

	"errors"
	"k8s.io/apimachinery/pkg/labels"
)

func (c *Cluster) FailPods(ctx context.Context, namespace string, selector labels.Selector) error {
	return errors.ErrUnsupported
}
func (c *Cluster) RestartContainers(ctx context.Context, namespace string, selector labels.Selector) error {
	return errors.ErrUnsupported
}
func (c *Cluster) KeepNotReady(ctx context.Context, namespace string, selector labels.Selector) (release func() error, err error) {
	return nil, errors.ErrUnsupported
}
