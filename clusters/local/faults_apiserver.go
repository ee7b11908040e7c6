package local

import (
	"context"
	"fmt"
	"syscall"
	"time"
)

// StopAPIServer ends the API server as a crash would: connections are cut, later ones are refused.
// The data stays. Stopping it twice is no error.
func (c *Cluster) StopAPIServer(context.Context) error {
	c.apiServer.kill()
	c.pausing.Lock()
	defer c.pausing.Unlock()
	c.frozen = false
	return nil
}

// StartAPIServer starts a stopped API server with the same address, keys and data, and returns when
// it is ready.
func (c *Cluster) StartAPIServer(ctx context.Context) error {
	if err := c.apiServer.startAndWait(ctx, c.serving); err != nil {
		return fmt.Errorf("start API server of %q: %w", c.name, err)
	}
	return nil
}

// RestartAPIServer stops and starts the API server.
func (c *Cluster) RestartAPIServer(ctx context.Context) error {
	if err := c.StopAPIServer(ctx); err != nil {
		return err
	}
	return c.StartAPIServer(ctx)
}

// Freeze suspends the API server: connections stay and new ones are accepted, but nothing answers.
func (c *Cluster) Freeze() error {
	c.pausing.Lock()
	defer c.pausing.Unlock()
	if err := c.apiServer.signal(syscall.SIGSTOP); err != nil {
		return fmt.Errorf("freeze API server of %q: %w", c.name, err)
	}
	c.frozen = true
	return nil
}

// Thaw resumes a frozen API server. Thawing one that is not frozen does nothing.
func (c *Cluster) Thaw() error {
	c.pausing.Lock()
	defer c.pausing.Unlock()
	if !c.frozen {
		return nil
	}
	c.frozen = false
	if err := c.apiServer.signal(syscall.SIGCONT); err != nil {
		return fmt.Errorf("thaw API server of %q: %w", c.name, err)
	}
	return nil
}

// slowPeriod is one turn of running and pausing: short against request deadlines, long against the
// time that the kernel needs to act on a signal.
const slowPeriod = 100 * time.Millisecond

type slowDown struct{ stop, done chan struct{} }

// SlowDown makes the API server pause for a fraction of the time, from 0 (off) to below 1. It lasts
// over restarts of the API server, until the next call.
func (c *Cluster) SlowDown(fraction float64) error {
	if fraction < 0 || fraction >= 1 {
		return fmt.Errorf("slow down API server of %q: fraction %v is not in [0, 1)", c.name, fraction)
	}
	c.endSlowDown()
	if fraction == 0 {
		return nil
	}
	slow := &slowDown{stop: make(chan struct{}), done: make(chan struct{})}
	c.pausing.Lock()
	c.slow = slow
	c.pausing.Unlock()
	go c.runSlowDown(slow, time.Duration(fraction*float64(slowPeriod)))
	return nil
}

func (c *Cluster) endSlowDown() {
	c.pausing.Lock()
	slow := c.slow
	c.slow = nil
	c.pausing.Unlock()
	if slow != nil {
		close(slow.stop)
		<-slow.done
	}
}

// runSlowDown pauses and resumes until it is told to end, and always leaves the server running. A
// server that is stopped or frozen meanwhile is left alone.
func (c *Cluster) runSlowDown(slow *slowDown, pause time.Duration) {
	defer close(slow.done)
	for {
		c.pulse(syscall.SIGSTOP)
		time.Sleep(pause)
		c.pulse(syscall.SIGCONT)
		select {
		case <-slow.stop:
			return
		case <-time.After(slowPeriod - pause):
		}
	}
}

func (c *Cluster) pulse(s syscall.Signal) {
	c.pausing.Lock()
	defer c.pausing.Unlock()
	if !c.frozen {
		_ = c.apiServer.signal(s) // a stopped server has nothing to pause
	}
}

// KillControllerManager ends the controller manager as a crash would. Killing it twice is no error.
func (c *Cluster) KillControllerManager(context.Context) error {
	if c.controllerManager == nil {
		return fmt.Errorf("kill controller manager of %q: the cluster has none", c.name)
	}
	c.controllerManager.kill()
	return nil
}

// StartControllerManager starts a killed controller manager and returns when it is healthy.
func (c *Cluster) StartControllerManager(ctx context.Context) error {
	if c.controllerManager == nil {
		return fmt.Errorf("start controller manager of %q: the cluster has none", c.name)
	}
	if err := c.controllerManager.startAndWait(ctx, healthy(c.controllerManagerPort, "/healthz")); err != nil {
		return fmt.Errorf("start controller manager of %q: %w", c.name, err)
	}
	return nil
}
