package functions

import (
	"context"
	"fmt"
	"strings"

	"github.com/momtree/mom/master/server"
)

// Function is a function that a master runs for a user. E is the interface to the master.
type Function[E any] struct {
	Name string // module.function
	// Doc describes the function and its arguments, with an example.
	Doc string
	// Args are the names of the parameters, required ones first. A name ending in "=" is optional;
	// "*" accepts further positional arguments.
	Args []string
	// Lists are the arguments that are lists of names or comma-separated text; see [Call.Patterns].
	// Access rules judge each name.
	Lists []string
	// AnyKwargs accepts keyword arguments that Args does not name.
	AnyKwargs bool
	// Private means that the result is for the caller alone. The event bus, which has other
	// readers, only shows that the call ended. For a private runner it does not show the arguments
	// either.
	Private bool
	// Reads means that the function changes nothing and is fast. Clients may poll it with the
	// command query, which leaves no trace on the bus or in the job cache.
	Reads bool
	// Who may call it: [server.Operator], the default, or [server.User].
	Who server.Who
	// Run may return both a value and an error, if a failed call has something to show. It must
	// return soon after ctx is done.
	Run func(ctx context.Context, c *Call[E]) (any, error)
}

// verify returns an error if the declaration of a function is invalid.
func (f Function[E]) verify() error {
	module, name, ok := strings.Cut(f.Name, ".")
	switch {
	case !ok || module == "" || name == "" || strings.Contains(name, "."):
		return fmt.Errorf("%q is not of the form module.function", f.Name)
	case f.Run == nil || strings.TrimSpace(f.Doc) == "":
		return fmt.Errorf("%s lacks code or documentation", f.Name)
	case f.Who != 0 && f.Who != server.Operator && f.Who != server.User:
		return fmt.Errorf("%s: %v cannot call a function", f.Name, f.Who)
	}
	seen, optional := map[string]bool{}, false
	for _, a := range f.Args {
		name, may := strings.CutSuffix(a, "=")
		if may = may || a == "*"; name == "" || seen[name] || optional && !may {
			return fmt.Errorf("%s: argument %q is misplaced or duplicate", f.Name, a)
		}
		seen[name], optional = true, may
	}
	for _, name := range f.Lists {
		if !f.named(name) {
			return fmt.Errorf("%s: it has no argument %q that may be a list", f.Name, name)
		}
	}
	return nil
}

// required returns the number of required arguments.
func (f Function[E]) required() (n int) {
	for _, a := range f.Args {
		if a != "*" && !strings.HasSuffix(a, "=") {
			n++
		}
	}
	return n
}

// named reports whether the function has a parameter of that name.
func (f Function[E]) named(name string) bool {
	for _, a := range f.Args {
		if strings.TrimSuffix(a, "=") == name && a != "*" {
			return true
		}
	}
	return false
}

// Invalid returns the error for unusable arguments, in Salt's words.
func Invalid(format string, args ...any) error {
	return fmt.Errorf("Passed invalid arguments: "+format, args...)
}
