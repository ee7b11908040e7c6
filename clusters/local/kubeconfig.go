package local

import (
	"fmt"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// kubeconfig encodes a configuration with one cluster, one user and nothing outside the file.
func kubeconfig(cluster, server string, ca []byte, user clientcmdapi.AuthInfo) ([]byte, error) {
	config := clientcmdapi.Config{
		Clusters:       map[string]*clientcmdapi.Cluster{cluster: {Server: server, CertificateAuthorityData: ca}},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{"user": &user},
		Contexts:       map[string]*clientcmdapi.Context{cluster: {Cluster: cluster, AuthInfo: "user"}},
		CurrentContext: cluster,
	}
	encoded, err := clientcmd.Write(config)
	if err != nil {
		return nil, fmt.Errorf("encode kubeconfig for %q: %w", cluster, err)
	}
	return encoded, nil
}

// certificateKubeconfig encodes a configuration for a user with a new client certificate.
func (c *Cluster) certificateKubeconfig(user string, groups ...string) ([]byte, error) {
	identity, err := c.authority.client(user, groups...)
	if err != nil {
		return nil, err
	}
	return kubeconfig(c.name, c.server(), c.authority.pem, clientcmdapi.AuthInfo{
		ClientCertificateData: identity.cert,
		ClientKeyData:         identity.key,
	})
}
