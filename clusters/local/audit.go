package local

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
)

// AuditEvents returns the finished requests of the API server that were received at or after since,
// in the order in which they finished. It needs Options.Audit. A long watch shows up twice: when its
// answer starts and when it ends.
func (c *Cluster) AuditEvents(since time.Time) ([]auditv1.Event, error) {
	if !c.fleet.options.Audit {
		return nil, fmt.Errorf("read audit log of %q: the fleet was started without Audit", c.name)
	}
	file, err := os.Open(c.fleet.folder.audit(c.name))
	if err != nil {
		return nil, fmt.Errorf("open audit log of %q: %w", c.name, err)
	}
	defer file.Close()
	events, err := readEvents(file, since)
	if err != nil {
		return nil, fmt.Errorf("read audit log of %q: %w", c.name, err)
	}
	return events, nil
}

func readEvents(from io.Reader, since time.Time) ([]auditv1.Event, error) {
	var events []auditv1.Event
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return events, nil // what is left is a line still being written
		}
		if err != nil {
			return nil, err
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var event auditv1.Event
		if err := json.Unmarshal(line, &event); err != nil {
			return nil, fmt.Errorf("decode %.80q: %w", line, err)
		}
		if !event.RequestReceivedTimestamp.Time.Before(since) {
			events = append(events, event)
		}
	}
}
