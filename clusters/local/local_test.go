package local

import (
	"context"
	"os"
	"testing"
	"time"
)

func TestSmoke(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Minute)
	defer cancel()
	f, err := Start(ctx, Options{Name: "smoke", Dir: t.TempDir() + "/f", Members: []Member{{Name: "a"}, {Name: "b"}}, Log: os.Stderr, Audit: true})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Stop()
	t.Log("up")
	if d := os.Getenv("SMOKE_WAIT"); d != "" {
		dd, _ := time.ParseDuration(d)
		time.Sleep(dd)
	}
}
