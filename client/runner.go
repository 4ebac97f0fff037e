package client

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

// RunnerCall is a call of a runner.
type RunnerCall struct {
	Fun string
	// Args and Kwargs are those of a [Job].
	Args   []any
	Kwargs map[string]any
	// Timeout is how long the function waits for minions. Default: the master's option timeout.
	Timeout time.Duration
	// JID is the job id of the call on the event bus. If "", the master chooses one, which it
	// always does for a client with a login.
	JID string
	// Began, if set, is called by [Client.CallRunner] when the call has begun, before it
	// waits for the result.
	Began func(Started)
	// Progress, if set, receives the progress events of the function, in order; what is the last
	// part of the tag ("progress", "print"). CallRunner calls it and waits for it. Package
	// client/remote does not call it.
	Progress func(what string, e Event)
}

// load returns the clear command for the call.
func (c RunnerCall) load(async bool) *wire.Map {
	args, kwargs := c.Args, value.NewMap()
	if last := len(args) - 1; last >= 0 {
		if m, ok := args[last].(*value.Map); ok && m.Bool(marker) {
			args, kwargs = args[:last], m.Clone()
			kwargs.Delete(marker)
		}
	}
	kwargs = sorted(kwargs, c.Kwargs)
	// A Python master accepts positional arguments only under these names.
	call := wire.NewMap("arg", append([]any{}, args...), "kwarg", kwargs)
	m := wire.NewMap("cmd", "runner", "fun", c.Fun, "kwarg", call)
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

// Started is a runner or wheel function that runs in the background.
type Started struct {
	JID string
	// Tag is the prefix of its event tags: the result is the event Tag + "/ret".
	Tag string
}

// StartRunner calls a runner and does not wait. The result appears on the event bus and in the
// job cache.
func (c *Client) StartRunner(ctx context.Context, call RunnerCall) (Started, error) {
	return c.startRunner(ctx, call, true)
}

func (c *Client) startRunner(ctx context.Context, call RunnerCall, async bool) (Started, error) {
	reply, err := c.send(ctx, call.load(async))
	if err != nil {
		return Started{}, fmt.Errorf("runner %s: %w", call.Fun, err)
	}
	s := Started{JID: reply.String("jid"), Tag: reply.String("tag")}
	if s.Tag == "" {
		return Started{}, fmt.Errorf("runner %s: the master's answer names no tag", call.Fun)
	}
	return s, nil
}

// Runner calls a runner on the master and waits for its result, until ctx ends.
func (c *Client) Runner(ctx context.Context, fun string, args ...any) (Raw, error) {
	return c.CallRunner(ctx, RunnerCall{Fun: fun, Args: args})
}

// CallRunner calls a runner on the master and waits for its result, until ctx ends. It returns
// a [*RunnerError] if the function failed and a [*Refused] if the master refused the call.
func (c *Client) CallRunner(ctx context.Context, call RunnerCall) (_ Raw, err error) {
	b, err := c.dispatcher.listen(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	run, err := c.startRunner(ctx, call, false)
	if err != nil {
		return nil, err
	}
	b.bind(strings.TrimPrefix(run.Tag, runnerTags))
	if call.Began != nil {
		call.Began(run)
	}
	for {
		e, err := b.Next(ctx)
		if err != nil {
			if ctx.Err() == nil {
				err = fmt.Errorf("%w: %w", ErrBusLost, err)
			}
			return nil, fmt.Errorf("runner %s: wait for the result: %w", call.Fun, err)
		}
		what, own := strings.CutPrefix(e.Tag, run.Tag+"/")
		switch {
		case !own, what == "new":
		case what == "ret":
			return c.runnerResult(ctx, call.Fun, run.Tag, Raw(e.Data))
		case call.Progress != nil:
			call.Progress(what, Event{Tag: e.Tag, Time: e.Stamp, Data: Raw(e.Data)})
		}
	}
}

// runnerResult reads the event that a runner ends with. It does not decode the value, which may be
// large.
func (c *Client) runnerResult(ctx context.Context, fun, tag string, ended Raw) (_ Raw, err error) {
	if ended.isTrue("held") { // too big for an event, which may have lost any text by now
		load := wire.NewMap("cmd", "runner", "result", strings.TrimPrefix(tag, runnerTags))
		if ended, err = c.sendRaw(ctx, c.o.Timeout, load); err != nil {
			return nil, fmt.Errorf("runner %s: fetch its result: %w", fun, err)
		}
	}
	result, err := ended.Field("return")
	if err != nil {
		return nil, fmt.Errorf("runner %s: %w", fun, err)
	}
	if ended.isTrue("success") {
		return result, nil
	}
	d, err := ended.Map()
	if err != nil {
		return nil, fmt.Errorf("runner %s: %w", fun, err)
	}
	e := &RunnerError{Fun: fun, Reason: d.String("error")}
	if v, _ := d.Get("return"); e.Reason == "" {
		// A Python master reports only the reason.
		e.Reason = strings.TrimSpace(fmt.Sprint(v))
	} else if v != nil {
		e.Value = result
	}
	return nil, e
}
