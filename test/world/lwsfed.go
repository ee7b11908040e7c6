package world

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/lwsfed/lwsfed/api/v1alpha1"
	"github.com/lwsfed/lwsfed/clusters/local"
)

// Lwsfed is the lwsfed program of a world.
type Lwsfed struct {
	*local.Program
	metrics, health string
}

// newLwsfed builds the program and gives it the credential of its service account.
func newLwsfed(ctx context.Context, f *local.Fleet, flags []string) (*Lwsfed, error) {
	binary, err := build(ctx, filepath.Dir(f.Hub().Kubeconfig()))
	if err != nil {
		return nil, err
	}
	kubeconfig, err := f.Hub().ServiceAccountKubeconfig(ctx, v1alpha1.SystemNamespace, serviceAccount, 12*time.Hour)
	if err != nil {
		return nil, err
	}
	path, err := f.WriteSecret("lwsfed.yaml", kubeconfig)
	if err != nil {
		return nil, err
	}
	l := &Lwsfed{}
	for _, address := range []*string{&l.metrics, &l.health} {
		port, err := f.Port()
		if err != nil {
			return nil, err
		}
		*address = fmt.Sprintf("127.0.0.1:%d", port)
	}
	l.Program = f.Hub().Program(binary, append([]string{
		"--kubeconfig=" + path, "--zap-log-level=debug",
		// A killed process leaves its lease to run out.
		"--leader-elect-lease-duration=6s", "--leader-elect-renew-deadline=5s", "--leader-elect-retry-period=500ms",
		"--metrics-bind-address=" + l.metrics, "--health-probe-bind-address=" + l.health,
	}, flags...)...)
	return l, nil
}

// build builds the program into a folder.
func build(ctx context.Context, folder string) (string, error) {
	home, err := Root()
	if err != nil {
		return "", err
	}
	binary := filepath.Join(folder, "lwsfed")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", binary, "./cmd/lwsfed")
	cmd.Dir = home
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build lwsfed: %w\n%s", err, out)
	}
	return binary, nil
}

// Start starts the program and waits until it says that it is ready.
func (l *Lwsfed) Start(ctx context.Context) error {
	return l.Program.Start(ctx, func(ctx context.Context) error {
		_, err := get(ctx, "http://"+l.health+"/readyz")
		return err
	})
}

// AwaitLead waits until the program that runs now holds the lease. A process that was killed leaves the lease to
// run out.
func (l *Lwsfed) AwaitLead(ctx context.Context) error {
	return Poll(ctx, func(ctx context.Context) error {
		page, err := l.Metrics(ctx)
		if err != nil {
			return err
		}
		if !strings.Contains(page, `leader_election_master_status{name="lwsfed"} 1`) {
			return errors.New("the program does not hold the lease yet")
		}
		return nil
	})
}

// Metrics returns the page of metrics.
func (l *Lwsfed) Metrics(ctx context.Context) (string, error) {
	return get(ctx, "http://"+l.metrics+"/metrics")
}

func get(ctx context.Context, url string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", url, err)
	}
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s: %s", url, response.Status)
	}
	return string(body), nil
}
