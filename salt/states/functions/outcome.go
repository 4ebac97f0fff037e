package functions

import (
	"context"
	"errors"
	"fmt"

	"github.com/momtree/mom/salt/pyfmt"

	"github.com/momtree/mom/salt/modules"
	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

// outcome returns the initial result of a state, without changes.
func outcome(c *Call) *states.Result {
	return &states.Result{Name: c.Name(), Result: true, Changes: value.NewMap()}
}

// says sets the verdict and the comment of a result.
func says(r *states.Result, verdict any, format string, a ...any) (*states.Result, error) {
	r.Result, r.Comment = verdict, fmt.Sprintf(format, a...)
	return r, nil
}

// work reports whether an error means that the work failed, which a state reports as text,
// and not that the call was invalid.
func work(err error) (text string, ok bool) {
	var failed *modules.CommandError
	var info *modules.InfoError
	switch {
	case errors.As(err, &failed):
		return failed.Msg, true
	case errors.As(err, &info):
		return info.WithoutChanges(), true
	}
	return "", false
}

// truthOf calls an execution function and returns Python's truth of its result.
func (c *Call) truthOf(ctx context.Context, fun string, args ...any) (bool, error) {
	v, err := c.Module(ctx, fun, args, nil)
	return pyfmt.Truth(v), err
}

// mapOf calls an execution function that returns a map.
func (c *Call) mapOf(ctx context.Context, fun string, args ...any) (*value.Map, error) {
	return c.mapOfKw(ctx, fun, nil, args...)
}

// mapOfKw is mapOf with keywords.
func (c *Call) mapOfKw(ctx context.Context, fun string, kwargs *value.Map, args ...any) (*value.Map, error) {
	v, err := c.Module(ctx, fun, args, kwargs)
	if err != nil {
		return nil, err
	}
	m, ok := v.(*value.Map)
	if !ok || m == nil {
		return nil, fmt.Errorf("%s returned %s, not a map", fun, modules.PyRepr(v))
	}
	return m, nil
}

// texts returns an argument that is a list of strings, or one string.
func texts(v any) []string {
	switch v := v.(type) {
	case nil:
		return nil
	case []any:
		out := make([]string, len(v))
		for i, e := range v {
			out[i] = modules.PyStr(e)
		}
		return out
	}
	return []string{modules.PyStr(v)}
}

// texted returns a list of strings as a value.
func texted(list []string) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}

// condition returns an argument that is True, False or not given.
func (c *Call) condition(name string) (is, given bool) {
	switch v := c.Value(name).(type) {
	case nil:
		return false, false
	case string:
		return v == "true" || v == "True", true
	default:
		return pyfmt.Truth(v), true
	}
}
