package fleet

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/multicluster-runtime/pkg/multicluster"

	"github.com/lwsfed/lwsfed/api/v1alpha1"
)

// trouble is a member that cannot be engaged.
type trouble struct {
	name       string
	kubeconfig []byte
	reason     string
	condition  func(State) Condition
	message    string
}

func contact(s State) Condition   { return s.Contact }
func bootstrap(s State) Condition { return s.Bootstrapped }
func compat(s State) Condition    { return s.Compatible }

func troubles(t *testing.T) []trouble {
	refused, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = refused.Close()
	// A listener that nobody accepts from: the connection is made, the handshake never ends.
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { silent.Close() })

	var hung, halfHung *fakeServer
	hung = newFakeServer(t, func(_ http.ResponseWriter, r *http.Request) bool { hung.hang(r); return true })
	halfHung = newFakeServer(t, func(_ http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/readyz" {
			return false
		}
		halfHung.hang(r)
		return true
	})
	forbidden := newFakeServer(t, func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "/pods") {
			return false
		}
		status(w, http.StatusForbidden, "Forbidden", `pods is forbidden: User "u" cannot list resource "pods"`)
		return true
	})
	unauthorized := newFakeServer(t, func(w http.ResponseWriter, _ *http.Request) bool {
		status(w, http.StatusUnauthorized, "Unauthorized", "Unauthorized")
		return true
	})
	sick := newFakeServer(t, func(w http.ResponseWriter, _ *http.Request) bool {
		http.Error(w, "[+]ping ok\n[-]etcd failed: reason withheld\nreadyz check failed", http.StatusInternalServerError)
		return true
	})
	old := newFakeServer(t, nil)
	other := newFakeServer(t, nil)
	return []trouble{
		{"refused", kubeconfig("https://"+refused.Addr().String(), nil), v1alpha1.ReasonUnreachable, contact, "connection refused"},
		{"silent", kubeconfig("https://"+silent.Addr().String(), nil), v1alpha1.ReasonUnreachable, contact, silent.Addr().String() + " did not answer in time"},
		{"hung", hung.kubeconfig(), v1alpha1.ReasonUnreachable, contact, "did not answer in time"},
		{"half-hung", halfHung.kubeconfig(), v1alpha1.ReasonBootstrapFailed, bootstrap, "not read within"},
		{"forbidden", forbidden.kubeconfig(), v1alpha1.ReasonForbidden, bootstrap, `cannot list resource "pods"`},
		{"unauthorized", unauthorized.kubeconfig(), v1alpha1.ReasonUnauthorized, contact, "credentials"},
		{"sick", sick.kubeconfig(), v1alpha1.ReasonUnreachable, contact, "[-]etcd failed"},
		{"wrong-ca", kubeconfig(other.URL, nil), v1alpha1.ReasonInvalidCredentials, contact, "TLS: "},
		{"too-old", old.kubeconfig(), v1alpha1.ReasonVersionTooOld, compat, "1.30"},
		{"no-kubeconfig", nil, v1alpha1.ReasonInvalidCredentials, contact, "empty"},
		{"no-host", kubeconfig("https://no.such.host.invalid:6443", nil), v1alpha1.ReasonUnreachable, contact, "no.such.host.invalid"},
	}
}

func TestTroubleIsReportedAndDelaysNobody(t *testing.T) {
	good := newFakeServer(t, nil)
	all := troubles(t)
	f, e := startFleet(t, func(_ context.Context, a Access) (Report, error) {
		if a.Name == "too-old" {
			return Report{Version: "v1.30.1"}, &Failure{v1alpha1.ConditionCompatible, v1alpha1.ReasonVersionTooOld, errors.New("Kubernetes v1.30.1 is too old")}
		}
		return Report{Version: "v1.36.3", ClusterUID: "uid"}, nil
	}, nil)
	for _, tr := range all {
		f.Set(tr.name, Member{Kubeconfig: tr.kubeconfig})
	}
	time.Sleep(100 * time.Millisecond) // so that they are in trouble already
	start := time.Now()
	f.Set("good", Member{Kubeconfig: good.kubeconfig()})
	t.Logf("good engaged after %s", eventually(t, 2*time.Second, "good is engaged", func() bool {
		s, _ := f.State("good")
		return s.Ready && s.Reachable && e.count("good") == 1
	}))
	for _, tr := range all {
		eventually(t, 10*time.Second-time.Since(start), tr.name+" is reported", func() bool {
			s, _ := f.State(tr.name)
			return tr.condition(s).Reason == tr.reason && !s.Ready && !s.Reachable
		})
		s, _ := f.State(tr.name)
		c := tr.condition(s)
		t.Logf("%-14s %s=%s %q", tr.name, c.Reason, c.Status, c.Message)
		if c.Status != "False" || !strings.Contains(c.Message, tr.message) {
			t.Errorf("%s: want a False condition that says %q, got %+v", tr.name, tr.message, c)
		}
		if s.Reason != c.Reason || s.Message != c.Message {
			t.Errorf("%s: Ready says %s %q, want what %s says", tr.name, s.Reason, s.Message, c.Reason)
		}
		if strings.Contains(c.Message, "->") {
			t.Errorf("%s: the message names our port, so it changes at every retry: %q", tr.name, c.Message)
		}
		if e.count(multicluster.ClusterName(tr.name)) != 0 {
			t.Errorf("%s: engaged", tr.name)
		}
		if _, err := f.Get(t.Context(), multicluster.ClusterName(tr.name)); !errors.Is(err, multicluster.ErrClusterNotFound) {
			t.Errorf("%s: Get: want ErrClusterNotFound, got %v", tr.name, err)
		}
	}
	// Deleting a member in any trouble ends its goroutine soon.
	for _, tr := range all {
		f.Delete(tr.name)
	}
	took := eventually(t, 5*time.Second, "only good runs", func() bool {
		f.mu.RLock()
		defer f.mu.RUnlock()
		return len(f.last) == 1
	})
	t.Logf("all ended after %s", took)
}

func TestForbiddenMemberJoinsOnceTheRightIsGiven(t *testing.T) {
	s := newFakeServer(t, func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "/pods") {
			return false
		}
		status(w, http.StatusForbidden, "Forbidden", "pods is forbidden")
		return true
	})
	f, _ := startFleet(t, nil, nil)
	f.Set("m", Member{Kubeconfig: s.kubeconfig()})
	eventually(t, 5*time.Second, "m is forbidden", func() bool {
		st, _ := f.State("m")
		return st.Reason == v1alpha1.ReasonForbidden
	})
	s.set(nil)
	eventually(t, 10*time.Second, "m is ready", func() bool {
		st, _ := f.State("m")
		return st.Ready
	})
}
