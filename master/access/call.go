package access

import (
	"errors"
	"fmt"

	"github.com/momtree/mom/internal/python"
	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
)

// Call is one function of a job with its arguments.
type Call struct {
	Fun    string
	Args   []any
	Kwargs *wire.Map // nil: none
}

// Calls takes a publish load apart: one function with its arguments, or several
// with a list of arguments each.
func Calls(p wire.PublishLoad) ([]Call, error) {
	fun, err := wire.Decode(p.Fun)
	if err != nil {
		return nil, fmt.Errorf("fun: %w", err)
	}
	var args []any
	if len(p.Arg) > 0 && !wire.IsNil(p.Arg) {
		v, err := wire.Decode(p.Arg)
		if err != nil {
			return nil, fmt.Errorf("arg: %w", err)
		}
		args, _ = v.([]any)
	}
	switch fun := fun.(type) {
	case string:
		return []Call{newCall(fun, args)}, nil
	case []any:
		out := make([]Call, 0, len(fun))
		for i, f := range fun {
			name, ok := f.(string)
			if !ok {
				return nil, fmt.Errorf("fun: entry %d is no text", i+1)
			}
			var own []any
			if i < len(args) {
				own, _ = args[i].([]any)
			}
			out = append(out, newCall(name, own))
		}
		if len(out) > 0 {
			return out, nil
		}
	}
	return nil, errors.New("fun: neither a function nor a list of them")
}

// newCall separates the keyword arguments, which stand last.
func newCall(fun string, args []any) Call {
	if n := len(args); n > 0 {
		if kw, ok := args[n-1].(*wire.Map); ok && kw.Has("__kwarg__") {
			return Call{fun, args[:n-1], kw}
		}
	}
	return Call{Fun: fun, Args: args}
}

// like tells whether a call has arguments as a rule wants them.
func (c Call) like(a argRule) bool {
	fits := func(re target.Expr, v any) bool { return re == nil || re.Match(target.ID(python.Str(v))) }
	for i, re := range a.args {
		if i >= len(c.Args) || !fits(re, c.Args[i]) {
			return false
		}
	}
	for name, re := range a.kwargs {
		if c.Kwargs == nil {
			return false
		}
		v, ok := c.Kwargs.Get(name)
		if !ok || !fits(re, v) {
			return false
		}
	}
	return true
}
