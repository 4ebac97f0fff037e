package modules

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"

	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

// Invocation is one function call of a publication.
type Invocation struct {
	Fun string
	// Args is the publication's arg list: positional values, and maps with
	// __kwarg__ for keywords.
	Args []any
	// JID is the job of the call, "" outside a job.
	JID string
	// Direct is true if a job, a schedule or salt-call names this function. Templates,
	// states, slots and other functions call indirectly.
	Direct bool
}

// Result is the return of one function.
type Result struct {
	// Value is the result, or the text of the error.
	Value any
	// Retcode is 0 for success.
	Retcode int
	Success bool
	// Out is the outputter, "" to leave the choice to the caller. For errors it is
	// "nested".
	Out string
	// Err is the cause if Value is the text of an error.
	Err error
}

// Execute binds the arguments of a function and runs it. It recovers panics. An error is in
// Result.Value, in Salt's words, and in Result.Err.
//
// When ctx ends, the function is cancelled and its programs are ended.
func Execute(ctx context.Context, env Env, inv Invocation) Result {
	c, err := prepare(ctx, env, inv)
	if err != nil {
		return failed(ctx, env, inv, err)
	}
	v, err := protect(ctx, c)
	if err != nil {
		return failed(ctx, env, inv, err)
	}
	if c.Retcode == 0 && failedResult(v) {
		c.Retcode = 1
	}
	return Result{Value: v, Retcode: c.Retcode, Success: c.Retcode == 0, Out: c.Out}
}

// prepare finds the function and binds its arguments.
func prepare(ctx context.Context, env Env, inv Invocation) (*Call, error) {
	fn, ok, err := find(ctx, env, inv.Fun)
	if err != nil {
		return nil, err
	}
	//mutant:cve2020-28243-functions
	if !ok || disabled(env, inv.Fun) {
		return nil, ErrNotAvailable
	}
	if err := blackout(env, inv.Fun); err != nil {
		return nil, err
	}
	c, err := Bind(inv.Fun, fn, inv.Args)
	if err != nil {
		return nil, err
	}
	c.JID, c.Direct, c.Env = inv.JID, inv.Direct, env
	return c, nil
}

// blackout returns an error for nearly all functions while pillar or grains set
// minion_blackout.
func blackout(env Env, fun string) error {
	if env == nil || fun == "saltutil.refresh_pillar" {
		return nil
	}
	for _, m := range []*value.Map{env.Pillar(), env.Grains()} {
		if m == nil {
			continue
		}
		on, _ := m.Get("minion_blackout")
		allowed, _ := m.Get("minion_blackout_whitelist")
		if isTrue(on) && !slices.Contains(textList(allowed), fun) {
			return InvocationErrorf("Minion in blackout mode. Set 'minion_blackout' to False in pillar or " +
				"grains to resume operations. Only saltutil.refresh_pillar allowed in blackout mode.")
		}
	}
	return nil
}

// failedResult reports whether a result map has a false value of result or success.
func failedResult(v any) bool {
	m, ok := v.(*value.Map)
	if !ok || m == nil {
		return false
	}
	for _, key := range []string{"result", "success"} {
		if v, ok := m.Get(key); ok && !pyfmt.Truth(v) {
			return true
		}
	}
	return false
}

func failed(ctx context.Context, env Env, inv Invocation, err error) Result {
	if cause := context.Cause(ctx); cause != nil {
		err = &CommandError{Msg: fmt.Sprintf("job %s was ended: %v", inv.JID, cause)}
	}
	text := explain(inv.Fun, err)
	logger(env).Warn("execution function failed", "fun", inv.Fun, "jid", inv.JID, "err", text)
	return Result{Value: text, Retcode: 1, Out: "nested", Err: err}
}

// protect runs the function and converts a panic to an error.
func protect(ctx context.Context, c *Call) (v any, err error) {
	defer func() {
		if p := recover(); p != nil {
			logger(c.Env).Error("execution function panicked", "fun", c.Fun, "jid", c.JID,
				"panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			v, err = nil, fmt.Errorf("panic: %v (the traceback is in the log of the minion)", p)
		}
	}()
	return c.fn.Run(ctx, c)
}

// sub calls another function, as Salt's modules call each other. It binds the arguments and
// returns errors as errors.
func (c *Call) sub(ctx context.Context, fun string, args []any, kwargs *value.Map) (any, error) {
	return c.passOn(ctx, Invocation{Fun: fun, Args: args}, kwargs)
}

// passOn is sub for a function that forwards its own keywords: the call is direct if this
// one is.
func (c *Call) passOn(ctx context.Context, inv Invocation, kwargs *value.Map) (any, error) {
	if kwargs != nil && kwargs.Len() > 0 {
		marked := kwargs.Clone()
		marked.Set(kwargMarker, true)
		inv.Args = append(slices.Clone(inv.Args), marked)
	}
	inner, err := prepare(ctx, c.Env, inv)
	if err != nil {
		return nil, wrapSub(inv.Fun, err)
	}
	v, err := protect(ctx, inner)
	c.Retcode = inner.Retcode
	return v, err
}

func wrapSub(fun string, err error) error {
	if errors.Is(err, ErrNotAvailable) {
		return &ExceptionError{Type: "KeyError", Msg: PyRepr(fun)}
	}
	return err
}

func logger(env Env) *slog.Logger {
	if env != nil {
		if l := env.Log(); l != nil {
			return l
		}
	}
	return slog.Default()
}
