package bench

import (
	"fmt"
	"io"
	"slices"
	"testing"
	"text/tabwriter"
	"time"
)

// result is what was measured of one claim.
type result struct {
	claim string
	// measured should not be above limit; both are in unit.
	measured, limit float64
	unit            string
	// ours and floor are the sides of a ratio; empty where the claim is about lwsfed alone.
	ours, floor string
}

// results are those of all tests so far.
var results []result

// report prints a result, and again in the table at the end.
func report(t *testing.T, r result) {
	t.Helper()
	results = append(results, r)
	if r.floor != "" {
		t.Logf("%s: lwsfed %s, floor %s", r.claim, r.ours, r.floor)
	}
	t.Logf("%s: limit %s, measured %s, %s", r.claim, r.in(r.limit), r.in(r.measured), r.verdict())
}

// reportRatio reports how the median of ours compares with that of the floor.
func reportRatio(t *testing.T, claim string, limit float64, ours, floor []time.Duration) {
	t.Helper()
	t.Logf("%s: lwsfed %v, floor %v", claim, rounded(ours), rounded(floor))
	o, f := median(ours), median(floor)
	report(t, result{
		claim: claim, measured: o.Seconds() / f.Seconds(), limit: limit, unit: "times the floor",
		ours: fmt.Sprintf("%.2f s", o.Seconds()), floor: fmt.Sprintf("%.2f s", f.Seconds()),
	})
}

func (r result) in(n float64) string { return fmt.Sprintf("%.4g %s", n, r.unit) }

func (r result) verdict() string {
	if r.measured > r.limit {
		return "over"
	}
	return "ok"
}

func printTable(to io.Writer) {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "CLAIM\tLWSFED\tFLOOR\tMEASURED\tLIMIT\t")
	for _, r := range results {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", r.claim, r.ours, r.floor, r.in(r.measured), r.in(r.limit), r.verdict())
	}
	_ = w.Flush() // There is nobody to tell.
}

// median of an even number is the upper one of the two in the middle.
func median(all []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/2]
}

func rounded(all []time.Duration) []time.Duration {
	var out []time.Duration
	for _, d := range all {
		out = append(out, d.Round(time.Millisecond))
	}
	return out
}
