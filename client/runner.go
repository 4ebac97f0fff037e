package client

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/momtree/mom/internal/wire"
)

// RunnerError is a runner that failed.
type RunnerError struct {
	Fun string
	// Reason is what the master says of the failure.
	Reason string
	// Value is what the function has to show all the same; nil for nothing.
	Value any
}

func (e *RunnerError) Error() string { return e.Reason }

// RunnerCall is a call of a runner.
type RunnerCall struct {
	Fun    string
	Args   []any
	Kwargs *wire.Map
	// Timeout is how long the function waits for minions. 0: the master's option.
	Timeout time.Duration
	// JID is the id under which the call is on the event bus; "" lets the master
	// choose.
	JID string
}

func (c RunnerCall) load(async bool) *wire.Map {
	kw := wire.NewMap()
	if c.Kwargs != nil {
		kw = c.Kwargs.Clone()
	}
	kw.Set("arg", append([]any{}, c.Args...))
	m := wire.NewMap("cmd", "runner", "fun", c.Fun, "kwarg", kw)
	if c.JID != "" {
		m.Set("jid", c.JID)
	}
	if c.Timeout > 0 {
		m.Set("timeout", c.Timeout.Seconds())
	}
	if async {
		m.Set("async", true)
	}
	return m
}

// StartRunner calls a runner without waiting. The result will be on the event bus
// under tag+"/ret", and in the job cache.
func (c *Client) StartRunner(ctx context.Context, call RunnerCall) (tag string, err error) {
	return c.startRunner(ctx, call, true)
}

func (c *Client) startRunner(ctx context.Context, call RunnerCall, async bool) (string, error) {
	reply, err := c.send(ctx, call.load(async))
	if err != nil {
		return "", fmt.Errorf("runner %s: %w", call.Fun, err)
	}
	tag := reply.String("tag")
	if tag == "" {
		return "", fmt.Errorf("runner %s: the master's answer names no tag", call.Fun)
	}
	return tag, nil
}

// Runner calls a runner on the master and waits for its result until ctx ends.
func (c *Client) Runner(ctx context.Context, fun string, args []any, kwargs *wire.Map) (any, error) {
	return c.CallRunner(ctx, RunnerCall{Fun: fun, Args: args, Kwargs: kwargs})
}

// CallRunner calls a runner on the master and waits for its result until ctx
// ends. A function that failed gives a [*RunnerError].
func (c *Client) CallRunner(ctx context.Context, call RunnerCall) (_ any, err error) {
	b, err := c.openBus(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	tag, err := c.startRunner(ctx, call, false)
	if err != nil {
		return nil, err
	}
	for {
		e, err := b.Next(ctx)
		if err != nil {
			if ctx.Err() == nil {
				err = fmt.Errorf("%w: %w", ErrBusLost, err)
			}
			return nil, fmt.Errorf("runner %s: wait for its result: %w", call.Fun, err)
		}
		if e.Tag != tag+"/ret" {
			continue
		}
		d, err := wire.DecodeMap(e.Data)
		if err != nil {
			return nil, fmt.Errorf("runner %s: %w", call.Fun, err)
		}
		if d.Bool("held") { // too big for an event, which may have lost any text by now
			if d, err = c.send(ctx, wire.NewMap("cmd", "runner", "result", strings.TrimPrefix(tag, "salt/run/"))); err != nil {
				return nil, fmt.Errorf("runner %s: fetch its result: %w", call.Fun, err)
			}
		}
		return runnerResult(call.Fun, d)
	}
}

func runnerResult(fun string, d *wire.Map) (any, error) {
	v, _ := d.Get("return")
	if d.Bool("success") {
		return v, nil
	}
	e := &RunnerError{Fun: fun, Reason: d.String("error"), Value: v}
	if e.Reason == "" {
		// The reason is all there is, as at a Python master.
		e.Reason, e.Value = strings.TrimSpace(fmt.Sprint(v)), nil
	}
	return nil, e
}
