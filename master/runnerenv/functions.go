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

// templateCalls are what templates may call that a master renders: it has no execution
// modules, but those by which Salt's own reach runners and wheel functions.
var templateCalls = map[string]func(f functions, ctx context.Context, fun string, args []any, kwargs *value.Map) (any, error){
	"saltutil.runner": functions.runner,
	"saltutil.wheel":  functions.wheel,
}

// TemplateCalls are their names.
func TemplateCalls() []string { return slices.Sorted(maps.Keys(templateCalls)) }

// functions makes these calls.
type functions struct {
	env Env // whom calls name is its user
	// quiet has calls be told neither to the bus nor to the job cache: those of pillars,
	// of which one is rendered with each state of each minion.
	quiet bool
	// host lets them act on this machine as templates of pillar do.
	host bool
}

// Has tells whether there is one of a name.
func (f functions) Has(name string) bool {
	return templateCalls[name] != nil || f.host && slices.Contains(pillar.Functions(), name)
}

// Call calls one.
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
		return nil, fmt.Errorf("%s: %v is no name of a function", name, fun)
	}
	return call(f, ctx, text, args, kwargs)
}

// runner gives what a runner gives, or with full_return how the call ended. Its arguments
// are those of Salt's function: arg, kwarg, full_return, saltenv, and further keywords.
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

// wheel gives how a call of a wheel function ended: what it gave is in return.
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

// whole is how a call ended, as Salt gives it.
func (f functions) whole(fun, jid string, args []any, kwargs *value.Map, v any) *value.Map {
	told := slices.Clone(args)
	if kwargs.Len() > 0 {
		told = append(told, kwargs)
	}
	if told == nil {
		told = []any{}
	}
	return value.NewMap("fun", fun, "jid", jid, "user", f.env.owner.Name, "fun_args", told, "return", v, "success", true)
}

// laid is a map with another one laid over it.
func laid(under, over *value.Map) *value.Map {
	out := under.Clone()
	over.Range(func(k, v any) bool { out.Set(k, v); return true })
	return out
}
