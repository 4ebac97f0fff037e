package functions

import (
	"context"
	"strings"

	"github.com/momtree/mom/salt/registry"
	"github.com/momtree/mom/salt/states"
)

// Function is one state function.
type Function struct {
	// Name is the part after the dot: "managed" of file.managed.
	Name string
	// Doc is the documentation that sys.state_doc prints: a description, the arguments, and
	// an example.
	Doc string
	// Spec describes the arguments; the first is name.
	states.Spec
	// Run executes the function. It must return soon after ctx ends.
	Run func(ctx context.Context, c *Call) (*states.Result, error)
}

var registered = registry.New("states", func(f Function) registry.Entry {
	return registry.Entry{Name: f.Name, Doc: f.Doc, Args: f.Args, Code: f.Run != nil}
})

// Register adds functions to a state module. Call it from init. It panics on a fault in the
// declaration.
func Register(module string, fns ...Function) { registered.Register(module, fns...) }

// usable has a function for modules with requirements on the host. It returns why the
// module is not usable, or "". Only init functions write the map.
var usable = map[string]func() string{}

// Depends makes a module check its requirements before each state: why returns the reason
// why the host lacks them, or "".
func Depends(module string, why func() string) { usable[module] = why }

// unusable returns the reason why a function is not usable on this host, or "".
func unusable(name string) string {
	module, _, _ := strings.Cut(name, ".")
	if why := usable[module]; why != nil {
		return why()
	}
	return ""
}

// Lookup returns the function of a full name such as "file.managed".
func Lookup(name string) (Function, bool) { return registered.Lookup(name) }

// Names returns the full names of all functions, sorted.
func Names() []string { return registered.Names() }
