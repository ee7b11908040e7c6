package fleet

import (
	"errors"
	"fmt"
	"net/url"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// restConfig reads the current context of a kubeconfig. It refuses what would run a program or read a file on the
// hub, since whoever may write the Secret must not get that power, and what would not check whom it talks to.
func restConfig(kubeconfig []byte) (*rest.Config, error) {
	if len(kubeconfig) == 0 {
		return nil, errors.New("the kubeconfig is empty")
	}
	cfg, err := clientcmd.Load(kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("read the kubeconfig: %w", err)
	}
	if cfg.CurrentContext == "" {
		return nil, errors.New("kubeconfig: current-context is not set")
	}
	current, ok := cfg.Contexts[cfg.CurrentContext]
	if !ok {
		return nil, fmt.Errorf("kubeconfig: current-context %q is not among contexts", cfg.CurrentContext)
	}
	if err := refuse(cfg, current); err != nil {
		return nil, err
	}
	out, err := clientcmd.NewDefaultClientConfig(*cfg, &clientcmd.ConfigOverrides{}).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("read the kubeconfig: %w", err)
	}
	out.UserAgent = "lwsfed"
	return out, nil
}

// refuse names the first field of the context's cluster and user that is not allowed.
func refuse(cfg *clientcmdapi.Config, current *clientcmdapi.Context) error {
	c, ok := cfg.Clusters[current.Cluster]
	if !ok {
		return fmt.Errorf("kubeconfig: cluster %q of context %q is not among clusters", current.Cluster, cfg.CurrentContext)
	}
	at := fmt.Sprintf("clusters[%s].cluster.", current.Cluster)
	switch server, err := url.Parse(c.Server); {
	case err != nil || server.Scheme != "https":
		return fmt.Errorf("kubeconfig: %sserver must start with https://", at)
	case c.InsecureSkipTLSVerify:
		return fmt.Errorf("kubeconfig: %sinsecure-skip-tls-verify is refused; give certificate-authority-data", at)
	case c.CertificateAuthority != "":
		return fmt.Errorf("kubeconfig: %scertificate-authority is refused, it is a path; give certificate-authority-data", at)
	}
	if u, ok := cfg.AuthInfos[current.AuthInfo]; ok {
		at := fmt.Sprintf("users[%s].user.", current.AuthInfo)
		switch {
		case u.Exec != nil:
			return fmt.Errorf("kubeconfig: %sexec is refused, it runs a program; give token or client-certificate-data", at)
		case u.AuthProvider != nil:
			return fmt.Errorf("kubeconfig: %sauth-provider is refused; give token or client-certificate-data", at)
		case u.ClientCertificate != "":
			return fmt.Errorf("kubeconfig: %sclient-certificate is refused, it is a path; give client-certificate-data", at)
		case u.ClientKey != "":
			return fmt.Errorf("kubeconfig: %sclient-key is refused, it is a path; give client-key-data", at)
		case u.TokenFile != "":
			return fmt.Errorf("kubeconfig: %stokenFile is refused, it is a path; give token", at)
		}
	}
	return nil
}
