package fleet

import "time"

// timings are the periods and bounds of a fleet.
type timings struct {
	connect    time.Duration // the first answer of a member
	prepareOne time.Duration // one request while a member is prepared
	prepare    time.Duration // the whole of preparing a member
	slowSync   time.Duration // after which caches that are not in sync are reported
	sync       time.Duration // caches in sync, else the member starts anew
	engage     time.Duration // the controllers accept a member, else it starts anew
	watch      time.Duration // one list or watch; above the server's longest watch (10 min)
	call       time.Duration // one call of the controllers

	probeEvery, probe time.Duration
	misses, answers   int

	retryMin, retryMax time.Duration
	capacity           time.Duration // between two readings of the nodes
	revisit            time.Duration // between two calls of Prepare
}

var defaultTimings = timings{
	connect:    4 * time.Second,
	prepareOne: 5 * time.Second,
	prepare:    time.Minute,
	slowSync:   5 * time.Second,
	sync:       2 * time.Minute,
	engage:     30 * time.Second,
	watch:      11 * time.Minute,
	call:       15 * time.Second,
	probeEvery: 2 * time.Second,
	probe:      time.Second,
	misses:     3,
	answers:    2,
	retryMin:   time.Second,
	retryMax:   15 * time.Second,
	capacity:   time.Minute,
	revisit:    10 * time.Minute,
}
