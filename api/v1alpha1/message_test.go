package v1alpha1

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestMessage(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"short":                  {"ready", "ready"},
		"as long as it may be":   {strings.Repeat("x", MaxMessage), strings.Repeat("x", MaxMessage)},
		"too long":               {strings.Repeat("x", MaxMessage+1), strings.Repeat("x", MaxMessage-3) + "..."},
		"a character at the cut": {strings.Repeat("x", MaxMessage-4) + "äää", strings.Repeat("x", MaxMessage-4) + "..."},
	} {
		t.Run(name, func(t *testing.T) {
			got := Message(c.in)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if len(got) > MaxMessage || !utf8.ValidString(got) {
				t.Errorf("%d bytes, valid %t", len(got), utf8.ValidString(got))
			}
		})
	}
}
