package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

// display shows one view after the other.
type display interface {
	show(view) error
}

// screen is a terminal, redrawn from the top.
type screen struct {
	to    io.Writer
	drawn bool
}

const (
	clearScreen = "\x1b[2J"
	home        = "\x1b[H"
	clearLine   = "\x1b[K"
	clearBelow  = "\x1b[J"
)

func (s *screen) show(v view) error {
	frame := home + strings.ReplaceAll(draw(v), "\n", clearLine+"\n") + clearBelow
	if !s.drawn {
		s.drawn, frame = true, clearScreen+frame
	}
	_, err := io.WriteString(s.to, frame)
	return err
}

// draw is a view as a page of text.
func draw(v view) string {
	var page bytes.Buffer
	for _, p := range v.steps {
		fmt.Fprintln(&page, p)
	}
	fmt.Fprintf(&page, "\n%d groups, %d ready, %d updated, at revision %s\n\n", v.desired, v.ready, v.updated, v.revision)
	table := tabwriter.NewWriter(&page, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "CLUSTER\tGROUP\tREVISION\tIMAGE\tLEADER\tWORKERS\tWORKERS AT")
	for _, g := range v.groups {
		fmt.Fprintln(table, strings.Join(g.cells(), "\t"))
	}
	_ = table.Flush() // It fails where the buffer does, never.
	fmt.Fprintf(&page, "\n%s\n\n", v.verdict())
	for _, c := range v.clusters {
		fmt.Fprintf(&page, "%-5s kubectl --kubeconfig %s\n", c.name, c.kubeconfig)
	}
	fmt.Fprintln(&page, "Ctrl-C ends the fleet.")
	if v.trouble != "" {
		fmt.Fprintln(&page, v.trouble)
	}
	return page.String()
}

// lines are for a log: one for each change.
type lines struct {
	to   io.Writer
	said map[string]string
}

func (l *lines) show(v view) error {
	first := l.said == nil
	if first {
		l.said = map[string]string{}
	}
	var news []string
	say := func(about, line string) {
		if l.said[about] != line {
			l.said[about] = line
			news = append(news, line)
		}
	}
	for _, c := range v.clusters {
		say(c.name, c.name+": kubectl --kubeconfig "+c.kubeconfig)
	}
	for _, p := range v.steps {
		say(p.title, p.String())
	}
	for _, g := range v.groups {
		say(g.cluster+"/"+g.name, g.String())
	}
	if len(v.steps) == len(script) && v.steps[len(script)-1].took != 0 {
		say("end", v.verdict()+"; Ctrl-C ends the fleet")
	}
	say("trouble", v.trouble)
	for _, line := range news {
		if line == "" {
			continue
		}
		if _, err := fmt.Fprintf(l.to, "%s %s\n", time.Now().Format(time.TimeOnly), line); err != nil {
			return err
		}
	}
	return nil
}

func (p progress) String() string {
	switch {
	case p.took != 0:
		return fmt.Sprintf("%s: first group ready after %v, all after %v", p.title, p.first, p.took)
	case p.first != 0:
		return fmt.Sprintf("%s: first group ready after %v", p.title, p.first)
	default:
		return p.title + " ..."
	}
}

// cells are the columns of a group.
func (g group) cells() []string {
	leader := "not ready"
	if g.leaderReady {
		leader = "ready"
	}
	_, tag, _ := strings.Cut(g.image, ":")
	return []string{g.cluster, g.name, g.revision, tag, leader, fmt.Sprintf("%d/%d ready", g.workersReady(), g.size-1), g.workersAt()}
}

func (g group) String() string {
	c := g.cells()
	line := fmt.Sprintf("%s: %s: leader at %s (%s) %s, workers %s", c[0], c[1], c[2], c[3], c[4], c[5])
	if at := g.workersAt(); at != "" {
		line += ", at " + at
	}
	return line
}

// workersAt are the revisions of the workers.
func (g group) workersAt() string {
	var keys []string
	for _, w := range g.workers {
		if len(keys) == 0 || keys[len(keys)-1] != w.revision {
			keys = append(keys, w.revision)
		}
	}
	return strings.Join(keys, ",")
}

// verdict says whether the promise was kept.
func (v view) verdict() string {
	if len(v.broken) > 0 {
		return strings.Join(v.broken, "\n")
	}
	return fmt.Sprintf("%d groups watched: no worker was ever of another revision than its leader", v.watched)
}
