// Package api asks a real API server what the CRDs of config/crd accept, refuse and fill in. There is one file a kind.
// Each rule has a case that breaks it, with the message that the user reads, and one at its edge that does not.
package api

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-logr/logr"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/lwsfed/lwsfed/clusters/local"
	"github.com/lwsfed/lwsfed/pkg/fleet"
	"github.com/lwsfed/lwsfed/test/world"
)

// hub is the cluster of all tests of this package, hubClient its administrator's client.
var (
	hub       *local.Cluster
	hubClient client.Client
)

func TestMain(m *testing.M) {
	flag.Parse()
	ctrl.SetLogger(logr.Discard())
	if testing.Short() {
		fmt.Println("skipped: starts a real control plane")
		return
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "lwsfed-api-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Minute) // the first build is slow
	defer cancel()
	f, err := local.Start(ctx, local.Options{Name: "api", Dir: filepath.Join(dir, "fleet"), Log: os.Stderr})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer f.Stop()
	hub = f.Hub()
	if err := install(ctx); err != nil {
		f.KeepLogs()
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	if code != 0 {
		f.KeepLogs()
		fmt.Fprintln(os.Stderr, "logs are kept in", dir)
	}
	return code
}

func install(ctx context.Context) (err error) {
	scheme := fleet.NewScheme()
	utilruntime.Must(autoscalingv1.AddToScheme(scheme))
	if hubClient, err = client.New(hub.RESTConfig(), client.Options{Scheme: scheme}); err != nil {
		return err
	}
	return world.Install(ctx, hubClient, "config/crd")
}
