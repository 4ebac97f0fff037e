package runnerenv

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/momtree/mom/salt/pyfmt"

	"github.com/momtree/mom/master/orchestrate"
	"github.com/momtree/mom/master/pillar"
	"github.com/momtree/mom/master/runners"
	"github.com/momtree/mom/master/wheels"
	"github.com/momtree/mom/salt/render"
	"github.com/momtree/mom/value"
)

// templateCalls lists the functions for templates that a master renders. A master has no execution
// modules except those that call runners and wheel functions, as in Salt.
var templateCalls = map[string]func(f functions, ctx context.Context, fun string, args []any, kwargs *value.Map) (any, error){
	"saltutil.runner": functions.runner,
	"saltutil.wheel":  functions.wheel,
}

// TemplateCalls returns their names.
func TemplateCalls() []string { return slices.Sorted(maps.Keys(templateCalls)) }

// functions calls them.
type functions struct {
	env Env // calls run as its user
	// quiet suppresses events and the job cache, for pillars: one is rendered with each state run
	// of each minion.
	quiet bool
	// host allows calls that act on this machine, as in pillar templates.
	host bool
}

// Has reports whether a function with this name exists.
func (f functions) Has(name string) bool {
	return templateCalls[name] != nil || f.host && slices.Contains(pillar.Functions(), name)
}

// Call calls a function.
func (f functions) Call(ctx context.Context, name string, args []any, kwargs *value.Map) (any, error) {
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
		return nil, fmt.Errorf("%s: %v is not a function name", name, fun)
	}
	return call(f, ctx, text, args, kwargs)
}

// runner returns the result of a runner, or its outcome with full_return. Its arguments are those
// of Salt's function: arg, kwarg, full_return, saltenv, and further keywords.
func (f functions) runner(ctx context.Context, fun string, args []any, kwargs *value.Map) (any, error) {
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
	case pyfmt.Truth(given["full_return"]):
		return f.whole("runner."+fun, jid, own, kwargs, v), nil
	}
	return v, nil
}

func (f functions) runnerEnds(ctx context.Context, fun string, args []any, kwargs *value.Map) (jid string, v any, err error) {
	if f.quiet {
		v, err = runners.Run(ctx, &runners.Call{Bound: runners.Bind(runners.Request{Fun: fun, Args: args, Kwargs: kwargs}), Env: f.env})
		return f.env.p.JIDs.Next(), v, err
	}
	end := f.env.orchestrated(ctx, "runner", fun, args, kwargs)
	if !end.OK {
		err = fmt.Errorf("%v", end.Return)
	}
	return end.JID, end.Return, err
}

// wheel returns the outcome of a wheel call, with its result in return.
func (f functions) wheel(ctx context.Context, fun string, args []any, kwargs *value.Map) (any, error) {
	end := orchestrate.Ended{JID: f.env.p.JIDs.Next()}
	if f.quiet {
		var err error
		if end.Return, err = wheels.Run(ctx, &wheels.Call{Bound: wheels.Bind(wheels.Request{Fun: fun, Args: args, Kwargs: kwargs}), Env: f.env.p.Wheels.Env}); err != nil {
			return nil, fmt.Errorf("saltutil.wheel %s: %w", fun, err)
		}
	} else if end = f.env.orchestrated(ctx, "wheel", fun, args, kwargs); !end.OK {
		return nil, fmt.Errorf("saltutil.wheel %s: %v", fun, end.Return)
	}
	return f.whole("wheel."+fun, end.JID, args, kwargs, end.Return), nil
}

// whole returns the outcome of a call in Salt's form.
func (f functions) whole(fun, jid string, args []any, kwargs *value.Map, v any) *value.Map {
	funArgs := slices.Clone(args)
	if kwargs.Len() > 0 {
		funArgs = append(funArgs, kwargs)
	}
	if funArgs == nil {
		funArgs = []any{}
	}
	return value.NewMap("fun", fun, "jid", jid, "user", f.env.owner.Name, "fun_args", funArgs, "return", v, "success", true)
}

// laid returns a copy of a map with another merged over it.
func laid(under, over *value.Map) *value.Map {
	out := under.Clone()
	over.Range(func(k, v any) bool { out.Set(k, v); return true })
	return out
}
