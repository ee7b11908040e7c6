package fleet

import (
	"context"
	"errors"
	"fmt"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	authorizationclient "k8s.io/client-go/kubernetes/typed/authorization/v1"
)

// forbiddenFor is how long after a watch was forbidden the right counts as missing if nobody can say. Watches are
// retried every 30 s at least, so it covers three of them.
const forbiddenFor = 90 * time.Second

// missing are the resources whose watch was forbidden, and when.
type missing map[schema.GroupResource]time.Time

// resourceOf is what an error says that it forbids. Empty if it does not say, as those of a proxy.
func resourceOf(err error) schema.GroupResource {
	var answer apierrors.APIStatus
	if !errors.As(err, &answer) || answer.Status().Details == nil {
		return schema.GroupResource{}
	}
	return schema.GroupResource{Group: answer.Status().Details.Group, Resource: answer.Status().Details.Kind}
}

// add notes what is forbidden from now on. It returns one of the errors, the same one whatever their order.
func (m missing) add(forbidden map[schema.GroupResource]error) error {
	var first schema.GroupResource
	var err error
	for resource := range forbidden {
		m[resource] = time.Now()
		if err == nil || resource.String() < first.String() {
			first, err = resource, forbidden[resource]
		}
	}
	return err
}

// review forgets what is allowed by now. An API server that just started forbids everything until it has read its
// roles, so a right may be back in a moment.
func (m missing) review(ctx context.Context, l line, timeout time.Duration) {
	for resource, since := range m {
		allowed, err := l.mayWatch(ctx, timeout, resource)
		if err == nil && allowed || time.Since(since) > forbiddenFor {
			delete(m, resource)
		}
	}
}

// mayWatch asks the member whether we may watch a resource in all namespaces. The question is stored nowhere.
func (l line) mayWatch(ctx context.Context, timeout time.Duration, resource schema.GroupResource) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	c, err := authorizationclient.NewForConfigAndClient(l.config, l.http)
	if err != nil {
		return false, fmt.Errorf("make authorization client: %w", err)
	}
	question := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: "watch", Group: resource.Group, Resource: resource.Resource},
	}}
	answer, err := c.SelfSubjectAccessReviews().Create(ctx, question, metav1.CreateOptions{})
	if err != nil {
		return false, fmt.Errorf("ask for the right to watch %s: %w", resource, err)
	}
	return answer.Status.Allowed, nil
}
