package api

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/momtree/mom/api/lowdata"
	"github.com/momtree/mom/client"
	"github.com/momtree/mom/value"
)

// runner calls a runner and waits for its result.
func (s *Server) runner(ctx context.Context, ses Session, ch lowdata.Chunk) result {
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
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(wait, s.o.RunnerTime))
	defer cancel()
	raw, err := ses.Runner(ctx, call)
	failure, failed := errors.AsType[*client.RunnerError](err)
	if v, unknown := ofUnknownJob(call.Fun, failure); unknown && !full {
		return result{values: []any{v}}
	}
	failed = failed && full // whoever wants all that is known is told that the call failed
	if failed {
		raw = failure.Value
	} else if err != nil {
		return result{err: err, shown: shownOf(failure)}
	}
	v, err := raw.Decode()
	if err != nil {
		return result{err: err}
	}
	if full {
		data := value.NewMap("fun", "runner."+call.Fun, "jid", began.JID, "return", v, "success", !failed)
		switch {
		case failed && v == nil:
			data.Set("return", failure.Reason) // as Salt has it
		case failed:
			data.Set("error", failure.Reason)
		}
		v = value.NewMap("tag", began.Tag+"/ret", "data", data)
	}
	return result{values: []any{v}}
}

// ofUnknownJob is what Salt's runner gives of a job that it does not know; who polls reads it
// as "not yet". false: something else failed.
func ofUnknownJob(fun string, failure *client.RunnerError) (any, bool) {
	if failure == nil || !strings.HasPrefix(fun, "jobs.") || !strings.HasPrefix(failure.Reason, "no job with the id") {
		return nil, false
	}
	if v := shownOf(failure); v != nil {
		return v, true
	}
	return value.NewMap(), true
}

// shownOf is what a runner that failed has given beside the reason; nil: nothing.
func shownOf(failure *client.RunnerError) any {
	if failure == nil {
		return nil
	}
	v, err := failure.Value.Decode()
	if err != nil {
		return nil // the reason is told
	}
	return v
}

// runnerAsync calls a runner; its result is an event, and in the job cache.
func (s *Server) runnerAsync(ctx context.Context, ses Session, ch lowdata.Chunk) result {
	call, err := ch.Runner()
	if err != nil {
		return result{err: err}
	}
	started, err := ses.StartRunner(ctx, call)
	if err != nil {
		return result{err: err}
	}
	return result{values: []any{value.NewMap("tag", started.Tag, "jid", started.JID)}, jids: []string{started.JID}}
}

// wheel calls a wheel function and shows all that the master says of it.
func (s *Server) wheel(ctx context.Context, ses Session, ch lowdata.Chunk) result {
	m, err := s.callWheel(ctx, ses, ch)
	if err != nil {
		return result{err: err}
	}
	return result{values: []any{m}}
}

func (s *Server) callWheel(ctx context.Context, ses Session, ch lowdata.Chunk) (*value.Map, error) {
	fun, kwargs, err := ch.Wheel()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, s.o.RunnerTime)
	defer cancel()
	a, err := ses.Wheel(ctx, fun, kwargs)
	if err != nil {
		return nil, err
	}
	data, err := a.Data.Map()
	if err != nil {
		return nil, err
	}
	return value.NewMap("tag", a.Tag, "data", data), nil
}

// wheelAsync answers with where the call will be on the event bus.
func (s *Server) wheelAsync(ctx context.Context, ses Session, ch lowdata.Chunk) result {
	fun, kwargs, err := ch.Wheel()
	if err != nil {
		return result{err: err}
	}
	ctx, cancel := context.WithTimeout(ctx, s.o.RunnerTime)
	defer cancel()
	started, err := ses.StartWheel(ctx, fun, kwargs)
	if err != nil {
		return result{err: err}
	}
	return result{values: []any{value.NewMap("tag", started.Tag, "jid", started.JID)}}
}
