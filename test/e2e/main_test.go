// Package e2e tells stories of sets on a fleet of real control planes: a hub with lwsfed and two members. Each file
// is about one behaviour. What happens in the members is watched all along, and each story fails if the promise
// of package invariant was broken.
package e2e

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
	"github.com/lwsfed/lwsfed/test/invariant"
	"github.com/lwsfed/lwsfed/test/world"
)

// east and west are the members. Each has 800 places for pods.
const (
	east = "east"
	west = "west"
)

var members = []string{east, west}

// fleet is the world of all stories of this package, one after the other.
var fleet *world.World

// journals tell what happened in each member, and unwatch ends what writes them.
var (
	journals = map[string]*invariant.Journal{}
	unwatch  = map[string]context.CancelFunc{}
)

// watch writes a member's journal anew, or on.
func watch(member string) error {
	if journals[member] == nil {
		journals[member] = invariant.NewJournal()
	} else {
		unwatch[member]()
	}
	ctx, cancel := context.WithCancel(context.Background())
	unwatch[member] = cancel
	return invariant.Watch(ctx, fleet.Fleet.Member(member).RESTConfig(), journals[member])
}

func TestMain(m *testing.M) {
	flag.Parse()
	ctrl.SetLogger(logr.Discard()) // of the watches of this process, not of lwsfed
	if testing.Short() {
		fmt.Println("skipped: starts real control planes")
		return
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	dir, err := os.MkdirTemp("", "lwsfed-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.Remove(dir) }()                          // unless logs are kept in it
	start, cancelStart := context.WithTimeout(ctx, 20*time.Minute) // the first build is slow
	defer cancelStart()
	fleet, err = world.Start(start, world.Options{Log: os.Stderr, Fleet: local.Options{
		Name: "e2e", Dir: filepath.Join(dir, "fleet"), Log: os.Stderr, Audit: true,
		Members: []local.Member{
			{Name: east, Labels: map[string]string{"region": "east"}},
			{Name: west, Labels: map[string]string{"region": "west"}},
		},
	}})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer fleet.Stop()
	for _, name := range members {
		if err := watch(name); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	code := m.Run()
	if code != 0 {
		fleet.Fleet.KeepLogs()
		fmt.Fprintln(os.Stderr, "logs are kept in", dir)
	}
	return code
}
