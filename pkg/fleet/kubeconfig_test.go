package fleet

import (
	"encoding/json"
	"strings"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/rest"
)

// kubeconfigWith is a good kubeconfig with a JSON merge patch of its cluster and one of its user.
func kubeconfigWith(t *testing.T, cluster, user string) []byte {
	t.Helper()
	config := map[string]any{}
	if err := json.Unmarshal(kubeconfig("https://member:6443", []byte("ca")), &config); err != nil {
		t.Fatal(err)
	}
	for list, kind := range map[string]string{"clusters": "cluster", "users": "user"} {
		patch := map[string]string{"clusters": cluster, "users": user}[list]
		entry := config[list].([]any)[0].(map[string]any)
		raw, err := json.Marshal(entry[kind])
		if err != nil {
			t.Fatal(err)
		}
		if patch != "" {
			if raw, err = jsonpatch.MergePatch(raw, []byte(patch)); err != nil {
				t.Fatal(err)
			}
		}
		entry[kind] = json.RawMessage(raw)
	}
	out, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestKubeconfigThatIsRefused(t *testing.T) {
	for name, c := range map[string]struct{ cluster, user, want string }{
		"no check of the server": {
			`{"insecure-skip-tls-verify":true,"certificate-authority-data":null}`, "",
			"kubeconfig: clusters[c].cluster.insecure-skip-tls-verify is refused; give certificate-authority-data",
		},
		"no TLS":    {`{"server":"http://member"}`, "", "kubeconfig: clusters[c].cluster.server must start with https://"},
		"no scheme": {`{"server":"member:6443"}`, "", "kubeconfig: clusters[c].cluster.server must start with https://"},
		"no server": {`{"server":""}`, "", "kubeconfig: clusters[c].cluster.server must start with https://"},
		"a file of an authority": {
			`{"certificate-authority":"/etc/ca"}`, "",
			"kubeconfig: clusters[c].cluster.certificate-authority is refused, it is a path; give certificate-authority-data",
		},
		"a program": {
			"", `{"exec":{"apiVersion":"client.authentication.k8s.io/v1","command":"sh","interactiveMode":"Never"}}`,
			"kubeconfig: users[u].user.exec is refused, it runs a program; give token or client-certificate-data",
		},
		"a provider":               {"", `{"auth-provider":{"name":"oidc"}}`, "kubeconfig: users[u].user.auth-provider is refused; give token or client-certificate-data"},
		"a file of a certificate":  {"", `{"client-certificate":"/etc/tls"}`, "kubeconfig: users[u].user.client-certificate is refused, it is a path; give client-certificate-data"},
		"a file of a key":          {"", `{"client-key":"/etc/tls"}`, "kubeconfig: users[u].user.client-key is refused, it is a path; give client-key-data"},
		"a file of a token":        {"", `{"tokenFile":"/var/run/token"}`, "kubeconfig: users[u].user.tokenFile is refused, it is a path; give token"},
		"a file of a token beside": {"", `{"token":"t","tokenFile":"/var/run/token"}`, "kubeconfig: users[u].user.tokenFile is refused, it is a path; give token"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := restConfig(kubeconfigWith(t, c.cluster, c.user))
			if err == nil {
				t.Fatalf("accepted: %v", got)
			}
			if diff := cmp.Diff(c.want, err.Error()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestKubeconfigThatCannotBeRead(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"nothing":           {"", "the kubeconfig is empty"},
		"no YAML":           {"\t{", "read the kubeconfig: "},
		"another kind":      {`{"apiVersion":"v1","kind":"Secret"}`, "read the kubeconfig: "},
		"no context":        {`{"apiVersion":"v1","kind":"Config"}`, "kubeconfig: current-context is not set"},
		"a missing context": {`{"current-context":"x"}`, `kubeconfig: current-context "x" is not among contexts`},
		"a missing cluster": {`{"current-context":"x","contexts":[{"name":"x","context":{"cluster":"c","user":"u"}}]}`, `kubeconfig: cluster "c" of context "x" is not among clusters`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := restConfig([]byte(c.in))
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

func TestKubeconfigThatIsGood(t *testing.T) {
	for name, c := range map[string]struct {
		cluster, user string
		check         func(*rest.Config) bool
	}{
		"a token":         {"", "", func(c *rest.Config) bool { return c.BearerToken == "t" }},
		"a password":      {"", `{"token":null,"username":"a","password":"b"}`, func(c *rest.Config) bool { return c.Username == "a" && c.Password == "b" }},
		"a certificate":   {"", `{"token":null,"client-certificate-data":"Yw==","client-key-data":"aw=="}`, func(c *rest.Config) bool { return string(c.CertData) == "c" && string(c.KeyData) == "k" }},
		"a server's name": {`{"tls-server-name":"n"}`, "", func(c *rest.Config) bool { return c.ServerName == "n" }},
		"a proxy":         {`{"proxy-url":"http://proxy:3128"}`, "", func(c *rest.Config) bool { return c.Proxy != nil }},
		"authorities that the hub trusts anyway": {
			`{"certificate-authority-data":null}`, "", func(c *rest.Config) bool { return c.CAData == nil },
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := restConfig(kubeconfigWith(t, c.cluster, c.user))
			if err != nil {
				t.Fatal(err)
			}
			if got.Host != "https://member:6443" || got.UserAgent != "lwsfed" || !c.check(got) {
				t.Errorf("config %v", got)
			}
		})
	}
}

// What another context says is not used.
func TestOnlyTheCurrentContextIsLookedAt(t *testing.T) {
	got, err := restConfig([]byte(`{"current-context":"x",
		"contexts":[{"name":"x","context":{"cluster":"c","user":"u"}},{"name":"y","context":{"cluster":"d","user":"v"}}],
		"clusters":[{"name":"c","cluster":{"server":"https://member"}},{"name":"d","cluster":{"server":"http://other"}}],
		"users":[{"name":"u","user":{"token":"t"}},{"name":"v","user":{"tokenFile":"/x"}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if got.Host != "https://member" || got.BearerToken != "t" {
		t.Errorf("config %v", got)
	}
}

// Whoever may write a member's Secret must not read files or run programs on the hub.
func FuzzKubeconfig(f *testing.F) {
	f.Add(kubeconfig("https://member:6443", []byte("ca")))
	f.Add([]byte(`{"current-context":"x","contexts":[{"name":"x","context":{}}],"clusters":[{"name":"","cluster":{"server":"https://m"}}],"users":[{"name":"","user":{"tokenFile":"/x"}}]}`))
	f.Add([]byte("current-context: x\ncontexts: [{name: x, context: {cluster: c, user: u}}]\nclusters: [{name: c, cluster: {server: \"HTTP://m\"}}]\n" +
		"users: [{name: u, user: {exec: {command: sh}}}]"))
	f.Fuzz(func(t *testing.T, in []byte) {
		c, err := restConfig(in)
		if err != nil {
			return
		}
		if c.ExecProvider != nil || c.AuthProvider != nil || c.BearerTokenFile != "" || c.CAFile != "" || c.CertFile != "" || c.KeyFile != "" {
			t.Errorf("names a file or a program: %v", c)
		}
		if c.Insecure {
			t.Errorf("does not check the server: %v", c)
		}
		if base, _, err := rest.DefaultServerUrlFor(c); err == nil && base.Scheme != "https" {
			t.Errorf("talks to %s", base)
		}
	})
}
