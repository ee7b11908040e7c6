package local

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/sync/errgroup"
)

// Fleet is a running hub with its members.
type Fleet struct {
	options  Options
	folder   folder
	bin      string
	launcher *launcher
	ports    ports
	store    *store
	hub      *Cluster
	members  []*Cluster

	mu       sync.Mutex
	programs []*program
	keepLogs bool
	stop     sync.Once
}

// Start builds the programs if need be, then starts a hub and its members, and returns when all of
// them work. The context bounds the start only; Stop ends the fleet. After an error nothing runs,
// and the logs stay in Dir.
func Start(ctx context.Context, o Options) (*Fleet, error) {
	o = o.withDefaults()
	if err := o.validate(); err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("find folder of fleet %q: %w", o.Name, err)
	}
	o.Log = &lineWriter{to: o.Log}
	bin, err := Build(ctx, o.Log)
	if err != nil {
		return nil, fmt.Errorf("build the programs of fleet %q: %w", o.Name, err)
	}
	f := &Fleet{options: o, folder: folder(dir), bin: bin}
	if err := f.folder.prepare(); err != nil {
		return nil, fmt.Errorf("prepare folder of fleet %q: %w", o.Name, err)
	}
	f.launcher = newLauncher()
	if err := f.start(ctx); err != nil {
		f.KeepLogs()
		f.Stop()
		return nil, fmt.Errorf("start fleet %q: %w", o.Name, err)
	}
	return f, nil
}

func (f *Fleet) start(ctx context.Context) error {
	progress(f.options.Log, "starting the hub and %d members in %s", len(f.options.Members), string(f.folder))
	if err := f.startStore(ctx); err != nil {
		return err
	}
	f.hub = &Cluster{name: HubName, fleet: f, member: Member{Name: HubName, APIOnly: true}}
	for _, member := range f.options.Members {
		f.members = append(f.members, &Cluster{name: member.Name, fleet: f, member: member})
	}
	group, ctx := errgroup.WithContext(ctx)
	for _, c := range f.clusters() {
		group.Go(func() error { return c.start(ctx) })
	}
	return group.Wait()
}

func (c *Cluster) start(ctx context.Context) error {
	var err error
	if c.authority, err = newAuthority(c.name); err != nil {
		return err
	}
	if err := c.startAPIServerFirst(ctx); err != nil {
		return fmt.Errorf("start API server of %q: %w", c.name, err)
	}
	if c.controlled() {
		if err := c.startControllers(ctx); err != nil {
			return fmt.Errorf("start controllers of %q: %w", c.name, err)
		}
	}
	progress(c.fleet.options.Log, "%s is ready: %s", c.name, c.Kubeconfig())
	return nil
}

// Hub returns the hub: an API server and no controllers.
func (f *Fleet) Hub() *Cluster { return f.hub }

// Members returns the members in the order of the options.
func (f *Fleet) Members() []*Cluster { return append([]*Cluster(nil), f.members...) }

// Member returns a member by name, or nil if there is none of that name.
func (f *Fleet) Member(name string) *Cluster {
	for _, c := range f.members {
		if c.name == name {
			return c
		}
	}
	return nil
}

func (f *Fleet) clusters() []*Cluster { return append([]*Cluster{f.hub}, f.members...) }

// KeepLogs makes Stop leave the logs in place.
func (f *Fleet) KeepLogs() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.keepLogs = true
}

// Stop ends every process of the fleet, waits for them, and removes what the fleet wrote to Dir, and
// Dir itself if nothing else is in it. Calling it again does nothing but wait for the first call.
func (f *Fleet) Stop() {
	f.stop.Do(func() {
		if f.hub != nil {
			for _, c := range f.clusters() {
				c.endSlowDown()
			}
		}
		f.mu.Lock()
		programs, keepLogs := f.programs, f.keepLogs
		f.mu.Unlock()
		var group errgroup.Group
		for _, p := range programs {
			group.Go(func() error { p.retire(); return nil })
		}
		_ = group.Wait()
		f.launcher.close()
		if err := f.folder.remove(keepLogs); err != nil {
			progress(f.options.Log, "remove folder of fleet %q: %v", f.options.Name, err)
		}
	})
}

// program registers a program of a cluster, so that Stop ends it.
func (f *Fleet) program(cluster, name string) *program {
	p := &program{
		launcher: f.launcher,
		binary:   filepath.Join(f.bin, name),
		dir:      string(f.folder),
		log:      f.folder.log(cluster, name),
		env:      []string{"PATH=" + os.Getenv("PATH"), "HOME=" + f.folder.data()},
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.programs = append(f.programs, p)
	return p
}

// retryOnClash starts a program again, with new ports, when another process was faster to take one.
func (f *Fleet) retryOnClash(p *program, start func() error) error {
	const attempts = 4
	for attempt := 1; ; attempt++ {
		err := start()
		if err == nil || attempt == attempts || !clashed(err, p.log) {
			return err
		}
	}
}
