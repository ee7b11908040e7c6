package local

import (
	"errors"
	"fmt"
	"io"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"
)

// HubName is the name of the hub cluster of every fleet. No member may carry it.
const HubName = "hub"

const defaultNodes = 4

// Options says which fleet to start.
type Options struct {
	// Name tells fleets apart, in file names and messages. Default "local".
	Name string
	// Dir holds everything of the fleet: keys, data, logs, kubeconfigs. Start removes what a former
	// fleet left there. It is made if absent. Default ".fleet/<Name>".
	Dir string
	// Members are the member clusters beside the hub. None is allowed.
	Members []Member
	// Log takes progress, one line a step. Default: nothing is written.
	Log io.Writer
	// Audit makes every API server write an audit log, which Cluster.AuditEvents reads.
	Audit bool
}

// Member says how one member cluster looks.
type Member struct {
	// Name is a DNS label, unique in the fleet, neither "hub" nor "store".
	Name string
	// APIOnly leaves out controller manager, scheduler and kwok: objects stay as they are written.
	APIOnly bool
	// Nodes is the number of simulated nodes. 0 means 4. Each takes 200 pods. Ignored if APIOnly.
	Nodes int
	// ReadyAfter is how long a pod that is scheduled takes to be ready, to the millisecond. Default 0.
	ReadyAfter time.Duration
	// Labels are put on every node and given back by Cluster.Labels.
	Labels map[string]string
}

func (o Options) withDefaults() Options {
	if o.Name == "" {
		o.Name = "local"
	}
	if o.Dir == "" {
		o.Dir = ".fleet/" + o.Name
	}
	if o.Log == nil {
		o.Log = io.Discard
	}
	members := make([]Member, len(o.Members))
	copy(members, o.Members)
	for i := range members {
		switch {
		case members[i].APIOnly:
			members[i].Nodes = 0
		case members[i].Nodes == 0:
			members[i].Nodes = defaultNodes
		}
	}
	o.Members = members
	return o
}

func (o Options) validate() error {
	var errs []error
	if reasons := validation.IsDNS1123Label(o.Name); len(reasons) > 0 {
		errs = append(errs, fmt.Errorf("fleet name %q: %s", o.Name, reasons[0]))
	}
	seen := map[string]bool{HubName: true, storeName: true}
	for _, m := range o.Members {
		if reasons := validation.IsDNS1123Label(m.Name); len(reasons) > 0 {
			errs = append(errs, fmt.Errorf("member name %q: %s", m.Name, reasons[0]))
		}
		if seen[m.Name] {
			errs = append(errs, fmt.Errorf("member name %q is taken twice", m.Name))
		}
		seen[m.Name] = true
		if m.Nodes < 0 {
			errs = append(errs, fmt.Errorf("member %q: nodes must not be negative", m.Name))
		}
		if m.ReadyAfter < 0 {
			errs = append(errs, fmt.Errorf("member %q: readyAfter must not be negative", m.Name))
		}
	}
	return errors.Join(errs...)
}
