// Command demo shows lwsfed at work.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/lwsfed/lwsfed/clusters/local"
	"github.com/lwsfed/lwsfed/test/world"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	w, err := world.Start(ctx, world.Options{Fleet: local.Options{
		Name: "demo", Dir: ".fleet/demo", Log: os.Stderr, Audit: true,
		Members: []local.Member{{Name: "eu-1"}, {Name: "us-1"}},
	}})
	if err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
	defer w.Stop()
	fmt.Println("up")
	<-ctx.Done()
}
