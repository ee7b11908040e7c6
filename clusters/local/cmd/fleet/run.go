package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/lwsfed/lwsfed/clusters/local"
)

var errAlreadyUp = errors.New("the fleet is already up")

// newRun is what up starts: the supervisor, whose life is the life of the fleet.
func newRun() *cobra.Command {
	s := &shape{}
	cmd := &cobra.Command{
		Use:    "run",
		Short:  "Run a fleet until a signal comes",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := s.folder()
			if err != nil {
				return err
			}
			return s.run(cmd.Context(), dir, cmd.ErrOrStderr(), func(*state) {})
		},
	}
	s.addFlags(cmd)
	return cmd
}

// run starts a fleet, tells ready, and ends the fleet when the context ends.
func (s *shape) run(ctx context.Context, dir string, log io.Writer, ready func(*state)) error {
	options, err := s.options(dir, log)
	if err != nil {
		return err
	}
	unlock, err := claim(dir)
	if err != nil {
		return err
	}
	defer unlock()
	own, err := newState()
	if err != nil {
		return err
	}
	if err := own.write(dir); err != nil {
		return err
	}
	f, err := local.Start(ctx, options)
	if err != nil {
		return errors.Join(err, os.Remove(stateFile(dir)))
	}
	defer func() { _ = removeTraces(dir) }() // what is left disturbs no later fleet
	defer f.Stop()
	own.setReady(f)
	if err := own.write(dir); err != nil {
		return err
	}
	ready(own)
	<-ctx.Done()
	return nil
}

// Files of the supervisor in the fleet's folder.
const (
	lockName  = "lock"
	stateName = "fleet.json"
	logName   = "supervisor.log"
)

// removeTraces removes the supervisor's files, and the folder if it is then empty.
func removeTraces(dir string) error {
	for _, name := range []string{stateName, stateName + ".next", logName, lockName} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("remove the traces of the supervisor: %w", err)
		}
	}
	_ = os.Remove(dir) // fails if the user keeps other files there
	return nil
}

// claim makes this process the only supervisor of a folder. The kernel frees the claim when the
// process ends, however it ends.
func claim(dir string) (release func(), err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("make the folder of the fleet: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(dir, lockName), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("claim the folder of the fleet: %w", err)
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = lock.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, errAlreadyUp
		}
		return nil, fmt.Errorf("claim the folder of the fleet: %w", err)
	}
	if held, err := lock.Stat(); err != nil || !sameFile(held, lock.Name()) {
		_ = lock.Close() // another supervisor ended meanwhile and removed the file
		return nil, errors.Join(errAlreadyUp, err)
	}
	return func() { lock.Close() }, nil
}

func sameFile(held os.FileInfo, path string) bool {
	current, err := os.Stat(path)
	return err == nil && os.SameFile(held, current)
}
