package wheels

import (
	"context"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/master/functions"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/topology"
	"github.com/momtree/mom/value"
)

// Env is what wheel functions use of their master.
type Env struct {
	Keys   keys.Editor
	Config *config.Master
	// Tree returns the tree from the master down.
	Tree func() topology.Node
}

type (
	// Function is a wheel function.
	Function = functions.Function[Env]
	// Call is a call of a Function.
	Call = functions.Call[Env]
	// Request names a function and its arguments as the caller sent them.
	Request = functions.Request
	// Bound is a request whose arguments are bound to the parameters of its function.
	Bound = functions.Bound
)

var registry = functions.NewRegistry[Env]("wheel")

// Register adds functions. The files that define them call it from init.
func Register(fs ...Function) { registry.Register(fs...) }

// Docs returns the documentation of all functions by name.
func Docs() *value.Map { return registry.Docs() }

// Who returns the access rule of the function with this name.
func Who(name string) server.Who { return registry.Who(name) }

// Private reports whether the result of a function is for its caller alone.
func Private(name string) bool { return registry.Private(name) }

// Names returns the names of all functions, sorted.
func Names() []string { return registry.Names() }

// noArguments lists the fields of a wheel load that are not arguments, unless the function has a
// parameter of that name: Salt's CLIENT_INTERNAL_KEYWORDS, and user, which breaks Salt's wheels.
var noArguments = []string{
	"cmd", "fun", "key", "user", "client", "arg", "kwarg", "match", "eauth", "token", "username", "password", "full_return", "print_event",
}

// BindLoad binds the call of a wheel load. The arguments are in arg and kwarg, or else among the
// other fields.
func BindLoad(load *value.Map) Bound {
	fun := load.String("fun")
	if !load.Has("arg") || !load.Has("kwarg") {
		return registry.BindFields(fun, load, noArguments...)
	}
	return registry.Bind(Request{Fun: fun, Args: load.List("arg"), Kwargs: load.Map("kwarg")})
}

// Bind binds the arguments of a call; see [functions.Registry.Bind].
func Bind(q Request) Bound { return registry.Bind(q) }

// BindFields binds a call whose arguments are fields, by name. Fields listed in others are not
// arguments.
func BindFields(fun string, fields *value.Map, others ...string) Bound {
	return registry.BindFields(fun, fields, others...)
}

// Run calls a function. A panic is returned as an error.
func Run(ctx context.Context, c *Call) (any, error) { return registry.Run(ctx, c) }
