package api

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/momtree/mom/api/lowdata"
	"github.com/momtree/mom/client"
	"github.com/momtree/mom/value"
)

// runnerCaller calls runners for a user; see [Session].
type runnerCaller interface {
	Runner(ctx context.Context, call client.RunnerCall) (client.Raw, error)
	StartRunner(ctx context.Context, call client.RunnerCall) (client.Started, error)
}

// runnerClient is Salt's clients runner and runner_async.
type runnerClient struct {
	time time.Duration // bounds a call without a timeout of its own
}

// run calls a runner and waits for its result.
func (r *runnerClient) run(ctx context.Context, by runnerCaller, ch lowdata.Chunk) result {
	call, err := ch.Runner()
	if err != nil {
		return result{err: err}
	}
	full, err := ch.Flag("full_return")
	if err != nil {
		return result{err: err}
	}
	wait, err := ch.Seconds("timeout")
	if err != nil {
		return result{err: err}
	}
	var began client.Started
	call.Began = func(s client.Started) { began = s }
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(wait, r.time))
	defer cancel()
	raw, err := by.Runner(ctx, call)
	failure, failed := errors.AsType[*client.RunnerError](err)
	if v, unknown := unknownJobValue(call.Fun, failure); unknown && !full {
		return result{values: []any{v}}
	}
	failed = failed && full // full_return shows a failure as a value
	if failed {
		raw = failure.Value
	} else if err != nil {
		return result{err: err, shown: failureValue(failure)}
	}
	v, err := raw.Decode()
	if err != nil {
		return result{err: err}
	}
	if full {
		data := value.NewMap("fun", "runner."+call.Fun, "jid", began.JID, "return", v, "success", !failed)
		switch {
		case failed && v == nil:
			data.Set("return", failure.Reason) // as in Salt
		case failed:
			data.Set("error", failure.Reason)
		}
		v = value.NewMap("tag", began.Tag+"/ret", "data", data)
	}
	return result{values: []any{v}}
}

// start calls a runner. Its result is an event, and in the job cache.
func (r *runnerClient) start(ctx context.Context, by runnerCaller, ch lowdata.Chunk) result {
	call, err := ch.Runner()
	if err != nil {
		return result{err: err}
	}
	started, err := by.StartRunner(ctx, call)
	if err != nil {
		return result{err: err}
	}
	return result{values: []any{value.NewMap("tag", started.Tag, "jid", started.JID)}, jids: []string{started.JID}}
}

// unknownJobValue returns what Salt's runner returns for an unknown job, which a client that polls
// reads as "not yet". It returns false for other failures.
func unknownJobValue(fun string, failure *client.RunnerError) (any, bool) {
	if failure == nil || !strings.HasPrefix(fun, "jobs.") || !strings.HasPrefix(failure.Reason, "no job with the id") {
		return nil, false
	}
	if v := failureValue(failure); v != nil {
		return v, true
	}
	return value.NewMap(), true
}

// failureValue returns the value of a runner that failed; nil if it has none.
func failureValue(failure *client.RunnerError) any {
	if failure == nil {
		return nil
	}
	v, err := failure.Value.Decode()
	if err != nil {
		return nil // the answer has the reason
	}
	return v
}

// wheelCaller calls wheel functions for a user; see [Session].
type wheelCaller interface {
	Wheel(ctx context.Context, fun string, kwargs map[string]any) (client.WheelAnswer, error)
	StartWheel(ctx context.Context, fun string, kwargs map[string]any) (client.Started, error)
}

// wheelClient is Salt's clients wheel and wheel_async.
type wheelClient struct {
	time time.Duration // bounds a call
}

// run calls a wheel function and shows all that the master returns.
func (w *wheelClient) run(ctx context.Context, by wheelCaller, ch lowdata.Chunk) result {
	fun, kwargs, err := ch.Wheel()
	if err != nil {
		return result{err: err}
	}
	ctx, cancel := context.WithTimeout(ctx, w.time)
	defer cancel()
	a, err := by.Wheel(ctx, fun, kwargs)
	if err != nil {
		return result{err: err}
	}
	data, err := a.Data.Map()
	if err != nil {
		return result{err: err}
	}
	return result{values: []any{value.NewMap("tag", a.Tag, "data", data)}}
}

// start calls a wheel function and shows the tag of its events.
func (w *wheelClient) start(ctx context.Context, by wheelCaller, ch lowdata.Chunk) result {
	fun, kwargs, err := ch.Wheel()
	if err != nil {
		return result{err: err}
	}
	ctx, cancel := context.WithTimeout(ctx, w.time)
	defer cancel()
	started, err := by.StartWheel(ctx, fun, kwargs)
	if err != nil {
		return result{err: err}
	}
	return result{values: []any{value.NewMap("tag", started.Tag, "jid", started.JID)}}
}
