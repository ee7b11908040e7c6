package main

import (
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/lwsfed/lwsfed/clusters/local"
)

// shape is the fleet that the flags of up and run ask for.
type shape struct {
	place
	members int
	apiOnly int
	nodes   int
	audit   bool
}

func (s *shape) addFlags(cmd *cobra.Command) {
	s.place.addFlags(cmd)
	cmd.Flags().IntVar(&s.members, "members", 2, "number of members that run pods on simulated nodes: member-1, member-2, ...")
	cmd.Flags().IntVar(&s.apiOnly, "api-only", 0, "number of members with an API server only: api-1, api-2, ...")
	cmd.Flags().IntVar(&s.nodes, "nodes", 4, "nodes of each member; a node takes 200 pods")
	cmd.Flags().BoolVar(&s.audit, "audit", false, "write audit logs")
}

// arguments turns the shape back into flags, for the supervisor.
func (s *shape) arguments(dir string) []string {
	return []string{
		"--name=" + s.name, "--dir=" + dir,
		"--members=" + strconv.Itoa(s.members), "--api-only=" + strconv.Itoa(s.apiOnly),
		"--nodes=" + strconv.Itoa(s.nodes), "--audit=" + strconv.FormatBool(s.audit),
	}
}

func (s *shape) options(dir string, log io.Writer) (local.Options, error) {
	if s.members < 0 || s.apiOnly < 0 || s.nodes < 1 {
		return local.Options{}, fmt.Errorf("--members and --api-only must not be negative, --nodes must be at least 1")
	}
	o := local.Options{Name: s.name, Dir: dir, Log: log, Audit: s.audit}
	for i := range s.members {
		o.Members = append(o.Members, local.Member{Name: fmt.Sprintf("member-%d", i+1), Nodes: s.nodes})
	}
	for i := range s.apiOnly {
		o.Members = append(o.Members, local.Member{Name: fmt.Sprintf("api-%d", i+1), APIOnly: true})
	}
	return o, nil
}
