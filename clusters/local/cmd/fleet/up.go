package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/lwsfed/lwsfed/clusters/local"
)

const stateInterval = 100 * time.Millisecond

func newUp() *cobra.Command {
	s := &shape{}
	var foreground bool
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Start a fleet, or say that it is up, and print its kubeconfigs",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := s.folder()
			if err != nil {
				return err
			}
			out, log := cmd.OutOrStdout(), cmd.ErrOrStderr()
			running, err := awaitRunning(cmd.Context(), dir)
			if err != nil {
				return err
			}
			if running != nil {
				fmt.Fprintf(log, "fleet %q is already up\n", s.name)
				return running.print(out)
			}
			if foreground {
				return s.run(cmd.Context(), dir, log, func(own *state) { _ = own.print(out) })
			}
			return s.startSupervisor(cmd.Context(), dir, out, log)
		},
	}
	s.addFlags(cmd)
	cmd.Flags().BoolVar(&foreground, "foreground", false, "stay until Ctrl-C, which ends the fleet")
	return cmd
}

// awaitRunning returns the state of a living fleet as soon as it is ready, or nil if there is none.
func awaitRunning(ctx context.Context, dir string) (*state, error) {
	for {
		s, err := readState(dir)
		if err != nil || s == nil {
			return nil, err
		}
		process, err := s.process()
		if err != nil || process == nil {
			return nil, err
		}
		if s.Ready {
			return s, nil
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for the fleet: %w", ctx.Err())
		case <-time.After(stateInterval):
		}
	}
}

// startSupervisor starts this program again in a session of its own and waits until the fleet is
// ready. The programs are built first, so that the progress of a slow build is seen.
func (s *shape) startSupervisor(ctx context.Context, dir string, out, log io.Writer) error {
	if _, err := s.options(dir, io.Discard); err != nil {
		return err
	}
	if _, err := local.Build(ctx, log); err != nil {
		return fmt.Errorf("build the programs: %w", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make the folder of the fleet: %w", err)
	}
	supervisor, logPath, err := s.supervisor(dir)
	if err != nil {
		return err
	}
	exited := make(chan error, 1)
	go func() { exited <- supervisor.Wait() }()
	for {
		current, err := readState(dir)
		if err != nil {
			return err
		}
		if current != nil && current.Ready && current.PID == supervisor.Process.Pid {
			return current.print(out)
		}
		select {
		case err := <-exited:
			return errors.Join(fmt.Errorf("the fleet did not start: %w (log %s)", err, logPath), copyFile(log, logPath))
		case <-ctx.Done():
			_ = supervisor.Process.Signal(syscall.SIGTERM)
			<-exited
			return fmt.Errorf("start the fleet: %w", ctx.Err())
		case <-time.After(stateInterval):
		}
	}
}

func (s *shape) supervisor(dir string) (*exec.Cmd, string, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, "", fmt.Errorf("find this program: %w", err)
	}
	path := filepath.Join(dir, logName)
	log, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, "", fmt.Errorf("open the log of the supervisor: %w", err)
	}
	defer log.Close()
	cmd := exec.Command(self, append([]string{"run"}, s.arguments(dir)...)...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return nil, "", fmt.Errorf("start the supervisor: %w", err)
	}
	return cmd, path, nil
}

func copyFile(to io.Writer, path string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	_, err = to.Write(content)
	return err
}

func (s *state) print(to io.Writer) error {
	for _, c := range s.Cluster {
		if _, err := fmt.Fprintf(to, "%s\t%s\n", c.Name, c.Kubeconfig); err != nil {
			return err
		}
	}
	return nil
}
