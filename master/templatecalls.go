package master

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/momtree/mom/internal/render"
	"github.com/momtree/mom/internal/states"
	"github.com/momtree/mom/master/orchestrate"
	"github.com/momtree/mom/master/pillar"
	"github.com/momtree/mom/master/runners"
	"github.com/momtree/mom/master/wheels"
	"github.com/momtree/mom/value"
)

// templateCalls are what templates may call that a master renders: it has no execution
// modules, but those by which Salt's own reach runners and wheel functions.
var templateCalls = map[string]func(f masterFunctions, ctx context.Context, fun string, args []any, kwargs *value.Map) (any, error){
	"saltutil.runner": masterFunctions.runner,
	"saltutil.wheel":  masterFunctions.wheel,
}

// TemplateCalls are their names.
func TemplateCalls() []string { return slices.Sorted(maps.Keys(templateCalls)) }

// masterFunctions makes these calls.
type masterFunctions struct {
	m    *Master
	user string // whom calls name
	// quiet has calls be told neither to the bus nor to the job cache: those of pillars,
	// of which one is rendered with each state of each minion.
	quiet bool
	// host lets them act on this machine as templates of pillar do.
	host bool
}

// Has tells whether there is one of a name.
func (f masterFunctions) Has(name string) bool {
	return templateCalls[name] != nil || f.host && slices.Contains(pillar.Functions(), name)
}

// Call calls one.
func (f masterFunctions) Call(ctx context.Context, name string, args []any, kwargs *value.Map) (any, error) {
	call := templateCalls[name]
	if call == nil && f.host {
		return pillar.OnHost(ctx, name, args, kwargs)
	}
	if call == nil {
		return nil, fmt.Errorf("%w: a master has saltutil.runner and saltutil.wheel", render.ErrNoFunction)
	}
	kwargs = kwargs.Clone()
	fun, ok := kwargs.Get("name")
	if len(args) > 0 {
		fun, args, ok = args[0], args[1:], true
	} else {
		kwargs.Delete("name")
	}
	text, isText := fun.(string)
	switch {
	case !ok:
		return nil, fmt.Errorf("%s names no function", name)
	case !isText:
		return nil, fmt.Errorf("%s: %v is no name of a function", name, fun)
	}
	return call(f, ctx, text, args, kwargs)
}

// runner gives what a runner gives, or with full_return how the call ended. Its arguments
// are those of Salt's function: arg, kwarg, full_return, saltenv, and further keywords.
func (f masterFunctions) runner(ctx context.Context, fun string, args []any, kwargs *value.Map) (any, error) {
	given := map[string]any{}
	for i, name := range []string{"arg", "kwarg", "full_return", "saltenv", "jid"} {
		if v, ok := kwargs.Get(name); ok {
			given[name] = v
			kwargs.Delete(name)
		}
		if i < len(args) {
			given[name] = args[i]
		}
	}
	var own []any
	switch v := given["arg"].(type) {
	case nil:
	case []any:
		own = v
	default:
		own = []any{v}
	}
	if m, ok := given["kwarg"].(*value.Map); ok {
		kwargs = laid(m, kwargs)
	}
	if x, ok := runners.Lookup(fun); ok && given["saltenv"] != nil && slices.Contains(x.Args, "saltenv=") {
		kwargs.Set("saltenv", given["saltenv"])
	}
	jid, v, err := f.runnerEnds(ctx, fun, own, kwargs)
	switch {
	case err != nil:
		return nil, fmt.Errorf("saltutil.runner %s: %w", fun, err)
	case states.Truth(given["full_return"]):
		return f.whole("runner."+fun, jid, own, kwargs, v), nil
	}
	return v, nil
}

func (f masterFunctions) runnerEnds(ctx context.Context, fun string, args []any, kwargs *value.Map) (jid string, v any, err error) {
	if f.quiet {
		v, err = runners.Run(ctx, &runners.Call{Fun: fun, Args: args, Kwargs: kwargs, Env: runnerEnv{f.m, f.user}})
		return f.m.jids.Next(), v, err
	}
	end := runnerEnv{f.m, f.user}.orchestrated(ctx, "runner", fun, args, kwargs)
	if !end.OK {
		err = fmt.Errorf("%v", end.Return)
	}
	return end.JID, end.Return, err
}

// wheel gives how a call of a wheel function ended: what it gave is in return.
func (f masterFunctions) wheel(ctx context.Context, fun string, args []any, kwargs *value.Map) (any, error) {
	end := orchestrate.Ended{JID: f.m.jids.Next()}
	if f.quiet {
		var err error
		if end.Return, err = wheels.Run(ctx, &wheels.Call{Fun: fun, Args: args, Kwargs: kwargs, Env: f.m.wheels().Env}); err != nil {
			return nil, fmt.Errorf("saltutil.wheel %s: %w", fun, err)
		}
	} else if end = (runnerEnv{f.m, f.user}).orchestrated(ctx, "wheel", fun, args, kwargs); !end.OK {
		return nil, fmt.Errorf("saltutil.wheel %s: %v", fun, end.Return)
	}
	return f.whole("wheel."+fun, end.JID, args, kwargs, end.Return), nil
}

// whole is how a call ended, as Salt gives it.
func (f masterFunctions) whole(fun, jid string, args []any, kwargs *value.Map, v any) *value.Map {
	told := slices.Clone(args)
	if kwargs.Len() > 0 {
		told = append(told, kwargs)
	}
	if told == nil {
		told = []any{}
	}
	return value.NewMap("fun", fun, "jid", jid, "user", f.user, "fun_args", told, "return", v, "success", true)
}

// laid is a map with another one laid over it.
func laid(under, over *value.Map) *value.Map {
	out := under.Clone()
	over.Range(func(k, v any) bool { out.Set(k, v); return true })
	return out
}
