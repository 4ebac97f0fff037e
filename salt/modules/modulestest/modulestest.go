// Package modulestest runs functions of execution modules in tests, on a minion without a
// daemon.
package modulestest

import (
	"log/slog"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/salt/modules"
	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

// Env is the minion. Tests must not use what it lacks: files, jobs and masters.
type Env struct {
	modules.Env
	Opts, Facts, Data *value.Map
}

// NewEnv returns the minion web-01.
func NewEnv() *Env {
	return &Env{
		Opts:  value.NewMap("id", "web-01", "hash_type", "sha256"),
		Facts: value.NewMap("id", "web-01", "os", "Debian"),
		Data:  value.NewMap(),
	}
}

// Option returns an option.
func (e *Env) Option(name string) any {
	v, _ := e.Opts.Get(name)
	return v
}

// Options returns all options.
func (e *Env) Options() *value.Map { return e.Opts }

// Grains returns the grains.
func (e *Env) Grains() *value.Map { return e.Facts }

// Pillar returns the pillar.
func (e *Env) Pillar() *value.Map { return e.Data }

// Log returns a logger that discards everything.
func (e *Env) Log() *slog.Logger { return slog.New(slog.DiscardHandler) }

// Keywords returns the keyword part of an argument list.
func Keywords(kv ...any) *value.Map {
	m := value.NewMap(kv...)
	m.Set("__kwarg__", true)
	return m
}

// Run executes a function as a user's job.
func Run(t *testing.T, env modules.Env, fun string, args ...any) modules.Result {
	t.Helper()
	return modules.Execute(t.Context(), env, modules.Invocation{Fun: fun, Args: args, JID: "20240101000000000001", Direct: true})
}

// Result executes a function that has to succeed and returns its plain value.
func Result(t *testing.T, env modules.Env, fun string, args ...any) any {
	t.Helper()
	r := Run(t, env, fun, args...)
	if r.Err != nil {
		t.Fatalf("%s: %v", fun, r.Value)
	}
	return Plain(r.Value)
}

// M is a map of a result in a table of calls.
type M = map[string]any

// Call is a row of a table of calls: the function, its arguments ([]any or nil), the
// result.
type Call [3]any

// Calls executes each function and compares its result, or its error text.
func Calls(t *testing.T, env modules.Env, calls []Call) {
	t.Helper()
	for _, c := range calls {
		fun, _ := c[0].(string)
		args, _ := c[1].([]any)
		if d := cmp.Diff(c[2], Plain(Run(t, env, fun, args...).Value)); d != "" {
			t.Errorf("%s %s (-want +got):\n%s", fun, pyfmt.Repr(args), d)
		}
	}
}

// Plain converts the maps of a result to Go maps.
func Plain(v any) any {
	switch v := v.(type) {
	case *value.Map:
		out := M{}
		v.Range(func(k, e any) bool {
			out[pyfmt.Str(k)] = Plain(e)
			return true
		})
		return out
	case []any:
		l := make([]any, len(v))
		for i := range v {
			l[i] = Plain(v[i])
		}
		return l
	case int:
		return int64(v)
	}
	return v
}
