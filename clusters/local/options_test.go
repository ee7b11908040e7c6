package local

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestOptionsAreRefused(t *testing.T) {
	for name, test := range map[string]struct {
		options Options
		want    string
	}{
		"member without a name":       {Options{Members: []Member{{}}}, `member name ""`},
		"member that is no DNS label": {Options{Members: []Member{{Name: "A"}}}, `member name "A"`},
		"two members of one name":     {Options{Members: []Member{{Name: "a"}, {Name: "a"}}}, "taken twice"},
		"member called as the hub":    {Options{Members: []Member{{Name: "hub"}}}, "taken twice"},
		"member called as the store":  {Options{Members: []Member{{Name: "store"}}}, "taken twice"},
		"negative nodes":              {Options{Members: []Member{{Name: "a", Nodes: -1}}}, "must not be negative"},
	} {
		t.Run(name, func(t *testing.T) {
			err := test.options.withDefaults().validate()
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
}

func TestOptionsDefaults(t *testing.T) {
	given := []Member{{Name: "a"}, {Name: "b", Nodes: 1}, {Name: "c", APIOnly: true, Nodes: 3}}
	got := Options{Members: given}.withDefaults()
	want := []Member{{Name: "a", Nodes: 4}, {Name: "b", Nodes: 1}, {Name: "c", APIOnly: true}}
	if diff := cmp.Diff(want, got.Members); diff != "" {
		t.Errorf("members (-want +got):\n%s", diff)
	}
	if err := got.validate(); err != nil {
		t.Error(err)
	}
	if given[0].Nodes != 0 {
		t.Error("the caller's members were changed")
	}
}

func TestFolderKeepsForeignFiles(t *testing.T) {
	dir := t.TempDir()
	foreign := filepath.Join(dir, dataFolder)
	if err := os.Mkdir(foreign, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := folder(dir).prepare(); err == nil {
		t.Error("a fleet takes over a foreign folder")
	}
	if !isFolder(foreign) {
		t.Error("the foreign folder is gone")
	}
}

func TestEventsOfAHalfWrittenLog(t *testing.T) {
	since := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	log := `{"auditID":"old","requestReceivedTimestamp":"2026-01-02T03:04:04.999999Z"}
{"auditID":"first","requestReceivedTimestamp":"2026-01-02T03:04:05.000000Z"}

{"auditID":"second","requestReceivedTimestamp":"2026-01-02T03:04:06.000000Z"}
{"auditID":"half","requestRece`
	events, err := readEvents(strings.NewReader(log), since)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, event := range events {
		got = append(got, string(event.AuditID))
	}
	if diff := cmp.Diff([]string{"first", "second"}, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}
