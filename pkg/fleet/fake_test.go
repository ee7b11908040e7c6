package fleet

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr/testr"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/multicluster-runtime/pkg/multicluster"
)

// fakeServer answers what a member needs. behave decides what else happens; it returns true if it answered.
type fakeServer struct {
	*httptest.Server
	mu     sync.Mutex
	behave func(http.ResponseWriter, *http.Request) bool
	closed chan struct{}
}

func newFakeServer(t *testing.T, behave func(http.ResponseWriter, *http.Request) bool) *fakeServer {
	t.Helper()
	s := &fakeServer{behave: behave, closed: make(chan struct{})}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(s.serve))
	s.EnableHTTP2 = true
	s.StartTLS()
	t.Cleanup(func() {
		close(s.closed)
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

func (s *fakeServer) set(behave func(http.ResponseWriter, *http.Request) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.behave = behave
}

func (s *fakeServer) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	behave := s.behave
	s.mu.Unlock()
	if behave != nil && behave(w, r) {
		return
	}
	switch {
	case r.URL.Path == "/readyz":
		fmt.Fprint(w, "ok")
	case r.URL.Query().Get("watch") != "":
		s.watch(w, r)
	default:
		list(w, r)
	}
}

// kinds are the kinds of the paths that are listed.
var kinds = map[string]string{
	"pods": "v1/Pod", "services": "v1/Service", "nodes": "v1/Node",
	"statefulsets": "apps/v1/StatefulSet", "controllerrevisions": "apps/v1/ControllerRevision",
	"leaderworkersets": "leaderworkerset.x-k8s.io/v1/LeaderWorkerSet",
}

func kindOf(r *http.Request) (apiVersion, kind string) {
	full := kinds[r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]]
	i := strings.LastIndex(full, "/")
	if i < 0 {
		return "v1", "Status"
	}
	return full[:i], full[i+1:]
}

func answer(w http.ResponseWriter, code int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(body)
}

func list(w http.ResponseWriter, r *http.Request) {
	apiVersion, kind := kindOf(r)
	answer(w, http.StatusOK, map[string]any{
		"apiVersion": apiVersion, "kind": kind + "List", "metadata": map[string]any{"resourceVersion": "1"}, "items": []any{},
	})
}

func (s *fakeServer) watch(w http.ResponseWriter, r *http.Request) {
	apiVersion, kind := kindOf(r)
	w.Header().Set("Content-Type", "application/json")
	if r.URL.Query().Get("sendInitialEvents") == "true" {
		_ = json.NewEncoder(w).Encode(map[string]any{"type": "BOOKMARK", "object": map[string]any{
			"apiVersion": apiVersion, "kind": kind, "metadata": map[string]any{
				"resourceVersion": "1", "annotations": map[string]string{"k8s.io/initial-events-end": "true"},
			},
		}})
	}
	w.(http.Flusher).Flush()
	s.hang(r)
}

// hang waits for the client to give up.
func (s *fakeServer) hang(r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-s.closed:
	}
}

func status(w http.ResponseWriter, code int, reason, message string) {
	answer(w, code, map[string]any{"apiVersion": "v1", "kind": "Status", "status": "Failure", "code": code, "reason": reason, "message": message})
}

func (s *fakeServer) kubeconfig() []byte {
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	return kubeconfig(s.URL, ca)
}

func kubeconfig(server string, ca []byte) []byte {
	out, _ := json.Marshal(map[string]any{
		"apiVersion": "v1", "kind": "Config", "current-context": "x",
		"contexts": []any{map[string]any{"name": "x", "context": map[string]any{"cluster": "c", "user": "u"}}},
		"clusters": []any{map[string]any{"name": "c", "cluster": map[string]any{"server": server, "certificate-authority-data": ca}}},
		"users":    []any{map[string]any{"name": "u", "user": map[string]any{"token": "t"}}},
	})
	return out
}

// engagements records what a fleet engaged.
type engagements struct {
	mu   sync.Mutex
	ctxs map[multicluster.ClusterName][]context.Context
	at   map[multicluster.ClusterName]time.Time
}

func (e *engagements) Engage(ctx context.Context, name multicluster.ClusterName, _ cluster.Cluster) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ctxs == nil {
		e.ctxs, e.at = map[multicluster.ClusterName][]context.Context{}, map[multicluster.ClusterName]time.Time{}
	}
	e.ctxs[name] = append(e.ctxs[name], ctx)
	e.at[name] = time.Now()
	return nil
}

func (e *engagements) count(name multicluster.ClusterName) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.ctxs[name])
}

// startFleet runs a fleet until the test ends, and checks that it ends then.
func startFleet(t *testing.T, prepare Prepare, change func(*timings)) (*Fleet, *engagements) {
	t.Helper()
	f := New(Options{Log: testr.NewWithOptions(t, testr.Options{Verbosity: 0}), Prepare: prepare})
	if change != nil {
		change(&f.times)
	}
	ctx, cancel := context.WithCancel(context.Background())
	e := &engagements{}
	done := make(chan error, 1)
	go func() { done <- f.Start(ctx, e) }()
	t.Cleanup(func() {
		cancel()
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("Start: %v", err)
			}
		case <-time.After(10 * time.Second):
			t.Error("the fleet did not end within 10 s")
		}
	})
	return f, e
}

// eventually waits until ok is true and returns how long that took.
func eventually(t *testing.T, within time.Duration, what string, ok func() bool) time.Duration {
	t.Helper()
	start := time.Now()
	for time.Since(start) < within {
		if ok() {
			return time.Since(start)
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("not within %s: %s", within, what)
	return 0
}
