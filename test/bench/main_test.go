// Package bench measures lwsfed on fleets of real control planes: one file a claim, each with the limit that the
// claim sets. Where a claim is a ratio, both sides are measured in the same fleet, by turns, with the same clock and
// the same watches: what lwsfed does, and the floor, which is what a program without lwsfed's duties would do.
//
// A missed limit fails no test, for it may be the machine's; what did not happen does. The environment variable
// LWSFED_BENCH=1 turns the package on.
package bench

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"
)

// dir holds what the fleets write.
var dir string

func TestMain(m *testing.M) {
	flag.Parse()
	ctrl.SetLogger(logr.Discard()) // of the watches of this process, not of lwsfed
	if os.Getenv("LWSFED_BENCH") != "1" {
		fmt.Println("skipped: LWSFED_BENCH is not 1")
		return
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	var err error
	if dir, err = os.MkdirTemp("", "lwsfed-bench-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	printTable(os.Stdout)
	if code != 0 {
		fmt.Fprintln(os.Stderr, "logs are kept in", dir)
		return code
	}
	if err := os.RemoveAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return 0
}
