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

// Invocation is one function to run, as a publication names it.
type Invocation struct {
	Fun string
	// Args is the publication's arg list: positional values, and maps with
	// __kwarg__ for keywords.
	Args []any
	// JID is the job that the call belongs to, "" outside a job.
	JID string
	// Direct says that a job, a schedule or salt-call names this function
	// itself. Templates, states, slots and other functions call indirectly.
	Direct bool
}

// Result is what a job returns for one function.
type Result struct {
	// Value is the result, or the text of the error.
	Value any
	// Retcode is 0 for success.
	Retcode int
	Success bool
	// Out names an outputter, "" when the caller shall choose. Errors say
	// "nested".
	Out string
	// Err is the cause when Value is the text of an error.
	Err error
}

// Execute binds and runs one function. It never panics and never returns an
// error apart from the result: what went wrong is in Value, worded as a user of
// Salt knows it, and in Err.
//
// When ctx ends, the function is told so and what it started is ended.
func Execute(ctx context.Context, env Env, inv Invocation) Result {
	c, err := prepare(ctx, env, inv)
	if err != nil {
		return failed(ctx, env, inv, err)
	}
	v, err := protect(ctx, c)
	if err != nil {
		return failed(ctx, env, inv, err)
	}
	if c.Retcode == 0 && tellsFailure(v) {
		c.Retcode = 1
	}
	return Result{Value: v, Retcode: c.Retcode, Success: c.Retcode == 0, Out: c.Out}
}

// prepare finds the function and fits the arguments to it.
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

// blackout refuses nearly everything while pillar or grains say
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

// tellsFailure reports a result map that says of itself that it failed.
func tellsFailure(v any) bool {
	m, ok := v.(*value.Map)
	if !ok || m == nil {
		return false
	}
	for _, key := range []string{"result", "success"} {
		if told, ok := m.Get(key); ok && !pyfmt.Truth(told) {
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

// protect runs the function and turns a panic into an error.
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

// sub runs another function from within one, as Salt's modules call each other:
// the arguments are bound and errors come back as errors.
func (c *Call) sub(ctx context.Context, fun string, args []any, kwargs *value.Map) (any, error) {
	return c.passOn(ctx, Invocation{Fun: fun, Args: args}, kwargs)
}

// passOn is sub for a call that may be as direct as this one: of a function that
// hands its own keywords on.
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
