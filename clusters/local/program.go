package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

var errNotRunning = errors.New("not running")

// program is one program of one cluster: it can be started, killed and started again with the same
// arguments. It signals a process through the handle it got at the start, so never a stranger.
type program struct {
	launcher *launcher
	binary   string
	args     []string
	env      []string
	dir      string // working directory
	log      string // file that takes the output of all starts

	mu      sync.Mutex
	current *process          // nil if never started or killed
	retired bool              // the fleet is stopped
	revived func(ended error) // told before a program that ended by itself is started again; nil: it is not
}

type process struct {
	handle *os.Process
	exited chan struct{} // closed after the process is gone
	err    error         // valid after exited
}

// start starts the program and returns its process at once.
func (p *program) start() (*process, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.startLocked()
}

func (p *program) startLocked() (*process, error) {
	if p.retired {
		return nil, fmt.Errorf("%s: %w", p.name(), errStopped)
	}
	if p.current != nil && !p.current.gone() {
		return nil, fmt.Errorf("%s: already running", p.name())
	}
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open log of %s: %w", p.name(), err)
	}
	defer log.Close() // the child has its own copy
	cmd := exec.Command(p.binary, p.args...)
	cmd.Stdout, cmd.Stderr, cmd.Env, cmd.Dir = log, log, p.env, p.dir
	if err := p.launcher.start(cmd); err != nil {
		return nil, fmt.Errorf("start %s: %w", p.name(), err)
	}
	started := &process{handle: cmd.Process, exited: make(chan struct{})}
	go func() {
		started.err = cmd.Wait()
		close(started.exited)
		p.revive(started)
	}()
	p.current = started
	return started, nil
}

const reviveDelay = 500 * time.Millisecond

// supervise makes the program start again when it ends by itself, as the kubelet does with the
// control plane of a real cluster: kube-scheduler, for one, ends when it doubts its own cache.
func (p *program) supervise(report func(ended error)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.revived = report
}

func (p *program) revive(ended *process) {
	time.Sleep(reviveDelay)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.current != ended || p.revived == nil || p.retired {
		return // killed, or nobody wants it back
	}
	p.revived(ended.err)
	if _, err := p.startLocked(); err != nil {
		p.revived(err)
	}
}

// kill ends the process as a crash would and waits until it is gone. Not running is no error.
func (p *program) kill() {
	p.mu.Lock()
	current := p.current
	p.current = nil
	p.mu.Unlock()
	if current != nil {
		_ = current.handle.Kill() // fails only if it is gone already
		<-current.exited
	}
}

// retire ends the process for good: it cannot be started again.
func (p *program) retire() {
	p.mu.Lock()
	p.retired = true
	p.mu.Unlock()
	p.kill()
}

// signal sends a signal to the running process.
func (p *program) signal(s syscall.Signal) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.current == nil || p.current.gone() {
		return fmt.Errorf("%s: %w", p.name(), errNotRunning)
	}
	return p.current.handle.Signal(s)
}

// startAndWait starts the program and waits until ready reports no error. If the process or the
// context ends before, the program does not run.
func (p *program) startAndWait(ctx context.Context, ready func(context.Context) error) error {
	started, err := p.start()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-started.exited:
			cancel(fmt.Errorf("%w: %w:\n%s", errExited, started.err, logTail(p.log)))
		case <-ctx.Done():
		}
	}()
	if err := poll(ctx, ready); err != nil {
		p.kill()
		return fmt.Errorf("wait for %s (log %s): %w", p.name(), p.log, err)
	}
	return nil
}

var errExited = errors.New("process ended")

func (p *program) name() string { return filepath.Base(p.binary) }

func (p *process) gone() bool {
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}
