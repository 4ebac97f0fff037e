package runners

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/momtree/mom/internal/wire"
)

// Call is one call of a runner.
type Call struct {
	Fun    string
	Args   []any
	Kwargs *wire.Map
	// Timeout replaces the master's option timeout; 0 does not.
	Timeout time.Duration
	Env     Env

	names []string // of the function's arguments
}

// Function is one runner function. The names of Args that end in "=" are
// optional; one name "*" takes any further positional arguments.
type Function struct {
	Name string // module.function
	Doc  string
	Args []string
	// AnyKwargs lets through keyword arguments that Args does not name.
	AnyKwargs bool
	// Run may give a value and an error at once: what there is to show of a call
	// that failed.
	Run func(ctx context.Context, c *Call) (any, error)
}

var functions = map[string]Function{}

func register(fs ...Function) {
	for _, f := range fs {
		functions[f.Name] = f
	}
}

// Lookup finds a function by its name.
func Lookup(name string) (Function, bool) {
	f, ok := functions[name]
	return f, ok
}

// Names lists all functions, sorted.
func Names() []string {
	out := make([]string, 0, len(functions))
	for n := range functions {
		out = append(out, n)
	}
	sort.Strings(out)
	return out
}

// Arg gives the argument name, by position or by keyword.
func (c *Call) Arg(name string) (any, bool) {
	if v, ok := c.Kwargs.Get(name); ok {
		return v, true
	}
	for i, a := range c.names {
		if strings.TrimSuffix(a, "=") == name && i < len(c.Args) {
			return c.Args[i], true
		}
	}
	return nil, false
}

// Text gives the argument name as text, "" if it is absent. A jid that a client
// sent as a number comes back as its digits.
func (c *Call) Text(name string) string {
	v, ok := c.Arg(name)
	if !ok || v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

// check tells of arguments that are lacking, unknown or too many, as Salt words it.
func (f Function) check(c *Call) error {
	need, most, known := 0, len(f.Args), map[string]bool{}
	for _, a := range f.Args {
		name, optional := strings.CutSuffix(a, "=")
		if a == "*" {
			most = len(c.Args)
			continue
		}
		known[name] = true
		if !optional {
			need++
		}
	}
	if len(c.Args) > most {
		return fmt.Errorf("Passed invalid arguments: %s() takes %d positional arguments but %d were given", f.Name, most, len(c.Args)) //nolint:staticcheck // Salt's text
	}
	for _, k := range c.Kwargs.Keys() {
		if name, _ := k.(string); !known[name] && !f.AnyKwargs {
			return fmt.Errorf("Passed invalid arguments: %s() got an unexpected keyword argument '%v'", f.Name, k) //nolint:staticcheck // Salt's text
		}
	}
	for i, a := range f.Args {
		if a == "*" || strings.HasSuffix(a, "=") || i < len(c.Args) {
			continue
		}
		if _, ok := c.Kwargs.Get(a); !ok {
			return fmt.Errorf("Passed invalid arguments: %s() missing required argument: '%s'", f.Name, a) //nolint:staticcheck // Salt's text
		}
	}
	return nil
}

// Run finds, checks and calls a function. A panic becomes an error.
func Run(ctx context.Context, c *Call) (v any, err error) {
	f, ok := Lookup(c.Fun)
	if !ok {
		return nil, fmt.Errorf("'%s' is not available.", c.Fun) //nolint:staticcheck,revive // Salt's text
	}
	if c.Kwargs == nil {
		c.Kwargs = wire.NewMap()
	}
	if err := f.check(c); err != nil {
		return nil, err
	}
	c.names = f.Args
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("runner %s failed: %v", c.Fun, p)
		}
	}()
	return f.Run(ctx, c)
}
