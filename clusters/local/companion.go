package local

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// Program is a program that the caller runs against a cluster. It has the fleet's ways: it ends with
// the fleet or with the process that started the fleet, and its log is kept with the others.
type Program struct{ program *program }

// Program returns a program that does not run yet. Its log is named after the cluster and the binary.
func (c *Cluster) Program(binary string, args ...string) *Program {
	p := c.fleet.program(c.name, filepath.Base(binary))
	p.binary, p.args = binary, args
	return &Program{p}
}

// Start starts the program and waits until ready returns nil. If the program or ctx ends before, it
// does not run, and the error says what its log said last. It may be started again after its end.
func (p *Program) Start(ctx context.Context, ready func(context.Context) error) error {
	return p.program.startAndWait(ctx, ready)
}

// Kill ends the program as a crash would. Not running is no error.
func (p *Program) Kill() { p.program.kill() }

// Stop asks the program to end, waits for it and returns the error that it ended with.
func (p *Program) Stop(ctx context.Context) error {
	if err := p.program.signal(syscall.SIGTERM); err != nil {
		return err
	}
	p.program.mu.Lock()
	current := p.program.current
	p.program.mu.Unlock()
	select {
	case <-current.exited:
		return current.err
	case <-ctx.Done():
		return fmt.Errorf("wait for the end of %s: %w", p.program.name(), ctx.Err())
	}
}

// PID returns the id of the process, 0 if the program does not run.
func (p *Program) PID() int {
	p.program.mu.Lock()
	defer p.program.mu.Unlock()
	if p.program.current == nil || p.program.current.gone() {
		return 0
	}
	return p.program.current.handle.Pid
}

// Log returns the path of the log, which has the output of all starts.
func (p *Program) Log() string { return p.program.log }

// Port returns a port on which nobody listens, of those that the fleet may give away.
func (f *Fleet) Port() (int, error) { return f.ports.next() }

// WriteSecret writes a file that lives as long as the fleet, and returns its path.
func (f *Fleet) WriteSecret(name string, content []byte) (string, error) {
	path := filepath.Join(string(f.folder), secretsFolder, name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		return "", fmt.Errorf("write %q: %w", name, err)
	}
	return path, nil
}
