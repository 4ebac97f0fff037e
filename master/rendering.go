package master

import (
	"context"
	"fmt"

	"github.com/momtree/mom/internal/render"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/orchestrate"
	"github.com/momtree/mom/value"
)

// renderVars are known to what this master renders for itself, the files of reactions and
// orchestrations: its options, without secrets.
func (m *Master) renderVars() *value.Map {
	opts, _ := wire.Normal(m.cfg.Shown()).(*value.Map)
	return value.NewMap("opts", opts)
}

// masterFunctions are what those files may call: a master has no execution modules, but
// those by which Salt's own reach runners, wheel functions and minions.
type masterFunctions struct {
	m    *Master
	user string // whom calls name
}

// Call calls one.
func (f masterFunctions) Call(ctx context.Context, name string, args []any, kwargs *value.Map) (any, error) {
	kind := map[string]string{"saltutil.runner": "runner", "saltutil.wheel": "wheel"}[name]
	if kind == "" {
		return nil, fmt.Errorf("%w: a master has saltutil.runner and saltutil.wheel", render.ErrNoFunction)
	}
	if len(args) == 0 {
		return nil, fmt.Errorf("%s names no function", name)
	}
	fun, ok := args[0].(string)
	if !ok {
		return nil, fmt.Errorf("%s: %v is no name of a function", name, args[0])
	}
	more := args[1:]
	kwargs = kwargs.Clone()
	if l, ok := kwargs.Map("kwarg"), kwargs.Has("kwarg"); ok {
		kwargs.Delete("kwarg")
		l.Range(func(k, v any) bool { kwargs.Set(k, v); return true })
	}
	if kwargs.Has("arg") && kind == "runner" {
		more = append(more, kwargs.List("arg")...)
		kwargs.Delete("arg")
	}
	end := runnerEnv(f).orchestrated(ctx, kind, fun, more, kwargs)
	if !end.OK {
		return nil, fmt.Errorf("%s %s: %v", kind, fun, end.Return)
	}
	return end.Return, nil
}

var _ orchestrate.Env = runnerEnv{}
