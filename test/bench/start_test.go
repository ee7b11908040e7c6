package bench

import (
	"testing"
	"time"

	"github.com/lwsfed/lwsfed/clusters/local"
	"github.com/lwsfed/lwsfed/test/world"
)

// A hub and two members are up in less than 15 s: the control planes alone, and with lwsfed, installed and every
// member ready. The programs are compiled before.
func TestStart(t *testing.T) {
	const limit, runs = 15, 3
	var fleets, worlds []time.Duration
	for i := range runs + 1 {
		fleet, world := startFleet(t), startWorld(t)
		if i == 0 {
			continue // It may compile lwsfed.
		}
		fleets, worlds = append(fleets, fleet), append(worlds, world)
	}
	t.Logf("control planes %v, with lwsfed %v", rounded(fleets), rounded(worlds))
	report(t, result{claim: "start a hub and 2 members", measured: median(fleets).Seconds(), limit: limit, unit: "s"})
	report(t, result{claim: "... with lwsfed and both members ready", measured: median(worlds).Seconds(), limit: limit, unit: "s"})
}

func startFleet(t *testing.T) time.Duration {
	begin := time.Now()
	f, err := local.Start(t.Context(), inDir(t, two()))
	if err != nil {
		t.Fatal(err)
	}
	took := time.Since(begin)
	stop(t, f)
	return took
}

func startWorld(t *testing.T) time.Duration {
	begin := time.Now()
	w, err := world.Start(t.Context(), world.Options{Fleet: inDir(t, two()), Flags: shipped})
	if err != nil {
		t.Fatal(err)
	}
	took := time.Since(begin)
	stop(t, w.Fleet)
	return took
}
