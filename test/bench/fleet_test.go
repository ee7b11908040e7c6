package bench

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/lwsfed/lwsfed/clusters/local"
	"github.com/lwsfed/lwsfed/test/world"
)

const (
	// patience is how long anything may take. Only a failure waits that long.
	patience = 3 * time.Minute
	// calm is how long a fleet is left alone before it is measured.
	calm = 2 * time.Second
)

// shipped are flags with the values that lwsfed has by itself; those of tests cost more.
var shipped = []string{
	"--zap-log-level=info",
	"--leader-elect-lease-duration=15s", "--leader-elect-renew-deadline=10s", "--leader-elect-retry-period=2s",
}

// start starts a world that lives as long as the test.
func start(t *testing.T, o world.Options) *world.World {
	t.Helper()
	o.Fleet = inDir(t, o.Fleet)
	w, err := world.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, w.Fleet) })
	return w
}

func stop(t *testing.T, f *local.Fleet) {
	if t.Failed() {
		f.KeepLogs()
	}
	f.Stop()
}

// inDir gives a fleet of the test a folder that is kept where the test fails.
func inDir(t *testing.T, o local.Options) local.Options {
	o.Name = "bench"
	o.Dir = filepath.Join(dir, t.Name())
	return o
}

// two are members that run pods.
func two() local.Options {
	return local.Options{Members: []local.Member{{Name: "east"}, {Name: "west"}}}
}
