package bench

import (
	"context"
	"errors"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/lwsfed/lwsfed/clusters/local"
	"github.com/lwsfed/lwsfed/pkg/fleet"
	"github.com/lwsfed/lwsfed/test/world"
)

// watch calls seen, never twice at the same time, with each version of the objects of a kind in a namespace that it
// gets from a cluster until ctx ends. It returns once it watches.
func watch(ctx context.Context, t *testing.T, c *local.Cluster, namespace string, kind client.Object, seen func(client.Object)) {
	t.Helper()
	watched, err := cache.New(c.RESTConfig(), cache.Options{
		Scheme: fleet.NewScheme(), DefaultNamespaces: map[string]cache.Config{namespace: {}},
	})
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = watched.Start(ctx) }() // It fails only when it is started twice.
	informer, err := watched.GetInformer(ctx, kind)
	if err != nil {
		t.Fatalf("watch %T in %s: %v", kind, c.Name(), err)
	}
	registration, err := informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { seen(o.(client.Object)) },
		UpdateFunc: func(_, o any) { seen(o.(client.Object)) },
	})
	if err != nil {
		t.Fatalf("watch %T in %s: %v", kind, c.Name(), err)
	}
	if !toolscache.WaitForCacheSync(ctx.Done(), registration.HasSynced) {
		t.Fatalf("watch %T in %s: %v", kind, c.Name(), context.Cause(ctx))
	}
}

// goal is a number of objects that a watch should find as wanted. Its end is when the last of them was found.
type goal struct {
	reached chan struct{}
	end     time.Time // valid once reached is closed
}

// watchFor watches for n objects in a namespace that are as wanted.
func watchFor(ctx context.Context, t *testing.T, c *local.Cluster, namespace string, kind client.Object, n int, wanted func(client.Object) bool) *goal {
	t.Helper()
	g := &goal{reached: make(chan struct{})}
	found := map[string]bool{}
	watch(ctx, t, c, namespace, kind, func(o client.Object) {
		if g.end.IsZero() && wanted(o) {
			if found[o.GetName()] = true; len(found) == n {
				g.end = time.Now()
				close(g.reached)
			}
		}
	})
	return g
}

// wait waits for the goals and returns how long after begin the last of them was reached.
func wait(t *testing.T, what string, begin time.Time, goals ...*goal) time.Duration {
	t.Helper()
	late := time.After(patience)
	var took time.Duration
	for _, g := range goals {
		select {
		case <-g.reached:
			took = max(took, g.end.Sub(begin))
		case <-late:
			t.Fatalf("%s: not within %v", what, patience)
		}
	}
	return took
}

// anything wants every object.
func anything(client.Object) bool { return true }

// soon waits until check finds nothing wrong, for what is not measured.
func soon(t *testing.T, what string, check func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := world.Poll(ctx, check); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// gone says that an object is still there.
func gone(ctx context.Context, c client.Client, o client.Object) error {
	err := c.Get(ctx, client.ObjectKeyFromObject(o), o)
	if err == nil {
		return errors.New("it is still there")
	}
	return client.IgnoreNotFound(err)
}

func create(t *testing.T, c client.Client, o client.Object) {
	t.Helper()
	if err := c.Create(t.Context(), o); err != nil {
		t.Fatalf("create %T %s: %v", o, o.GetName(), err)
	}
}

// prepare makes a namespace on the hub, with a policy that divides its sets over all members, and in the members.
func prepare(t *testing.T, w *world.World, name string) {
	t.Helper()
	namespace(t, w.Hub, name)
	create(t, w.Hub, world.Policy(name, "all"))
	for _, member := range w.Members {
		namespace(t, member, name)
	}
}

func namespace(t *testing.T, c client.Client, name string) {
	t.Helper()
	err := c.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		t.Fatalf("create namespace %s: %v", name, err)
	}
}
