package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/lwsfed/lwsfed/clusters/local"
)

// state is what a supervisor leaves in the fleet's folder about itself. A process is known by its
// pid and its start time together, because the kernel uses pids again.
type state struct {
	PID     int       `json:"pid"`
	Started string    `json:"started"` // clock ticks since boot, and which boot
	Ready   bool      `json:"ready"`
	Cluster []cluster `json:"clusters,omitempty"`
}

type cluster struct {
	Name       string `json:"name"`
	Kubeconfig string `json:"kubeconfig"`
}

func stateFile(dir string) string { return filepath.Join(dir, stateName) }

// readState returns nil if no supervisor left a state.
func readState(dir string) (*state, error) {
	content, err := os.ReadFile(stateFile(dir))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the state of the fleet: %w", err)
	}
	s := &state{}
	if err := json.Unmarshal(content, s); err != nil {
		return nil, fmt.Errorf("decode %s: %w", stateFile(dir), err)
	}
	return s, nil
}

// write replaces the state at once, so that a reader never sees half of it.
func (s *state) write(dir string) error {
	content, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the state of the fleet: %w", err)
	}
	next := stateFile(dir) + ".next"
	if err := os.WriteFile(next, append(content, '\n'), 0o600); err != nil {
		return fmt.Errorf("write the state of the fleet: %w", err)
	}
	if err := os.Rename(next, stateFile(dir)); err != nil {
		return fmt.Errorf("write the state of the fleet: %w", err)
	}
	return nil
}

func newState() (*state, error) {
	started, err := startTime(os.Getpid())
	if err != nil {
		return nil, err
	}
	return &state{PID: os.Getpid(), Started: started}, nil
}

func (s *state) setReady(f *local.Fleet) {
	s.Ready = true
	for _, c := range append([]*local.Cluster{f.Hub()}, f.Members()...) {
		s.Cluster = append(s.Cluster, cluster{Name: c.Name(), Kubeconfig: c.Kubeconfig()})
	}
}

// process returns a handle on the supervisor, or nil if it is gone. The handle is taken before the
// start time is compared, so that it can belong to no other process.
func (s *state) process() (*os.Process, error) {
	handle, err := os.FindProcess(s.PID)
	if err != nil {
		return nil, fmt.Errorf("find process %d: %w", s.PID, err)
	}
	started, err := startTime(s.PID)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ESRCH) || (err == nil && started != s.Started) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return handle, nil
}

// startTime identifies the run of a process: field 22 of its stat and the boot.
func startTime(pid int) (string, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", fmt.Errorf("read the start time of process %d: %w", pid, err)
	}
	_, rest, ok := strings.Cut(string(stat[strings.LastIndexByte(string(stat), ')')+1:]), " ")
	fields := strings.Fields(rest)
	if !ok || len(fields) < 20 || fields[0] == "Z" { // rest begins with field 3, the state
		return "", fmt.Errorf("read the start time of process %d: %w", pid, os.ErrNotExist)
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", fmt.Errorf("read the boot id: %w", err)
	}
	if _, err := strconv.ParseUint(fields[19], 10, 64); err != nil {
		return "", fmt.Errorf("parse the start time of process %d: %w", pid, err)
	}
	return fields[19] + "@" + strings.TrimSpace(string(boot)), nil
}
