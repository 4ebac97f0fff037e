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
	// Doc is what sys.state_doc prints: what the state ensures, its arguments, an
	// example.
	Doc string
	// Spec tells the arguments; the first is name.
	states.Spec
	// Run does the work. It must end soon after ctx is done.
	Run func(ctx context.Context, c *Call) (*states.Result, error)
}

var registered = registry.New("states", func(f Function) registry.Entry {
	return registry.Entry{Name: f.Name, Doc: f.Doc, Args: f.Args, Code: f.Run != nil}
})

// Register adds functions to a state module. It is called from init of the module's
// file and panics on a mistake in the declaration.
func Register(module string, fns ...Function) { registered.Register(module, fns...) }

// usable says of modules that not every host has why one cannot be used now, "" if it can.
// It is written by init functions only.
var usable = map[string]func() string{}

// Depends has a module ask, before each state, whether this host has what it needs: why
// gives the reason why not, or "".
func Depends(module string, why func() string) { usable[module] = why }

// unusable is the reason why a function cannot be used on this host now, or "".
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
