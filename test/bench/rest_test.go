package bench

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lwsfed/lwsfed/test/world"
)

// With two members and nothing to do, lwsfed has less than 80 MB of memory and takes less than 1 % of a core.
func TestRest(t *testing.T) {
	const (
		warm   = 30 * time.Second // what the start left is done, and freed
		during = 20 * time.Second
	)
	w := start(t, world.Options{Fleet: two(), Flags: shipped})
	pid := w.Lwsfed.PID()
	time.Sleep(warm)
	before, begin := observe(t, pid), time.Now()
	time.Sleep(during)
	after, took := observe(t, pid), time.Since(begin)
	if err := w.Lwsfed.AwaitLead(t.Context()); err != nil || w.Lwsfed.PID() != pid {
		t.Fatalf("lwsfed was not at rest but away: process %d, then %d, %v", pid, w.Lwsfed.PID(), err)
	}
	report(t, result{
		claim: "memory at rest with 2 members", unit: "MB", limit: 80,
		measured: max(before.resident, after.resident) / 1e6,
	})
	report(t, result{
		claim: "processor at rest with 2 members", unit: "% of a core", limit: 1,
		measured: 100 * (after.busy - before.busy).Seconds() / took.Seconds(),
	})
}

// usage is what a process has taken.
type usage struct {
	resident float64 // bytes now
	busy     time.Duration
}

func observe(t *testing.T, pid int) usage {
	t.Helper()
	resident, err := residentOf(pid)
	if err != nil {
		t.Fatal(err)
	}
	busy, err := busyOf(pid)
	if err != nil {
		t.Fatal(err)
	}
	return usage{resident, busy}
}

func residentOf(pid int) (float64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		var kib float64
		if _, err := fmt.Sscanf(line, "VmRSS: %f kB", &kib); err == nil {
			return 1024 * kib, nil
		}
	}
	return 0, errors.New("the status of the process has no VmRSS")
}

// tick is the unit of times in /proc, the same on every Linux that Go runs on.
const tick = 10 * time.Millisecond

func busyOf(pid int) (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// The name, in parentheses, may have spaces. The state after it is the third field, the times are the 14th and 15th.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	var ticks int64
	for _, field := range fields[11:13] {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("read the times of the process: %w", err)
		}
		ticks += n
	}
	return time.Duration(ticks) * tick, nil
}
