package rollout

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"
	"pgregory.net/rapid"
)

func TestBudget(t *testing.T) {
	n, pct := intstr.FromInt32, intstr.FromString
	for name, c := range map[string]struct {
		replicas              int
		maxUnavailable, surge intstr.IntOrString
		u, s                  int
		fails                 bool
	}{
		"numbers are taken as they are":           {8, n(2), n(3), 2, 3, false},
		"maxUnavailable rounds down":              {7, pct("25%"), n(0), 1, 0, false},
		"maxSurge rounds up":                      {7, n(0), pct("25%"), 0, 2, false},
		"neither is above replicas":               {2, n(5), n(7), 2, 2, false},
		"a percentage of few groups is still one": {3, pct("25%"), n(0), 1, 0, false},
		"both zero is one unavailable":            {4, n(0), n(0), 1, 0, false},
		"no groups, no budget":                    {0, n(1), pct("50%"), 0, 0, false},
		"hundred percent":                         {4, pct("100%"), pct("100%"), 4, 4, false},
		"words fail":                              {4, pct("many"), n(0), 0, 0, true},
		"words fail as surge":                     {4, n(1), pct("5"), 0, 0, true},
		"negative fails":                          {4, n(-1), n(0), 0, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			u, s, err := Budget(c.replicas, c.maxUnavailable, c.surge)
			if u != c.u || s != c.s || (err != nil) != c.fails {
				t.Errorf("got %d, %d, %v; want %d, %d, error %t", u, s, err, c.u, c.s, c.fails)
			}
		})
	}
}

func TestBudgetNeverHangs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		replicas := rapid.IntRange(0, 1000).Draw(t, "replicas")
		u, s, err := Budget(replicas, drawBudget(t, "maxUnavailable"), drawBudget(t, "maxSurge"))
		if err != nil {
			t.Fatal(err)
		}
		if u < 0 || s < 0 || u > replicas || s > replicas || (replicas > 0 && u+s == 0) {
			t.Fatalf("u=%d s=%d of %d", u, s, replicas)
		}
	})
}
