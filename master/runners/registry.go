package runners

import (
	"context"

	"github.com/momtree/mom/master/functions"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/value"
)

type (
	// Function is a runner function.
	Function = functions.Function[Env]
	// Call is a call of a Function, whose arguments [Bind] has bound.
	Call = functions.Call[Env]
	// Request names a function and its arguments as the caller sent them.
	Request = functions.Request
	// Bound is a request whose arguments are bound to the parameters of its function.
	Bound = functions.Bound
)

var registry = functions.NewRegistry[Env]("runner")

// Register adds functions. The files that define them call it from init.
func Register(fs ...Function) { registry.Register(fs...) }

// Lookup returns the function with this name.
func Lookup(name string) (Function, bool) { return registry.Lookup(name) }

// Names returns the names of all functions, sorted.
func Names() []string { return registry.Names() }

// Docs returns the sorted names of the functions that a word of the command line matches: a
// function, the functions of a module, or all for "".
func Docs(word string) []string { return registry.Match(word) }

// Who returns the access rule of the function with this name.
func Who(name string) server.Who { return registry.Who(name) }

// KindPrint is the event of a call that prints; see [functions.KindPrint].
const KindPrint = functions.KindPrint

// Private reports whether arguments and result of a function are for its caller alone.
func Private(name string) bool { return registry.Private(name) }

// Bind binds the arguments of a call; see [functions.Registry.Bind].
func Bind(q Request) Bound { return registry.Bind(q) }

// BindFields binds a call whose arguments are fields, by name. Fields listed in others are not
// arguments.
func BindFields(fun string, fields *value.Map, others ...string) Bound {
	return registry.BindFields(fun, fields, others...)
}

// Run calls a function. A panic is returned as an error.
func Run(ctx context.Context, c *Call) (any, error) { return registry.Run(ctx, c) }

var invalid = functions.Invalid
