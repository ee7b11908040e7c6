package local

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"
)

func TestFailedStartLeavesLogsAndNoProcess(t *testing.T) {
	if testing.Short() {
		t.Skip("starts real control planes")
	}
	if _, err := Build(t.Context(), &testLog{t: t}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second) // too short for an API server
	defer cancel()
	dir := filepath.Join(t.TempDir(), "failed")
	f, err := Start(ctx, Options{Name: "failed", Dir: dir})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("start: %v, want %v", err, context.DeadlineExceeded)
	}
	if f != nil {
		t.Error("a failed start returns a fleet")
	}
	if left := processesOf(t, dir); len(left) > 0 {
		t.Errorf("processes are left: %v", left)
	}
	if !isFolder(filepath.Join(dir, logsFolder)) || isFolder(filepath.Join(dir, dataFolder)) {
		t.Error("want the logs and no data")
	}
	if err := Clear(dir); err != nil {
		t.Error(err)
	}
	if isFolder(dir) {
		t.Error("the folder is left after Clear")
	}
}

func TestProgramThatEndsByItselfIsStartedAgainUntilItIsKilled(t *testing.T) {
	l := newLauncher()
	defer l.close()
	dir := t.TempDir()
	p := &program{launcher: l, binary: "/bin/sleep", args: []string{"0.05"}, log: filepath.Join(dir, "log")}
	revivals := make(chan error, 100)
	p.supervise(func(ended error) { revivals <- ended })
	if _, err := p.start(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		select {
		case <-revivals:
		case <-time.After(10 * time.Second):
			t.Fatal("it is not started again")
		}
	}
	p.kill()
	for len(revivals) > 0 {
		<-revivals
	}
	select {
	case <-revivals:
		t.Error("it is started again after a kill")
	case <-time.After(2 * reviveDelay):
	}
	p.retire()
	if _, err := p.start(); !errors.Is(err, errStopped) {
		t.Errorf("start after retirement: %v, want %v", err, errStopped)
	}
}
