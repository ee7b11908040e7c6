package local

import (
	"errors"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
)

// launcher starts every process of a fleet from one thread. The kernel sends a child its death
// signal when the thread that started it ends, not when the process does; a thread of the Go
// scheduler may end at any time, so this one is locked and lives as long as the fleet.
type launcher struct {
	requests chan func()
	closed   chan struct{}
	once     sync.Once
}

var errStopped = errors.New("the fleet is stopped")

func newLauncher() *launcher {
	l := &launcher{requests: make(chan func()), closed: make(chan struct{})}
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with this goroutine
		for {
			select {
			case request := <-l.requests:
				request()
			case <-l.closed:
				return
			}
		}
	}()
	return l
}

// start starts a command that dies with this process and does not share its terminal signals.
func (l *launcher) start(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	result := make(chan error, 1)
	select {
	case l.requests <- func() { result <- cmd.Start() }:
		return <-result
	case <-l.closed:
		return errStopped
	}
}

// close ends the thread and with it every child that still runs.
func (l *launcher) close() { l.once.Do(func() { close(l.closed) }) }
