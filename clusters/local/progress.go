package local

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// progress writes one line with the time of day.
func progress(w io.Writer, format string, args ...any) {
	fmt.Fprintf(w, "%s %s\n", time.Now().Format(time.TimeOnly), fmt.Sprintf(format, args...))
}

// lineWriter lets several clusters report at the same time.
type lineWriter struct {
	mu sync.Mutex
	to io.Writer
}

func (l *lineWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.to.Write(p)
}

// lastLines returns the last n lines of an output, for error messages.
func lastLines(output []byte, n int) string {
	lines := bytes.Split(bytes.TrimSpace(output), []byte("\n"))
	return string(bytes.Join(lines[max(0, len(lines)-n):], []byte("\n")))
}

// logTail returns the end of a log file, or why it cannot be read.
func logTail(path string) string {
	content, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	return lastLines(content, 15)
}
