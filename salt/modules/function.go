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
	// Doc is the documentation that sys.doc prints: a description, the arguments, and an
	// example.
	Doc string
	// Args are the named arguments in order; required ones come first.
	Args []Arg
	// VarArgs allows further positional arguments ([Call.Rest]).
	VarArgs bool
	// VarKw allows unknown keywords ([Call.Kwargs]).
	VarKw bool
	// Run executes the function. It must return soon after ctx ends.
	Run func(ctx context.Context, c *Call) (any, error)
}

// Arg is one named argument of a [Function].
type Arg = registry.Arg

// Call is one call: a function with bound arguments.
type Call struct {
	// Fun is the full name, such as "cmd.run".
	Fun string
	// Args holds one value for each named argument, in the order of [Function.Args] and
	// with defaults, followed by the other positional arguments of a VarArgs function.
	Args []any
	// Kwargs holds the keywords that match no argument; empty unless the function has
	// VarKw, never nil.
	Kwargs *value.Map
	// JID is the job of the call; "req" or "" outside a job.
	JID string
	// Direct is that of the [Invocation].
	Direct bool
	// Env is the minion of the call.
	Env Env
	// Retcode is set by a function that returns a result but reports failure, like Salt's
	// __context__["retcode"].
	Retcode int
	// Out is the preferred outputter; "" leaves the choice to the caller.
	Out string

	fn Function
}

// Value returns the value of the named argument, or nil if the function has no such
// argument.
func (c *Call) Value(name string) any {
	for i, a := range c.fn.Args {
		if a.Name == name && i < len(c.Args) {
			return c.Args[i]
		}
	}
	return nil
}

// set replaces the value of the named argument.
func (c *Call) set(name string, v any) {
	for i, a := range c.fn.Args {
		if a.Name == name {
			c.Args[i] = v
		}
	}
}

// Rest returns the positional arguments after the named ones.
func (c *Call) Rest() []any {
	if len(c.Args) <= len(c.fn.Args) {
		return nil
	}
	return c.Args[len(c.fn.Args):]
}
