package runners

import (
	"context"

	"github.com/momtree/mom/master/functions"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/value"
)

type (
	// Function is one runner function.
	Function = functions.Function[Env]
	// Call is a call of a Function, whose arguments [Bind] has bound.
	Call = functions.Call[Env]
	// Request names a function and its arguments as the caller gave them.
	Request = functions.Request
	// Bound is a request whose arguments are bound to the parameters of its function.
	Bound = functions.Bound
)

var registry = functions.NewRegistry[Env]("runner")

// Register enters functions. It is called from init of the file that has them.
func Register(fs ...Function) { registry.Register(fs...) }

// Lookup finds a function by its name.
func Lookup(name string) (Function, bool) { return registry.Lookup(name) }

// Names lists all functions, sorted.
func Names() []string { return registry.Names() }

// Docs are the names of the functions that a word of the command line means,
// sorted: a function, the functions of a module, or all of them for "".
func Docs(word string) []string { return registry.Match(word) }

// Who may call the function of a name.
func Who(name string) server.Who { return registry.Who(name) }

// ToldPrint is what a call tells when it prints; see [functions.ToldPrint].
const ToldPrint = functions.ToldPrint

// Private tells whether what a function is given and gives is for its caller alone.
func Private(name string) bool { return registry.Private(name) }

// Bind binds the arguments of a call; see [functions.Registry.Bind].
func Bind(q Request) Bound { return registry.Bind(q) }

// BindFields binds a call whose arguments are fields by their names; those in others are
// not arguments.
func BindFields(fun string, fields *value.Map, others ...string) Bound {
	return registry.BindFields(fun, fields, others...)
}

// Reads tells whether a function changes nothing and is soon done; see [Host.Ask].
func Reads(name string) bool { return registry.Reads(name) }

// Run calls a function. A panic becomes an error.
func Run(ctx context.Context, c *Call) (any, error) { return registry.Run(ctx, c) }

var invalid = functions.Invalid
