package local

import (
	"context"
	"errors"
)

// Fleet is a running hub with its members.
type Fleet struct {
	hub     *Cluster
	members []*Cluster
}

// Start builds the programs if need be, then starts a hub and its members, and returns when all of
// them work. The context bounds the start only; Stop ends the fleet.
func Start(ctx context.Context, o Options) (*Fleet, error) { return nil, errors.New("not yet") }

// Hub returns the hub: an API server and no controllers.
func (f *Fleet) Hub() *Cluster { return f.hub }

// Members returns the members in the order of the options.
func (f *Fleet) Members() []*Cluster { return f.members }

// Member returns a member by name, or nil if there is none of that name.
func (f *Fleet) Member(name string) *Cluster {
	for _, c := range f.members {
		if c.name == name {
			return c
		}
	}
	return nil
}

// Stop ends every process of the fleet, waits for them, and removes its folder. Calling it again does nothing.
func (f *Fleet) Stop() {}

// KeepLogs makes Stop leave the logs in place.
func (f *Fleet) KeepLogs() {}
