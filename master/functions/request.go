package functions

import (
	"time"

	"github.com/momtree/mom/value"
)

// Request is an unbound call; [Registry.Bind] binds its arguments.
type Request struct {
	Fun    string
	Args   []any
	Kwargs *value.Map // may be nil
	// Timeout overrides the option timeout for a function that waits for minions; 0 keeps the
	// option.
	Timeout time.Duration
}

// list returns the arguments in Salt's form: keyword arguments in one map, at the end.
func (q Request) list() []any {
	out := append([]any{}, q.Args...)
	if q.Kwargs.Len() > 0 {
		kw := q.Kwargs.Clone()
		kw.Set("__kwarg__", true)
		out = append(out, kw)
	}
	return out
}
