package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	lwsv1 "github.com/lwsfed/lwsfed/api/leaderworkerset/v1"
	"github.com/lwsfed/lwsfed/test/world"
)

const (
	oldImage = "vllm/vllm-openai:v0.11.0"
	newImage = "vllm/vllm-openai:v0.11.1"
)

// frame is how often the fleet is looked at.
const frame = 200 * time.Millisecond

// set is the sample's.
var set = client.ObjectKey{Namespace: "serving", Name: "llama-405b"}

// step is a change, and what the fleet looks like once it is made.
type step struct {
	title  string
	do     func(context.Context, client.Client) error
	groups int
	image  string
}

// done reports whether every group is there, ready, and runs the step's image.
func (s step) done(v view) bool {
	if len(v.groups) != s.groups || int(v.desired) != s.groups || v.ready != v.desired || v.updated != v.desired {
		return false
	}
	for _, g := range v.groups {
		if !g.ready() || g.image != s.image {
			return false
		}
	}
	return true
}

var script = []step{
	{"apply the set and the policy of config/samples", apply, 3, oldImage},
	{"scale to 6 groups", patch(`[{"op": "replace", "path": "/spec/replicas", "value": 6}]`), 6, oldImage},
	{"update to " + newImage, patch(`[
		{"op": "replace", "path": "/spec/leaderWorkerTemplate/leaderTemplate/spec/containers/0/image", "value": "` + newImage + `"},
		{"op": "replace", "path": "/spec/leaderWorkerTemplate/workerTemplate/spec/containers/0/image", "value": "` + newImage + `"}
	]`), 6, newImage},
}

// apply does what kubectl apply --server-side does.
func apply(ctx context.Context, hub client.Client) error {
	home, err := world.Root()
	if err != nil {
		return err
	}
	for _, name := range []string{"namespace.yaml", "placement_policy.yaml", "leader_worker_set.yaml"} {
		content, err := os.ReadFile(filepath.Join(home, "config", "samples", name))
		if err != nil {
			return err
		}
		o := &unstructured.Unstructured{}
		if err := yaml.Unmarshal(content, &o.Object); err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		if err := hub.Apply(ctx, client.ApplyConfigurationFromUnstructured(o), client.FieldOwner("kubectl")); err != nil {
			return fmt.Errorf("apply %s: %w", name, err)
		}
	}
	return nil
}

// patch does what kubectl patch --type json does to the set.
func patch(operations string) func(context.Context, client.Client) error {
	return func(ctx context.Context, hub client.Client) error {
		o := &lwsv1.LeaderWorkerSet{}
		o.Namespace, o.Name = set.Namespace, set.Name
		return hub.Patch(ctx, o, client.RawPatch(types.JSONPatchType, []byte(operations)))
	}
}

// play makes the changes of the script one after the other and shows the fleet, until ctx ends.
func play(ctx context.Context, o *observer, to display) error {
	ticks := time.NewTicker(frame)
	defer ticks.Stop()
	var made []progress
	for {
		if settled := len(made) == 0 || made[len(made)-1].took != 0; settled && len(made) < len(script) {
			next := script[len(made)]
			switch err := next.do(ctx, o.world.Hub); {
			case ctx.Err() != nil:
				return nil
			case err != nil:
				return fmt.Errorf("%s: %w", next.title, err)
			}
			made = append(made, progress{step: next, began: time.Now()})
		}
		v, err := o.look(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			v.trouble = err.Error() // Whoever plays with the fleet may stop parts of it.
		default:
			made[len(made)-1].see(v)
		}
		v.steps = made
		if err := to.show(v); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticks.C:
		}
	}
}

// progress is how far a step is.
type progress struct {
	step
	began time.Time
	// looked says that before counts the groups that already were as the step wants them.
	looked bool
	before int
	// first and took are how long after the begin one more group was, and then all. 0 until then.
	first, took time.Duration
}

func (p *progress) see(v view) {
	since := time.Since(p.began).Round(100 * time.Millisecond)
	now := 0
	for _, g := range v.groups {
		if g.ready() && g.image == p.image {
			now++
		}
	}
	if !p.looked {
		p.looked, p.before = true, now
	}
	if p.first == 0 && now > p.before {
		p.first = since
	}
	if p.took == 0 && p.done(v) {
		p.took = since
	}
}
