package fleet

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"

	"github.com/lwsfed/lwsfed/api/v1alpha1"
)

// ping asks the member whether it is ready. A server that answers "forbidden" or "too many requests" is there; one
// that does not know us, or says that it is not ready, is of no use.
func (l line) ping(ctx context.Context, timeout time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	base, _, err := rest.DefaultServerUrlFor(l.config)
	if err != nil {
		return unreachable(v1alpha1.ReasonInvalidCredentials, fmt.Errorf("kubeconfig: server: %w", err))
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base.JoinPath("readyz").String(), nil)
	if err != nil {
		return unreachable(v1alpha1.ReasonInvalidCredentials, fmt.Errorf("kubeconfig: server: %w", err))
	}
	resp, err := l.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 4096))
	if err != nil {
		return err
	}
	switch {
	case resp.StatusCode == http.StatusUnauthorized:
		return apierrors.NewUnauthorized("the member does not accept the credentials of the kubeconfig")
	case resp.StatusCode >= http.StatusInternalServerError:
		return unreachable(v1alpha1.ReasonUnreachable, fmt.Errorf("GET /readyz: %s%s", resp.Status, failedChecks(string(body))))
	}
	return nil
}

// failedChecks keeps the lines of a /readyz answer that say what is wrong.
func failedChecks(body string) string {
	var failed []string
	for l := range strings.Lines(body) {
		if l = strings.TrimSpace(l); strings.HasPrefix(l, "[-]") {
			failed = append(failed, l)
		}
	}
	if len(failed) == 0 {
		return ""
	}
	return ": " + strings.Join(failed, ", ")
}

// health turns single probes into a verdict that does not flap.
type health struct {
	reachable       bool
	misses, answers int
}

// observe counts one probe.
func (h health) observe(answered bool, t timings) health {
	if answered {
		h.misses, h.answers = 0, h.answers+1
		h.reachable = h.reachable || h.answers >= t.answers
		return h
	}
	h.misses, h.answers = h.misses+1, 0
	h.reachable = h.reachable && h.misses < t.misses
	return h
}
