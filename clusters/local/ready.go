package local

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

const (
	pollInterval = 50 * time.Millisecond
	probeTimeout = 2 * time.Second
)

// poll calls check until it reports no error. When the context ends first, the error carries the
// cause of that and the last answer of check.
func poll(ctx context.Context, check func(context.Context) error) error {
	for {
		probe, cancel := context.WithTimeout(ctx, probeTimeout)
		err := check(probe)
		cancel()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w (last answer: %w)", context.Cause(ctx), err)
		case <-time.After(pollInterval):
		}
	}
}

func listening(port int) func(context.Context) error {
	return func(ctx context.Context) error {
		var dialer net.Dialer
		conn, err := dialer.DialContext(ctx, "tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			return err
		}
		return conn.Close()
	}
}

// healthy asks a health endpoint without credentials. The certificate is not checked: the question
// is whether the process serves, not who it is.
func healthy(port int, path string) func(context.Context) error {
	client := &http.Client{Transport: &http.Transport{
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true},
		DisableKeepAlives: true,
	}}
	return func(ctx context.Context) error {
		url := fmt.Sprintf("https://127.0.0.1:%d%s", port, path)
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		response, err := client.Do(request)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		body, _ := io.ReadAll(io.LimitReader(response.Body, 4096))
		if response.StatusCode != http.StatusOK {
			return fmt.Errorf("%s: %s: %s", path, response.Status, lastLines(body, 3))
		}
		return nil
	}
}
