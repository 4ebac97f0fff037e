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

// Env is what a wheel function may do at its master.
type Env struct {
	Keys   keys.Editor
	Config *config.Master
	// Tree is the tree from the master down.
	Tree func() topology.Node
}

type (
	// Function is one wheel function.
	Function = functions.Function[Env]
	// Call is a call of a Function.
	Call = functions.Call[Env]
	// Request names a function and its arguments as the caller gave them.
	Request = functions.Request
	// Bound is a request whose arguments are bound to the parameters of its function.
	Bound = functions.Bound
)

var registry = functions.NewRegistry[Env]("wheel")

// Register enters functions. It is called from init of the file that has them.
func Register(fs ...Function) { registry.Register(fs...) }

// Docs are the documentations of all functions by name.
func Docs() *value.Map { return registry.Docs() }

// Who may call the function of a name.
func Who(name string) server.Who { return registry.Who(name) }

// Private tells whether what a function gives is for its caller alone.
func Private(name string) bool { return registry.Private(name) }

// Names lists all functions, sorted.
func Names() []string { return registry.Names() }

// noArguments are fields of a wheel load that are no arguments of the function, where it
// has none of that name: Salt's CLIENT_INTERNAL_KEYWORDS, and the user, at which Salt's
// wheels break.
var noArguments = []string{
	"cmd", "fun", "key", "user", "client", "arg", "kwarg", "match", "eauth", "token", "username", "password", "full_return", "print_event",
}

// BindLoad binds the call of a wheel load: with arg and kwarg, or with the arguments among
// the fields of the load.
func BindLoad(load *value.Map) Bound {
	fun := load.String("fun")
	if !load.Has("arg") || !load.Has("kwarg") {
		return registry.BindFields(fun, load, noArguments...)
	}
	return registry.Bind(Request{Fun: fun, Args: load.List("arg"), Kwargs: load.Map("kwarg")})
}

// Bind binds the arguments of a call; see [functions.Registry.Bind].
func Bind(q Request) Bound { return registry.Bind(q) }

// BindFields binds a call whose arguments are fields by their names; those in others are
// not arguments.
func BindFields(fun string, fields *value.Map, others ...string) Bound {
	return registry.BindFields(fun, fields, others...)
}

// Run calls a function. A panic becomes an error.
func Run(ctx context.Context, c *Call) (any, error) { return registry.Run(ctx, c) }
