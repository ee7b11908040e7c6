package local

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	_ "embed"
	"fmt"
	"os"

	"k8s.io/client-go/tools/clientcmd"
)

const issuer = "https://kubernetes.default.svc.cluster.local"

//go:embed audit-policy.yaml
var auditPolicy []byte

// startAPIServerFirst makes the keys and the administrator of a cluster and starts its API server.
func (c *Cluster) startAPIServerFirst(ctx context.Context) error {
	files, err := c.writeServerSecrets()
	if err != nil {
		return err
	}
	c.apiServer = c.fleet.program(c.name, apiServerProgram)
	return c.fleet.retryOnClash(c.apiServer, func() error {
		if c.port, err = c.fleet.ports.next(); err != nil {
			return err
		}
		if err := c.writeAdministrator(); err != nil {
			return err
		}
		c.apiServer.args = c.apiServerArguments(files)
		return c.apiServer.startAndWait(ctx, c.serving)
	})
}

// serving reports an error until the API server is ready, all start hooks included.
func (c *Cluster) serving(ctx context.Context) error { return healthy(c.port, "/readyz")(ctx) }

// serverSecrets are paths of files.
type serverSecrets struct{ ca, cert, key, audit string }

func (c *Cluster) writeServerSecrets() (serverSecrets, error) {
	var files serverSecrets
	serving, err := c.authority.server()
	if err != nil {
		return files, err
	}
	if files.cert, files.key, err = c.fleet.folder.secretPair(c.name, "server", serving); err != nil {
		return files, err
	}
	if files.ca, err = c.fleet.folder.secret(c.name, "ca.crt", c.authority.pem); err != nil {
		return files, err
	}
	if files.audit, err = c.fleet.folder.secret(c.name, "audit-policy.yaml", auditPolicy); err != nil {
		return files, err
	}
	tokenKey, err := newTokenKey()
	if err != nil {
		return files, err
	}
	c.caFile = files.ca
	c.tokenKey, err = c.fleet.folder.secret(c.name, "service-accounts.key", tokenKey)
	return files, err
}

func newTokenKey() ([]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make the key of service accounts: %w", err)
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("encode the key of service accounts: %w", err)
	}
	return pemBlock("EC PRIVATE KEY", der), nil
}

func (c *Cluster) apiServerArguments(files serverSecrets) []string {
	args := []string{
		"--bind-address=127.0.0.1", "--advertise-address=127.0.0.1",
		fmt.Sprintf("--secure-port=%d", c.port),
		"--tls-cert-file=" + files.cert, "--tls-private-key-file=" + files.key,
		"--client-ca-file=" + files.ca,
		"--authorization-mode=RBAC",
		"--etcd-servers=" + c.fleet.store.url(), "--etcd-prefix=/" + c.name,
		"--etcd-cafile=" + c.fleet.store.ca,
		"--etcd-certfile=" + c.fleet.store.cert, "--etcd-keyfile=" + c.fleet.store.key,
		"--service-account-issuer=" + issuer, "--api-audiences=" + issuer,
		"--service-account-key-file=" + c.tokenKey, "--service-account-signing-key-file=" + c.tokenKey,
		"--service-cluster-ip-range=10.96.0.0/16",
		"--endpoint-reconciler-type=none", // a loopback address is no valid endpoint
		"--allow-privileged",
		"--max-requests-inflight=2000", "--max-mutating-requests-inflight=1000",
		"--profiling=false",
	}
	if !c.controlled() {
		// Nobody makes the default service accounts without which this plugin refuses pods.
		args = append(args, "--disable-admission-plugins=ServiceAccount")
	}
	if c.fleet.options.Audit {
		args = append(args,
			"--audit-policy-file="+files.audit,
			"--audit-log-path="+c.fleet.folder.audit(c.name),
			"--audit-log-maxsize=4000", // MB: never rotated, so that AuditEvents reads one file
		)
	}
	return args
}

func (c *Cluster) server() string { return fmt.Sprintf("https://127.0.0.1:%d", c.port) }

// writeAdministrator makes the kubeconfig of the tests' own administrator.
func (c *Cluster) writeAdministrator() error {
	encoded, err := c.certificateKubeconfig("administrator", "system:masters")
	if err != nil {
		return err
	}
	if err := os.WriteFile(c.Kubeconfig(), encoded, 0o600); err != nil {
		return fmt.Errorf("write kubeconfig of %q: %w", c.name, err)
	}
	config, err := clientcmd.RESTConfigFromKubeConfig(encoded)
	if err != nil {
		return fmt.Errorf("read kubeconfig of %q: %w", c.name, err)
	}
	config.QPS = -1 // no limit on the client's side
	config.UserAgent = "fleet-administrator"
	c.config = config
	return nil
}
