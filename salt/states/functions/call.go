package functions

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/momtree/mom/salt/modules"
	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

// Call is one call of a state function on a minion.
type Call struct {
	*states.Call
	// Env is the minion.
	Env modules.Env
	// Text renders the source of a file with template: jinja.
	Text Text
	// JID is the job of the run.
	JID string
}

// Module calls an execution function. As in Salt, states use these functions to change
// anything other than files. The error is [modules.ErrNotAvailable] for an unknown
// function.
func (c *Call) Module(ctx context.Context, fun string, args []any, kwargs *value.Map) (any, error) {
	v, _, err := Execute(ctx, c.Env, c.JID, fun, args, kwargs)
	return v, err
}

// Execute calls an execution function with arguments and keywords. It also returns the exit
// code that the function sets.
func Execute(ctx context.Context, env modules.Env, jid, fun string, args []any, kwargs *value.Map) (any, int, error) {
	if kwargs.Len() > 0 {
		marked := kwargs.Clone()
		marked.Set("__kwarg__", true)
		args = append(slices.Clone(args), marked)
	}
	r := modules.Execute(ctx, env, modules.Invocation{Fun: fun, Args: args, JID: jid})
	if r.Err != nil {
		return nil, r.Retcode, r.Err
	}
	return r.Value, r.Retcode, nil
}

// Set provides all state functions of one minion, for a run.
type Set struct {
	Env  modules.Env
	Text Text
	JID  string
}

var _ states.Functions = Set{}

// Spec implements [states.Functions].
func (s Set) Spec(name string) (states.Spec, bool) {
	fn, ok := Lookup(name)
	return fn.Spec, ok && unusable(name) == ""
}

// Missing implements [states.Functions].
func (s Set) Missing(name string) string {
	if _, ok := Lookup(name); ok {
		if why := unusable(name); why != "" {
			module, _, _ := strings.Cut(name, ".")
			return fmt.Sprintf("'%s' __virtual__ returned False: %s", module, why)
		}
	}
	return fmt.Sprintf("'%s' is not available.", name)
}

// Run implements [states.Functions]. It returns a panic of a function as an error.
func (s Set) Run(ctx context.Context, c *states.Call) (res *states.Result, err error) {
	fn, ok := Lookup(c.Fun)
	if !ok {
		return nil, errors.New(s.Missing(c.Fun))
	}
	defer func() {
		if p := recover(); p != nil {
			s.Env.Log().Error("state function panicked", "fun", c.Fun, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			res, err = nil, fmt.Errorf("panic: %v (the traceback is in the log of the minion)", p)
		}
	}()
	res, err = fn.Run(ctx, &Call{Call: c, Env: s.Env, Text: s.Text, JID: s.JID})
	return res, raised(err)
}
