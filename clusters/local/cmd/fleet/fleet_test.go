package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

// TestUpAndDown tells the life of a fleet from the command line, and what a killed supervisor leaves.
func TestUpAndDown(t *testing.T) {
	if testing.Short() {
		t.Skip("starts real control planes")
	}
	program := filepath.Join(t.TempDir(), "fleet")
	if output, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, output)
	}
	dir := filepath.Join(t.TempDir(), "cli")
	fleet := func(args ...string) string {
		t.Helper()
		args = append(args, "--name=cli", "--dir="+dir)
		output, err := exec.CommandContext(t.Context(), program, args...).CombinedOutput()
		if err != nil {
			t.Fatalf("fleet %v: %v\n%s", args, err, output)
		}
		return string(output)
	}
	t.Cleanup(func() { // also when the test fails half-way
		_ = exec.CommandContext(context.Background(), program, "down", "--name=cli", "--dir="+dir).Run()
	})

	output := fleet("up", "--members=1", "--nodes=1")
	for _, name := range []string{"hub", "member-1"} {
		path := filepath.Join(dir, "kubeconfigs", name+".yaml")
		if !strings.Contains(output, name+"\t"+path) {
			t.Errorf("up does not print the kubeconfig of %s:\n%s", name, output)
		}
		mustAnswer(t, path)
	}
	first := mustState(t, dir)
	if output = fleet("up"); !strings.Contains(output, "already up") || !strings.Contains(output, "member-1\t") {
		t.Errorf("second up:\n%s", output)
	}
	if second := mustState(t, dir); second.PID != first.PID {
		t.Errorf("second up started supervisor %d beside %d", second.PID, first.PID)
	}

	supervisor, err := first.process()
	if err != nil || supervisor == nil {
		t.Fatalf("supervisor: %v, %v", supervisor, err)
	}
	if left := processesOf(t, dir); len(left) != 7 {
		t.Errorf("%d processes run, want 7: supervisor, etcd, two API servers, controller manager, scheduler, kwok", len(left))
	}
	if err := supervisor.Kill(); err != nil {
		t.Fatal(err)
	}
	awaitNoProcesses(t, dir)

	if output = fleet("up", "--members=0"); strings.Contains(output, "already up") {
		t.Errorf("up after a kill:\n%s", output)
	}
	mustAnswer(t, filepath.Join(dir, "kubeconfigs", "hub.yaml"))
	fleet("down")
	awaitNoProcesses(t, dir)
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("folder after down: %v, want none", err)
	}
	if output = fleet("down"); !strings.Contains(output, "not up") {
		t.Errorf("second down:\n%s", output)
	}
}

func TestStateKnowsItsProcess(t *testing.T) {
	own, err := newState()
	if err != nil {
		t.Fatal(err)
	}
	stranger := *own
	stranger.Started = "1" + own.Started // the pid was given to another process
	child := exec.CommandContext(t.Context(), "true")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	zombie := state{PID: child.Process.Pid}
	if zombie.Started, err = startTime(zombie.PID); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	if err := child.Wait(); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		state state
		alive bool
	}{
		"this process":                  {*own, true},
		"another process with this pid": {stranger, false},
		"an ended process":              {zombie, false},
	} {
		t.Run(name, func(t *testing.T) {
			process, err := test.state.process()
			if err != nil {
				t.Fatal(err)
			}
			if alive := process != nil; alive != test.alive {
				t.Errorf("alive: %t, want %t", alive, test.alive)
			}
		})
	}
}

func TestDownLeavesForeignFilesAlone(t *testing.T) {
	dir := t.TempDir()
	foreign := filepath.Join(dir, "data", "precious")
	if err := os.MkdirAll(filepath.Dir(foreign), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(foreign, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := sweep(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(foreign); err != nil {
		t.Error(err)
	}
}

func TestOneSupervisorAFolder(t *testing.T) {
	dir := t.TempDir()
	release, err := claim(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := claim(dir); !errors.Is(err, errAlreadyUp) {
		t.Errorf("second claim: %v, want %v", err, errAlreadyUp)
	}
	release()
	again, err := claim(dir)
	if err != nil {
		t.Fatalf("claim after release: %v", err)
	}
	again()
}

func mustState(t *testing.T, dir string) *state {
	t.Helper()
	s, err := readState(dir)
	if err != nil || s == nil {
		t.Fatalf("state: %v, %v", s, err)
	}
	return s
}

func mustAnswer(t *testing.T, kubeconfig string) {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(t.Context()); err != nil {
		t.Errorf("%s: %v", kubeconfig, err)
	}
}

func awaitNoProcesses(t *testing.T, dir string) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for {
		left := processesOf(t, dir)
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("processes are left: %v", left)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// processesOf lists the living processes whose command line names a folder.
func processesOf(t *testing.T, dir string) []int {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	var pids []int
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		line, err := os.ReadFile(filepath.Join("/proc", entry.Name(), "cmdline")) // empty for a zombie
		if err == nil && strings.Contains(string(line), dir) && syscall.Kill(pid, 0) == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}
