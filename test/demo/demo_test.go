package main

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// firstGroup is how soon a newcomer sees a group ready, once everything is built. An idle machine takes less than
// half of it.
const firstGroup = time.Minute

// finished ends the demo when it has shown everything.
type finished struct {
	display
	began, first time.Time
	end          context.CancelFunc
	last         view
}

func (f *finished) show(v view) error {
	f.last = v
	if f.first.IsZero() && v.steps[0].first != 0 {
		f.first = time.Now()
	}
	if last := v.steps[len(v.steps)-1]; len(v.steps) == len(script) && last.took != 0 {
		defer f.end()
	}
	return f.display.show(v)
}

// The demo shows its whole script, in a log and on a screen.
func TestDemo(t *testing.T) {
	if testing.Short() {
		t.Skip("starts real control planes")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	var log, shown bytes.Buffer
	f := &finished{display: &lines{to: &shown}, began: time.Now(), end: cancel}
	if err := run(ctx, filepath.Join(t.TempDir(), "fleet"), &log, f); err != nil {
		t.Fatalf("%v\n%s", err, log.String())
	}
	t.Logf("%s%s", log.String(), shown.String())
	if took := f.first.Sub(f.began); f.first.IsZero() || took > firstGroup {
		t.Errorf("the first group was ready after %v, want less than %v", took, firstGroup)
	}
	if len(f.last.broken) > 0 || f.last.watched != 12 {
		t.Errorf("%d groups were watched, want 12: %s", f.last.watched, f.last.verdict())
	}
	want := []string{"; Ctrl-C ends the fleet\n", "hub: kubectl --kubeconfig "}
	for _, s := range script {
		want = append(want, s.title+": first group ready after ")
	}
	for _, g := range f.last.groups {
		want = append(want, fmt.Sprintf("%s: %s: leader at %s (v0.11.1) ready, workers 1/1 ready, at %s\n", g.cluster, g.name, g.revision, g.revision))
	}
	for _, line := range want {
		if !strings.Contains(shown.String(), line) {
			t.Errorf("the log does not say %q", line)
		}
	}
	t.Log("\n" + draw(f.last))
}
