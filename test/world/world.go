// Package world is a whole fleet with lwsfed on it, as an operator would set it up: the manifests of config
// installed on the hub and on each member, the members joined by kubeconfigs of service accounts that have the
// rights of those manifests and no others, and the lwsfed program running as its service account.
package world

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/lwsfed/lwsfed/api/v1alpha1"
	"github.com/lwsfed/lwsfed/clusters/local"
	"github.com/lwsfed/lwsfed/pkg/fleet"
)

// startTimeout bounds the start without the first build of the fleet's programs.
const startTimeout = 90 * time.Second

// serviceAccount is lwsfed's in the manifests, on hub and members.
const serviceAccount = "lwsfed"

// User is lwsfed as the API servers know it.
const User = "system:serviceaccount:" + v1alpha1.SystemNamespace + ":" + serviceAccount

// Options say what to start.
type Options struct {
	// Fleet is the fleet beneath.
	Fleet local.Options
	// Spare are names of members of the fleet that are prepared but not joined.
	Spare []string
	// Flags are more flags of lwsfed. They win over those that suit tests.
	Flags []string
	// Log takes progress, one line a step.
	Log io.Writer
}

// World is a fleet with lwsfed on it.
type World struct {
	// Fleet is the fleet beneath.
	Fleet *local.Fleet
	// Lwsfed is the hub's program.
	Lwsfed *Lwsfed
	// Hub and members by name, as their administrators see them.
	Hub     client.Client
	Members map[string]client.Client
}

// Start starts a world and waits until every member that is joined is ready.
func Start(ctx context.Context, o Options) (_ *World, err error) {
	f, err := local.Start(ctx, o.Fleet)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			f.KeepLogs()
			f.Stop()
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	w := &World{Fleet: f, Members: map[string]client.Client{}}
	if err := w.install(ctx); err != nil {
		return nil, err
	}
	spare := map[string]bool{}
	for _, name := range o.Spare {
		spare[name] = true
	}
	for _, m := range f.Members() {
		if spare[m.Name()] {
			continue
		}
		if err := w.Join(ctx, m.Name()); err != nil {
			return nil, err
		}
	}
	if w.Lwsfed, err = newLwsfed(ctx, f, o.Flags); err != nil {
		return nil, err
	}
	if err := w.Lwsfed.Start(ctx); err != nil {
		return nil, err
	}
	for _, m := range f.Members() {
		if spare[m.Name()] {
			continue
		}
		if err := w.AwaitReady(ctx, m.Name()); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// Stop ends everything.
func (w *World) Stop() { w.Fleet.Stop() }

// install brings the manifests to every cluster.
func (w *World) install(ctx context.Context) error {
	hub, err := clientOf(w.Fleet.Hub())
	if err != nil {
		return err
	}
	w.Hub = hub
	for _, m := range w.Fleet.Members() {
		if w.Members[m.Name()], err = clientOf(m); err != nil {
			return err
		}
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return Install(ctx, hub, "config/crd", "config/rbac/hub", "config/manager") })
	for _, member := range w.Members {
		group.Go(func() error { return Install(ctx, member, "config/rbac/member") })
	}
	return group.Wait()
}

// clientOf returns an administrator's client of a cluster. It has no cache.
func clientOf(c *local.Cluster) (client.Client, error) {
	config := c.RESTConfig()
	config.QPS, config.Burst = -1, -1
	made, err := client.New(config, client.Options{Scheme: fleet.NewScheme()})
	if err != nil {
		return nil, fmt.Errorf("make client of %q: %w", c.Name(), err)
	}
	return made, nil
}

// Join makes a member of a cluster of the fleet, with a label role=member and those of the cluster.
func (w *World) Join(ctx context.Context, name string) error {
	kubeconfig, err := w.Fleet.Member(name).ServiceAccountKubeconfig(ctx, v1alpha1.SystemNamespace, serviceAccount, 12*time.Hour)
	if err != nil {
		return err
	}
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: v1alpha1.SystemNamespace, Name: name},
		Data:       map[string][]byte{v1alpha1.KubeconfigKey: kubeconfig},
	}
	if err := w.Hub.Create(ctx, secret); err != nil {
		return fmt.Errorf("create Secret of member %q: %w", name, err)
	}
	labels := w.Fleet.Member(name).Labels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels["role"] = "member"
	member := &v1alpha1.MemberCluster{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
		Spec:       v1alpha1.MemberClusterSpec{KubeconfigSecretRef: &v1alpha1.SecretReference{Name: name}},
	}
	if err := w.Hub.Create(ctx, member); err != nil {
		return fmt.Errorf("create MemberCluster %q: %w", name, err)
	}
	return nil
}

// AwaitReady waits until a member is ready.
func (w *World) AwaitReady(ctx context.Context, name string) error {
	return Poll(ctx, func(ctx context.Context) error {
		m := &v1alpha1.MemberCluster{}
		if err := w.Hub.Get(ctx, client.ObjectKey{Name: name}, m); err != nil {
			return err
		}
		return IsTrue(m.Status.Conditions, v1alpha1.ConditionReady, "member "+name)
	})
}

// Root returns the folder of the module, which the working directory of a test or a program run by go run lies in.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the module: %w", err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", fmt.Errorf("find the module: no go.mod above the working directory")
		}
		dir = parent
	}
}
