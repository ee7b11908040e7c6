package local

import (
	"testing"

	"github.com/google/cel-go/cel"
	"k8s.io/apimachinery/pkg/labels"
	"pgregory.net/rapid"
)

// TestMatchExpressionSelectsAsTheSelector compares the CEL of a hold with the selector it is made from.
func TestMatchExpressionSelectsAsTheSelector(t *testing.T) {
	selectors := []string{
		"", "a=1", "a!=1", "a in (1,2)", "a notin (1,2)", "a", "!a", "a=1,b!=2", "a,!b", "a in (1,2),b notin (1),example.com/c=3",
	}
	keys, values := []string{"a", "b", "example.com/c"}, []string{"", "1", "2", "3"}
	rapid.Check(t, func(t *rapid.T) {
		selector, err := labels.Parse(rapid.SampledFrom(selectors).Draw(t, "selector"))
		if err != nil {
			t.Fatal(err)
		}
		podLabels := rapid.MapOf(rapid.SampledFrom(keys), rapid.SampledFrom(values)).Draw(t, "labels")
		expression, err := matchExpression(selector, "probe")
		if err != nil {
			t.Fatal(err)
		}
		if got, want := evaluate(t, expression, podLabels), selector.Matches(labels.Set(podLabels)); got != want {
			t.Errorf("%s: %t, want %t", expression, got, want)
		}
	})
}

func TestMatchExpressionSelectsItsProbe(t *testing.T) {
	expression, err := matchExpression(labels.SelectorFromSet(labels.Set{"a": "1"}), "mine")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"mine": true, "other": false} {
		if got := evaluate(t, expression, map[string]string{holdProbeLabel: name}); got != want {
			t.Errorf("probe of %s: %t, want %t", name, got, want)
		}
	}
}

func TestMatchExpressionRefusesWhatItCannotSay(t *testing.T) {
	greater, err := labels.Parse("a>1")
	if err != nil {
		t.Fatal(err)
	}
	for name, selector := range map[string]labels.Selector{"an order of numbers": greater, "nothing": labels.Nothing()} {
		if _, err := matchExpression(selector, "probe"); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

type fataler interface{ Fatal(args ...any) }

func evaluate(t fataler, expression string, podLabels map[string]string) bool {
	env, err := cel.NewEnv(cel.OptionalTypes(), cel.Variable("object", cel.DynType))
	if err != nil {
		t.Fatal(err)
	}
	ast, issues := env.Compile(expression)
	if issues.Err() != nil {
		t.Fatal(issues.Err())
	}
	program, err := env.Program(ast)
	if err != nil {
		t.Fatal(err)
	}
	metadata := map[string]any{}
	if len(podLabels) > 0 {
		metadata["labels"] = podLabels
	}
	value, _, err := program.Eval(map[string]any{"object": map[string]any{"metadata": metadata}})
	if err != nil {
		t.Fatal(err)
	}
	return value.Value() == true
}
