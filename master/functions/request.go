package functions

import (
	"time"

	"github.com/momtree/mom/value"
)

// Request is a call as somebody asks for it: [Registry.Bind] binds its arguments.
type Request struct {
	Fun    string
	Args   []any
	Kwargs *value.Map // nil: none
	// Timeout replaces the master's option timeout, for a function that waits for
	// minions; 0 keeps the option.
	Timeout time.Duration
}

// list is the arguments in Salt's form: keyword arguments in one map, which stands last.
func (q Request) list() []any {
	out := append([]any{}, q.Args...)
	if q.Kwargs.Len() > 0 {
		kw := q.Kwargs.Clone()
		kw.Set("__kwarg__", true)
		out = append(out, kw)
	}
	return out
}
