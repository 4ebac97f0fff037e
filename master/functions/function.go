package functions

import (
	"context"
	"fmt"
	"strings"

	"github.com/momtree/mom/master/server"
)

// Function is one function that a master runs for a local user. It asks the master for
// what E has.
type Function[E any] struct {
	Name string // module.function
	// Doc says what it does, what its arguments are, and shows a call.
	Doc string
	// Args are the names of the arguments, those that must be given first. A name that
	// ends in "=" is optional; "*" takes any further positional arguments.
	Args []string
	// Lists are the arguments that are lists of names, or text with commas; see
	// [Call.Patterns]. Access rules judge each name.
	Lists []string
	// AnyKwargs lets through keyword arguments that Args does not name.
	AnyKwargs bool
	// Private says that what it gives is for the caller alone: the event bus, which has
	// other readers, is told that it has ended. What a private runner is given is not told
	// either.
	Private bool
	// Reads says that it changes nothing and is soon done. Whoever wants to see it again and
	// again asks for it by the command query, of which neither the bus nor the job cache is
	// told.
	Reads bool
	// Who may call it: [server.Operator], which nothing means as well, or [server.User].
	Who server.Who
	// Run may give a value and an error at once: what there is to show of a call
	// that failed. It must end soon after ctx is done.
	Run func(ctx context.Context, c *Call[E]) (any, error)
}

// verify tells what is wrong with how a function is declared.
func (f Function[E]) verify() error {
	module, name, ok := strings.Cut(f.Name, ".")
	switch {
	case !ok || module == "" || name == "" || strings.Contains(name, "."):
		return fmt.Errorf("%q is no name of a module and a function", f.Name)
	case f.Run == nil || strings.TrimSpace(f.Doc) == "":
		return fmt.Errorf("%s is without code or documentation", f.Name)
	case f.Who != 0 && f.Who != server.Operator && f.Who != server.User:
		return fmt.Errorf("%s: %v cannot call a function", f.Name, f.Who)
	}
	seen, optional := map[string]bool{}, false
	for _, a := range f.Args {
		name, may := strings.CutSuffix(a, "=")
		if may = may || a == "*"; name == "" || seen[name] || optional && !may {
			return fmt.Errorf("%s: its argument %q stands in the wrong place, or twice", f.Name, a)
		}
		seen[name], optional = true, may
	}
	for _, name := range f.Lists {
		if !f.named(name) {
			return fmt.Errorf("%s: it has no argument %q that could be a list", f.Name, name)
		}
	}
	return nil
}

// required counts the arguments that must be given.
func (f Function[E]) required() (n int) {
	for _, a := range f.Args {
		if a != "*" && !strings.HasSuffix(a, "=") {
			n++
		}
	}
	return n
}

// named tells whether one of the arguments has that name.
func (f Function[E]) named(name string) bool {
	for _, a := range f.Args {
		if strings.TrimSuffix(a, "=") == name && a != "*" {
			return true
		}
	}
	return false
}

// Invalid is a call whose arguments cannot be used, as Salt words it.
func Invalid(format string, args ...any) error {
	return fmt.Errorf("Passed invalid arguments: "+format, args...)
}
