package membership

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/lwsfed/lwsfed/api/v1alpha1"
	"github.com/lwsfed/lwsfed/test/world"
)

// soonEnough is when the hub must have said what is wrong with a member.
const soonEnough = 10 * time.Second

// trouble is a member that cannot join, and what the hub must say of it.
type trouble struct {
	name string
	// secret is the content of the member's Secret. Nil means that there is none.
	secret            map[string][]byte
	condition, reason string
	// messages are what names the thing to mend.
	messages []string
}

func troubles(t *testing.T) []trouble {
	t.Helper()
	closed, hung := listen(t), listen(t)
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	go acceptAndKeep(hung)
	old := oldServer(t)
	nobody, err := fleet.Fleet.Member(second).ServiceAccountKubeconfig(t.Context(), metav1.NamespaceDefault, "nobody", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	right, err := clientcmd.RESTConfigFromKubeConfig(nobody)
	if err != nil {
		t.Fatal(err)
	}
	return []trouble{
		{
			"down", secret(kubeconfig(t, "https://"+closed.Addr().String(), nil, "token")),
			v1alpha1.ConditionReachable, v1alpha1.ReasonUnreachable,
			[]string{closed.Addr().String(), "connection refused"},
		},
		{
			"hung", secret(kubeconfig(t, "https://"+hung.Addr().String(), nil, "token")),
			v1alpha1.ConditionReachable, v1alpha1.ReasonUnreachable,
			[]string{hung.Addr().String(), "did not answer in time"},
		},
		{
			"unknown", secret(kubeconfig(t, right.Host, right.CAData, "a token of nobody")),
			v1alpha1.ConditionReachable, v1alpha1.ReasonUnauthorized,
			[]string{"does not accept the credentials of the kubeconfig"},
		},
		{
			"impostor", secret(kubeconfig(t, old.URL, right.CAData, "token")),
			v1alpha1.ConditionReachable, v1alpha1.ReasonInvalidCredentials,
			[]string{"TLS", "unknown authority"},
		},
		{
			"forbidden", secret(nobody),
			v1alpha1.ConditionBootstrapped, v1alpha1.ReasonForbidden,
			[]string{`User "system:serviceaccount:default:nobody" cannot get resource "namespaces"`},
		},
		{
			"too-old", secret(kubeconfig(t, old.URL, authorityOf(old), "token")),
			v1alpha1.ConditionCompatible, v1alpha1.ReasonVersionTooOld,
			[]string{"v1.35.2", "upgrade it to 1.36 or newer"},
		},
		{
			"garbled", secret([]byte("{ this is no kubeconfig")),
			v1alpha1.ConditionReachable, v1alpha1.ReasonInvalidCredentials,
			[]string{"kubeconfig"},
		},
		{
			"without-key",
			map[string][]byte{"config": nobody},
			v1alpha1.ConditionReachable, v1alpha1.ReasonInvalidCredentials,
			[]string{`Secret "without-key" has no key "kubeconfig"`},
		},
		{
			"without-secret", nil,
			v1alpha1.ConditionReachable, v1alpha1.ReasonInvalidCredentials,
			[]string{`Secret "without-secret"`, "does not exist in namespace lwsfed-system"},
		},
	}
}

// Each member that cannot join is reported with what to mend, and delays no other: one that is well is ready about as
// fast among them as alone.
func TestTroubleIsReportedAndDelaysNobody(t *testing.T) {
	timeToReady(t, first)
	timeToReady(t, second) // prepares the cluster, so that its later times can be compared
	leave(t, second)
	alone := timeToReady(t, second)
	leave(t, second)
	all := troubles(t)
	begin := time.Now()
	for _, tr := range all {
		join(t, tr.name, tr.secret)
	}
	among := timeToReady(t, second)
	t.Logf("a member is ready after %v alone, after %v among %d in trouble", alone, among, len(all))
	if bound := 2*alone + time.Second; among > bound {
		t.Errorf("a member was ready after %v among others in trouble, after %v alone; want %v at most", among, alone, bound)
	}

	versions := map[string]string{}
	for _, tr := range all {
		within(t, max(soonEnough-time.Since(begin), time.Second), tr.name+" is reported", func(ctx context.Context) error {
			m, err := member(ctx, tr.name)
			if err != nil {
				return err
			}
			versions[tr.name] = m.ResourceVersion
			return tr.unreported(m)
		})
	}
	// They are tried again and again, with nothing new to say.
	for end := time.Now().Add(4 * time.Second); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		for _, tr := range all {
			m, err := member(t.Context(), tr.name)
			if err != nil {
				t.Fatal(err)
			}
			if m.ResourceVersion != versions[tr.name] {
				t.Fatalf("%s was reported anew: %+v", tr.name, m.Status.Conditions)
			}
		}
		for _, name := range []string{first, second} {
			if err := ready(t.Context(), name); err != nil {
				t.Fatalf("%s, which is well: %v", name, err)
			}
		}
	}
}

// A member joins as soon as what kept it from joining is mended.
func TestMendedMemberJoins(t *testing.T) {
	kubeconfig, err := fleet.Fleet.Member(first).ServiceAccountKubeconfig(t.Context(), v1alpha1.SystemNamespace, "lwsfed", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	join(t, "late", nil)
	reported := func(what string) {
		t.Helper()
		within(t, soonEnough, what, func(ctx context.Context) error {
			m, err := member(ctx, "late")
			if err != nil {
				return err
			}
			tr := trouble{"late", nil, v1alpha1.ConditionReachable, v1alpha1.ReasonInvalidCredentials, []string{what}}
			return tr.unreported(m)
		})
	}
	reported("does not exist")
	s := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: v1alpha1.SystemNamespace, Name: "late"},
		Data:       secret([]byte("{ this is no kubeconfig")),
	}
	create(t, s)
	reported("read the kubeconfig")
	s.Data = secret(kubeconfig)
	if err := fleet.Hub.Update(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	within(t, soonEnough, "late is ready", func(ctx context.Context) error { return ready(ctx, "late") })
}

// unreported says what the status of a member lacks.
func (tr trouble) unreported(m *v1alpha1.MemberCluster) error {
	for _, kind := range []string{tr.condition, v1alpha1.ConditionReady} {
		c := meta.FindStatusCondition(m.Status.Conditions, kind)
		if c == nil || c.Status != metav1.ConditionFalse || c.Reason != tr.reason || c.ObservedGeneration != m.Generation {
			return fmt.Errorf("%s is %+v, want False, %s", kind, c, tr.reason)
		}
		for _, message := range tr.messages {
			if !strings.Contains(c.Message, message) {
				return fmt.Errorf("%s says %q, want %q in it", kind, c.Message, message)
			}
		}
	}
	return nil
}

// timeToReady joins a cluster of the fleet for the time of the test, and returns how long it takes to be ready.
func timeToReady(t *testing.T, name string) time.Duration {
	t.Helper()
	begin := time.Now()
	if err := fleet.Join(t.Context(), name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { leave(t, name) })
	within(t, time.Minute, name+" is ready", func(ctx context.Context) error { return ready(ctx, name) })
	return time.Since(begin).Round(time.Millisecond)
}

// join makes a member for the time of the test.
func join(t *testing.T, name string, secret map[string][]byte) {
	t.Helper()
	t.Cleanup(func() { leave(t, name) })
	if secret != nil {
		create(t, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: v1alpha1.SystemNamespace, Name: name}, Data: secret})
	}
	create(t, &v1alpha1.MemberCluster{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       v1alpha1.MemberClusterSpec{KubeconfigSecretRef: &v1alpha1.SecretReference{Name: name}},
	})
}

func leave(t *testing.T, name string) {
	t.Helper()
	for _, o := range []client.Object{
		&v1alpha1.MemberCluster{ObjectMeta: metav1.ObjectMeta{Name: name}},
		&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: v1alpha1.SystemNamespace, Name: name}},
	} {
		if err := fleet.Hub.Delete(context.Background(), o); client.IgnoreNotFound(err) != nil {
			t.Errorf("delete %T %s: %v", o, name, err)
		}
	}
}

func create(t *testing.T, o client.Object) {
	t.Helper()
	if err := fleet.Hub.Create(t.Context(), o); err != nil {
		t.Fatalf("create %T %s: %v", o, o.GetName(), err)
	}
}

func member(ctx context.Context, name string) (*v1alpha1.MemberCluster, error) {
	m := &v1alpha1.MemberCluster{}
	return m, fleet.Hub.Get(ctx, client.ObjectKey{Name: name}, m)
}

func ready(ctx context.Context, name string) error {
	m, err := member(ctx, name)
	if err != nil {
		return err
	}
	return world.IsTrue(m.Status.Conditions, v1alpha1.ConditionReady, name)
}

// within waits until check finds nothing wrong.
func within(t *testing.T, bound time.Duration, what string, check func(context.Context) error) {
	t.Helper()
	begin := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), bound)
	defer cancel()
	if err := world.Poll(ctx, check); err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	t.Logf("%s: %v", what, time.Since(begin).Round(time.Millisecond))
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	return listener
}

// acceptAndKeep takes every connection and never answers, until the listener is closed.
func acceptAndKeep(listener net.Listener) {
	var kept []net.Conn
	for {
		connection, err := listener.Accept()
		if err != nil {
			break
		}
		kept = append(kept, connection)
	}
	for _, connection := range kept {
		_ = connection.Close()
	}
}

// oldServer says of itself that it is Kubernetes 1.35.
func oldServer(t *testing.T) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "ok") })
	mux.HandleFunc("GET /version", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(version.Info{Major: "1", Minor: "35", GitVersion: "v1.35.2"})
	})
	server := httptest.NewUnstartedServer(mux)
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // of handshakes that clients refuse
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

func authorityOf(s *httptest.Server) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
}

func secret(kubeconfig []byte) map[string][]byte {
	return map[string][]byte{v1alpha1.KubeconfigKey: kubeconfig}
}

func kubeconfig(t *testing.T, server string, authority []byte, token string) []byte {
	t.Helper()
	encoded, err := clientcmd.Write(clientcmdapi.Config{
		Clusters:       map[string]*clientcmdapi.Cluster{"c": {Server: server, CertificateAuthorityData: authority}},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{"u": {Token: token}},
		Contexts:       map[string]*clientcmdapi.Context{"c": {Cluster: "c", AuthInfo: "u"}},
		CurrentContext: "c",
	})
	if err != nil {
		t.Fatal(err)
	}
	return encoded
}
