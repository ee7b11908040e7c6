package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/lwsfed/lwsfed/clusters/local"
)

// downTimeout is long for a fleet, which ends within a second.
const downTimeout = 30 * time.Second

func newDown() *cobra.Command {
	p := &place{}
	cmd := &cobra.Command{
		Use:   "down",
		Short: "End a fleet and remove its folder",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := p.folder()
			if err != nil {
				return err
			}
			ended, err := end(cmd.Context(), dir)
			if err != nil {
				return fmt.Errorf("end fleet %q: %w", p.name, err)
			}
			if !ended {
				fmt.Fprintf(cmd.ErrOrStderr(), "fleet %q is not up\n", p.name)
			}
			return sweep(dir)
		},
	}
	p.addFlags(cmd)
	return cmd
}

// sweep removes what a supervisor that was killed left behind. A new supervisor cannot start meanwhile.
func sweep(dir string) error {
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	release, err := claim(dir)
	if err != nil {
		return err
	}
	defer release()
	if err := local.Clear(dir); err != nil {
		return err
	}
	return removeTraces(dir)
}

// end asks the supervisor to end and waits until it is gone. It reports false if there was none.
func end(ctx context.Context, dir string) (bool, error) {
	s, err := readState(dir)
	if err != nil || s == nil {
		return false, err
	}
	process, err := s.process()
	if err != nil || process == nil {
		return false, err
	}
	if err := process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return false, fmt.Errorf("signal the supervisor: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, downTimeout)
	defer cancel()
	for {
		left, err := s.process()
		if err != nil || left == nil {
			return true, err
		}
		select {
		case <-ctx.Done():
			return false, fmt.Errorf("supervisor %d does not end: %w", s.PID, ctx.Err())
		case <-time.After(stateInterval):
		}
	}
}
