// Command fleet starts and stops local fleets: a hub and members as processes of this machine.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/lwsfed/lwsfed/clusters/local"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := newCommand().ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "fleet:", err)
		os.Exit(1)
	}
}

func newCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "fleet",
		Short:         "Run a hub and member clusters as local processes",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(newUp(), newRun(), newDown(), newBuild())
	return root
}

func newBuild() *cobra.Command {
	return &cobra.Command{
		Use:   "build",
		Short: "Build the programs of a fleet into the cache",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			bin, err := local.Build(cmd.Context(), cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), bin)
			return err
		},
	}
}

// place says which fleet a command is about.
type place struct{ name, dir string }

func (p *place) addFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&p.name, "name", "dev", "name of the fleet")
	cmd.Flags().StringVar(&p.dir, "dir", "", "folder of the fleet (default .fleet/<name>)")
}

// folder returns the absolute path of the fleet's folder.
func (p *place) folder() (string, error) {
	dir := p.dir
	if dir == "" {
		dir = filepath.Join(".fleet", p.name)
	}
	return filepath.Abs(dir)
}
