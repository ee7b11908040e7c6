// Package membership tells how members join a hub, and what the hub says of those that cannot. The members are API
// servers and nothing else: no set runs in them.
package membership

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/lwsfed/lwsfed/clusters/local"
	"github.com/lwsfed/lwsfed/test/world"
)

// first and second are clusters that are prepared as an operator would, but no members yet.
const (
	first  = "first"
	second = "second"
)

// fleet is the world of all stories of this package, one after the other.
var fleet *world.World

func TestMain(m *testing.M) {
	flag.Parse()
	ctrl.SetLogger(logr.Discard()) // of the clients of this process, not of lwsfed
	if testing.Short() {
		fmt.Println("skipped: starts real control planes")
		return
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "lwsfed-membership-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.Remove(dir) }()                                    // unless logs are kept in it
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Minute) // the first build is slow
	defer cancel()
	fleet, err = world.Start(ctx, world.Options{Log: os.Stderr, Spare: []string{first, second}, Fleet: local.Options{
		Name: "membership", Dir: filepath.Join(dir, "fleet"), Log: os.Stderr,
		Members: []local.Member{{Name: first, APIOnly: true}, {Name: second, APIOnly: true}},
	}})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer fleet.Stop()
	code := m.Run()
	if code != 0 {
		fleet.Fleet.KeepLogs()
		fmt.Fprintln(os.Stderr, "logs are kept in", dir)
	}
	return code
}
