package rollout

import (
	"flag"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"testing"

	"pgregory.net/rapid"
)

// The default of 100 random runs is too few to meet the rare interleavings.
func TestMain(m *testing.M) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if !given {
		if err := flag.Set("rapid.checks", "3000"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// settle runs fair rounds until the plan is done and stable.
func (w *world) settle(t failer, order func(n int) []int) {
	t.Helper()
	limit := 20 * (w.n + w.r + w.s + 4) * (w.slow + 3)
	for range limit {
		plan := w.reconcile(t)
		if plan.Done && w.atRest() {
			if again := w.reconcile(t); !again.Done || again.Replicas != plan.Replicas || again.Partition != plan.Partition {
				t.Fatalf("not at rest: %+v, then %+v", plan, again)
			}
			return
		}
		w.statefulSet()
		ordinals := w.ordinals()
		for _, i := range order(len(ordinals)) {
			w.kubelet(ordinals[i])
		}
	}
	t.Fatalf("did not settle in %d rounds: %s, plan %+v", limit, w, PlanGroups(w.snapshot()))
}

// atRest tells whether every group from the partition on is of the target and ready, and no other is left.
func (w *world) atRest() bool {
	for o := w.p; o < w.r; o++ {
		if !w.updated(o) || !w.ready(o) {
			return false
		}
	}
	return len(w.pods) == w.r && w.n == w.r
}

func ascending(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	return order
}

// drawWorld draws a set. Half of them are run by a StatefulSet controller that works in parallel.
func drawWorld(t *rapid.T) *world {
	r := rapid.IntRange(0, 7).Draw(t, "replicas")
	w := newWorld(r, rapid.IntRange(0, 3).Draw(t, "maxUnavailable"), rapid.IntRange(0, 3).Draw(t, "maxSurge"),
		rapid.SampledFrom([]int{0, 0, 1, 3, 9}).Draw(t, "partition"))
	w.parallel = rapid.Bool().Draw(t, "parallel")
	w.replace = rapid.Bool().Draw(t, "replace")
	w.slow = rapid.IntRange(1, 3).Draw(t, "slow")
	return w
}

func drawOrder(t *rapid.T) func(int) []int {
	seed := rapid.Uint64().Draw(t, "seed")
	return rand.New(rand.NewPCG(seed, 1)).Perm
}

// Without faults the groups that are ready never fall below R-u, at any step of any order.
func TestUpdateKeepsEnoughGroupsReady(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		w.settle(t, ascending)
		u := w.u
		if u == 0 && w.s == 0 {
			u = 1
		}
		w.target++
		check := func() {
			if ready := w.readyGroups(); ready < w.r-u {
				t.Fatalf("%d ready, at least %d must be: %s", ready, w.r-u, w)
			}
		}
		for range rapid.IntRange(0, 150).Draw(t, "steps") {
			w.randomStep(t)
			check()
			if rapid.IntRange(0, 40).Draw(t, "retarget") == 0 {
				w.target++
			}
		}
		order := drawOrder(t)
		w.settle(checked{t, check}, order)
	})
}

// checked runs a check at every reconcile, which calls Helper.
type checked struct {
	*rapid.T
	check func()
}

func (c checked) Helper() { c.check() }

// randomStep lets one of the actors act.
func (w *world) randomStep(t *rapid.T) {
	switch rapid.IntRange(0, 4).Draw(t, "actor") {
	case 0, 1:
		w.reconcile(t)
	case 2:
		w.statefulSet()
	default:
		if ordinals := w.ordinals(); len(ordinals) > 0 {
			w.kubelet(rapid.SampledFrom(ordinals).Draw(t, "ordinal"))
		}
	}
}

// Whatever the user and the cluster do, no plan breaks a rule, and once they leave the set alone it settles.
// Old templates may be broken in any of their groups; the last one is sound.
func TestEveryStateSettles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		w.patience = true
		brokenLeaders := rapid.Bool().Draw(t, "broken leaders")
		// Leaders that are broken and old block the StatefulSet controller; only the reconciler can remove them.
		w.replace = w.replace || brokenLeaders
		for range rapid.IntRange(0, 120).Draw(t, "steps") {
			if rapid.IntRange(0, 9).Draw(t, "disturb") != 0 {
				w.randomStep(t)
				continue
			}
			w.disturb(t, brokenLeaders)
		}
		w.target = 100 // never broken
		w.settle(t, drawOrder(t))
	})
}

func (w *world) disturb(t *rapid.T, brokenLeaders bool) {
	switch rapid.SampledFrom([]string{"scale", "template", "partition", "budget", "delete", "break"}).Draw(t, "disturbance") {
	case "scale":
		w.r = rapid.IntRange(0, 7).Draw(t, "replicas")
	case "template":
		w.target = max(1, w.target+rapid.SampledFrom([]int{1, 1, -1}).Draw(t, "by"))
	case "partition":
		w.partition = rapid.IntRange(0, 8).Draw(t, "partition")
	case "budget":
		w.u, w.s = rapid.IntRange(0, 3).Draw(t, "maxUnavailable"), rapid.IntRange(0, 3).Draw(t, "maxSurge")
	case "delete":
		w.remove(rapid.IntRange(0, 9).Draw(t, "ordinal"))
	case "break":
		where := w.brokenWorkers
		if brokenLeaders {
			where = w.brokenLeader
		}
		w.breakGroup(where, w.target, rapid.IntRange(0, 9).Draw(t, "ordinal"))
	}
}

// Every small set updates to the end in fixed and in seeded orders.
func TestUpdateSettles(t *testing.T) {
	for r := range 6 {
		for u := range 3 {
			for s := range 3 {
				for _, parallel := range []bool{false, true} {
					t.Run(fmt.Sprintf("R=%d u=%d s=%d parallel=%t", r, u, s, parallel), func(t *testing.T) {
						for seed := range uint64(5) {
							w := newWorld(r, u, s, 0)
							w.parallel, w.replace = parallel, seed%2 == 0
							order := rand.New(rand.NewPCG(seed, 7)).Perm
							if seed == 0 {
								order = ascending
							}
							w.settle(t, order)
							w.target++
							w.settle(t, order)
							w.statefulSet()
							if w.current != 2 || w.readyGroups() != r {
								t.Fatalf("seed %d: not all updated: %s", seed, w)
							}
						}
					})
				}
			}
		}
	}
}

// Broken old groups do not stop an update, even if nobody calls them broken: while fewer than u+s are, or if
// all are. (In between the update waits, see the story broken-groups-below-ready-ones.)
func TestUpdateOutOfABrokenStateSettles(t *testing.T) {
	for r := 1; r < 6; r++ {
		for u := range 3 {
			for s := range 3 {
				for set := range uint(1) << r {
					broken := bits.OnesCount(set)
					if broken >= min(u, r)+min(s, r) && broken < r {
						continue
					}
					w := newWorld(r, u, s, 0)
					for o := range r {
						if set>>o&1 == 1 {
							w.breakGroup(w.brokenLeader, 1, o)
						}
					}
					for range 5 {
						w.reconcile(t)
						w.statefulSet()
						for _, o := range w.ordinals() {
							w.kubelet(o)
						}
					}
					w.target++
					w.settle(t, ascending)
				}
			}
		}
	}
}
