// Command demo shows lwsfed at work: it starts a hub and two members on this machine, applies the sample of
// config/samples, scales it and updates it, and shows meanwhile what the clusters look like. It stays until Ctrl-C.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	"golang.org/x/term"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/lwsfed/lwsfed/clusters/local"
	"github.com/lwsfed/lwsfed/test/world"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	home, err := world.Root()
	if err == nil {
		var to display = &lines{to: os.Stdout}
		if term.IsTerminal(int(os.Stdout.Fd())) {
			to = &screen{to: os.Stdout}
		}
		err = run(ctx, filepath.Join(home, ".fleet", "demo"), os.Stderr, to)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

// run starts the fleet in a folder, plays the script and shows the fleet until ctx ends.
func run(ctx context.Context, dir string, log io.Writer, to display) error {
	ctrl.SetLogger(logr.Discard()) // of the watches of this process, not of lwsfed
	w, err := world.Start(ctx, world.Options{Log: log, Fleet: local.Options{
		Name: "demo", Dir: dir, Log: log,
		Members: []local.Member{
			// Each node has eight GPUs, a pod of the sample takes them all.
			{Name: "eu-1", Nodes: 8, ReadyAfter: 2 * time.Second, Labels: map[string]string{"gpu": "h200"}},
			{Name: "us-1", Nodes: 4, ReadyAfter: 3 * time.Second, Labels: map[string]string{"gpu": "h200"}},
		},
	}})
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	defer func() {
		w.Stop()
		fmt.Fprintln(log, "the fleet has ended")
	}()
	o, err := newObserver(ctx, w)
	if err != nil {
		return err
	}
	return play(ctx, o, to)
}
