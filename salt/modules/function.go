package modules

import (
	"context"

	"github.com/momtree/mom/salt/registry"
	"github.com/momtree/mom/value"
)

// Function is one execution function.
type Function struct {
	// Name is the part after the dot: "ping" for test.ping.
	Name string
	// Doc is what sys.doc prints: what the function does, its arguments,
	// an example.
	Doc string
	// Args are the named arguments in order; required ones come first.
	Args []Arg
	// VarArgs lets further positional arguments through ([Call.Rest]).
	VarArgs bool
	// VarKw lets unknown keywords through ([Call.Kwargs]).
	VarKw bool
	// Run does the work. It must end soon after ctx is done.
	Run func(ctx context.Context, c *Call) (any, error)
}

// Arg is one named argument of a [Function].
type Arg = registry.Arg

// Call is one invocation: a function together with bound arguments.
type Call struct {
	// Fun is the full name, such as "cmd.run".
	Fun string
	// Args holds one value for each named argument, in the order of
	// [Function.Args] with defaults filled in, then the further positional
	// ones of a VarArgs function.
	Args []any
	// Kwargs holds the keywords that name no argument; empty unless the
	// function has VarKw, never nil.
	Kwargs *value.Map
	// JID is the job the call belongs to; "req" or "" outside a job.
	JID string
	// Direct is that of the [Invocation].
	Direct bool
	// Env is the minion around the call.
	Env Env
	// Retcode is set by the function when the job shall be told as failed
	// although it has a result, as Salt's __context__["retcode"].
	Retcode int
	// Out names the outputter that shows the result best; "" lets the caller choose.
	Out string

	fn Function
}

// Value returns the bound value of the named argument, or nil when the
// function has no argument of that name.
func (c *Call) Value(name string) any {
	for i, a := range c.fn.Args {
		if a.Name == name && i < len(c.Args) {
			return c.Args[i]
		}
	}
	return nil
}

// set replaces the bound value of the named argument.
func (c *Call) set(name string, v any) {
	for i, a := range c.fn.Args {
		if a.Name == name {
			c.Args[i] = v
		}
	}
}

// Rest returns the positional arguments beyond the named ones.
func (c *Call) Rest() []any {
	if len(c.Args) <= len(c.fn.Args) {
		return nil
	}
	return c.Args[len(c.fn.Args):]
}
