package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var sample = view{
	steps: []progress{
		{step: step{title: "apply"}, first: time.Second, took: 2 * time.Second},
		{step: step{title: "update"}},
	},
	clusters: []cluster{{"hub", "/fleet/hub.yaml"}, {"eu-1", "/fleet/eu-1.yaml"}},
	groups: []group{
		{cluster: "eu-1", name: "demo-0", image: "server:1", revision: "old", leaderReady: true, size: 3, workers: []worker{{"old", true}, {"old", true}}},
		{cluster: "eu-1", name: "demo-1", image: "server:2", revision: "new", size: 3, workers: []worker{{"new", true}, {"new", false}}},
	},
	desired: 2, ready: 1, updated: 1, revision: "new", watched: 3,
}

func TestDraw(t *testing.T) {
	want := `apply: first group ready after 1s, all after 2s
update ...

2 groups, 1 ready, 1 updated, at revision new

CLUSTER  GROUP   REVISION  IMAGE  LEADER     WORKERS    WORKERS AT
eu-1     demo-0  old       1      ready      2/2 ready  old
eu-1     demo-1  new       2      not ready  1/2 ready  new

3 groups watched: no worker was ever of another revision than its leader

hub   kubectl --kubeconfig /fleet/hub.yaml
eu-1  kubectl --kubeconfig /fleet/eu-1.yaml
Ctrl-C ends the fleet.
`
	if diff := cmp.Diff(want, draw(sample)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// A screen is cleared once and then drawn over, so that it does not flicker.
func TestScreen(t *testing.T) {
	var to strings.Builder
	s := &screen{to: &to}
	for range 2 {
		if err := s.show(sample); err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(to.String(), clearScreen); n != 1 {
		t.Errorf("the screen was cleared %d times", n)
	}
	if n := strings.Count(to.String(), home); n != 2 {
		t.Errorf("the screen was drawn from the top %d times", n)
	}
	if page := strings.Count(draw(sample), "\n"); strings.Count(to.String(), clearLine+"\n") != 2*page {
		t.Error("lines keep the end of what stood there before")
	}
}

// A log has a line for each change and no other.
func TestLines(t *testing.T) {
	var to strings.Builder
	l := &lines{to: &to}
	changed := sample
	changed.groups = append([]group(nil), sample.groups...)
	changed.groups[1].leaderReady = true
	for _, v := range []view{sample, sample, changed} {
		if err := l.show(v); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for line := range strings.Lines(to.String()) {
		got = append(got, line[len("15:04:05 "):])
	}
	want := []string{
		"hub: kubectl --kubeconfig /fleet/hub.yaml\n",
		"eu-1: kubectl --kubeconfig /fleet/eu-1.yaml\n",
		"apply: first group ready after 1s, all after 2s\n",
		"update ...\n",
		"eu-1: demo-0: leader at old (1) ready, workers 2/2 ready, at old\n",
		"eu-1: demo-1: leader at new (2) not ready, workers 1/2 ready, at new\n",
		"eu-1: demo-1: leader at new (2) ready, workers 1/2 ready, at new\n",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
