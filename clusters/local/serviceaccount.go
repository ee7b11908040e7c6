package local

import (
	"context"
	"fmt"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// ServiceAccountKubeconfig returns a kubeconfig with a new token of a service account, which is
// created if it is absent. It has no rights but those bound to the account. The namespace must
// exist. The token is valid for ttl; the API server refuses less than 10 minutes.
func (c *Cluster) ServiceAccountKubeconfig(ctx context.Context, namespace, name string, ttl time.Duration) ([]byte, error) {
	client, err := kubernetes.NewForConfig(c.config)
	if err != nil {
		return nil, fmt.Errorf("make client of %q: %w", c.name, err)
	}
	accounts := client.CoreV1().ServiceAccounts(namespace)
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if _, err := accounts.Create(ctx, account, createOptions); err != nil && !apierrors.IsAlreadyExists(err) {
		return nil, fmt.Errorf("create service account %s/%s on %q: %w", namespace, name, c.name, err)
	}
	seconds := int64(ttl / time.Second)
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &seconds}}
	answer, err := accounts.CreateToken(ctx, name, request, createOptions)
	if err != nil {
		return nil, fmt.Errorf("request token of service account %s/%s on %q: %w", namespace, name, c.name, err)
	}
	return kubeconfig(c.name, c.server(), c.authority.pem, clientcmdapi.AuthInfo{Token: answer.Status.Token})
}
