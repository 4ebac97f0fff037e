package orchestrate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/momtree/mom/master/functions"
	"github.com/momtree/mom/master/runners"
	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

// asked holds the arguments of a runner of this package.
type asked struct {
	env                Env
	parts              Parts
	call               *runners.Call
	saltenv, pillarenv string
	test               bool
	pillar             *value.Map
	exclude            []any
}

// read reads the arguments that these runners share.
func read(c *runners.Call) (a asked, err error) {
	env, ok := c.Env.(Env)
	if !ok {
		return a, errors.New(c.Fun() + ": states are run by a master that is at work")
	}
	a = asked{env: env, parts: env.Orchestration(), call: c, saltenv: c.Text("saltenv"), pillarenv: c.Text("pillarenv")}
	if a.saltenv == "" {
		a.saltenv = "base"
	}
	if a.test, err = c.Flag("test", false); err != nil {
		return a, err
	}
	if v, given := c.Given("pillar"); given {
		if a.pillar, ok = v.(*value.Map); !ok {
			return a, functions.Invalid("Pillar data must be formatted as a dictionary")
		}
	}
	if v, given := c.Given("pillar_enc"); given {
		return a, functions.Invalid("pillar_enc=%v: pillar data of a command line is not decrypted; put encrypted data into the pillar of the master", v)
	}
	if v, given := c.Given("exclude"); given {
		a.exclude = words(v)
	}
	return a, nil
}

// words parses a list or comma-separated text.
func words(v any) (out []any) {
	switch v := v.(type) {
	case []any:
		return v
	case string:
		for w := range strings.SplitSeq(v, ",") {
			if w = strings.TrimSpace(w); w != "" {
				out = append(out, w)
			}
		}
		return out
	}
	return []any{v}
}

// names parses SLS names.
func names(v any) (out []string) {
	for _, w := range words(v) {
		out = append(out, pyfmt.Str(w))
	}
	return out
}

// run prepares a run of states. Errors of the pillar are its result.
func (a asked) run(ctx context.Context) (*states.Run, []string, error) {
	pillar, err := a.parts.Pillar(ctx, a.saltenv, a.pillarenv, a.pillar)
	if err != nil {
		return nil, nil, fmt.Errorf("the pillar of the master: %w", err)
	}
	if faults := pillar.List("_errors"); len(faults) > 0 {
		out := []string{"Pillar failed to render with the following messages:"}
		for _, f := range faults {
			out = append(out, pyfmt.Str(f))
		}
		return nil, out, nil
	}
	jid := a.parts.JID(ctx) // as in Salt, not the id of the call: the caller does not see the events of the run
	vars := value.NewMap("pillar", pillar, "grains", value.NewMap("id", a.parts.ID))
	fs := &funcs{asked: a, jid: jid}
	return states.New(states.Options{
		Functions: fs, Modules: a.parts.Modules, Source: a.parts.Source, Renderer: a.parts.Renderer(vars), ID: a.parts.ID, JID: jid, OrchestrationJID: jid,
		Saltenv: a.saltenv, Failhard: a.parts.Failhard, Test: a.test,
		Events: a.parts.StateEvents, Fire: a.fire,
		Paused: func(ctx context.Context, id string) (bool, error) { return a.parts.Pauses.wait(ctx, a.call.JID, id) },
		Now:    a.parts.Now, Log: a.parts.Log,
	}), nil, nil
}

// fire fires the event of a state.
func (a asked) fire(_ context.Context, tag string, data any) error {
	m, ok := data.(*value.Map)
	if !ok {
		return fmt.Errorf("the event %s has %T", tag, data)
	}
	a.parts.Fire(tag, m)
	return nil
}

// orchestrate runs SLS files.
func orchestrate(ctx context.Context, c *runners.Call) (any, error) {
	a, err := read(c)
	if err != nil {
		return nil, err
	}
	slss, err := c.Patterns("mods")
	if err != nil || len(slss) == 0 {
		return nil, functions.Invalid("mods names no SLS")
	}
	v, err := a.outcome(ctx, func(r *states.Run) (states.Outcome, error) { return r.SLS(ctx, slss, a.exclude) })
	if err != nil {
		return nil, err
	}
	data := value.NewMap(a.parts.ID, v)
	ret := value.NewMap("data", data, "outputter", "highstate", "retcode", 0)
	if !succeeded(data, false) {
		ret.Set("retcode", 1)
	}
	return ret, nil
}

// outcome returns the outcome of a run in Salt's form.
func (a asked) outcome(ctx context.Context, do func(*states.Run) (states.Outcome, error)) (any, error) {
	defer a.parts.Pauses.ended(a.call.JID)
	r, faults, err := a.run(ctx)
	if err != nil {
		return nil, err
	}
	if faults != nil {
		return states.Outcome{Errors: faults}.Value(), nil
	}
	o, err := do(r)
	if err != nil {
		return nil, err
	}
	return o.Value(), nil
}

// single runs one state.
func single(ctx context.Context, c *runners.Call) (any, error) {
	a, err := read(c)
	if err != nil {
		return nil, err
	}
	fun, name := c.Text("fun"), c.Text("name")
	module, short, ok := strings.Cut(fun, ".")
	if !ok {
		return nil, functions.Invalid("fun=%s is not a state such as salt.wheel", fun)
	}
	chunk := value.NewMap("state", module, "fun", short, "name", name, "__id__", name, "__env__", a.saltenv, "__sls__", "")
	c.Extra().Range(func(k, v any) bool {
		//mutant:orchestrate-one-state
		if name, _ := k.(string); name != "saltenv" && name != "pillarenv" && !chunk.Has(name) { // values that were judged by access rules stay
			chunk.Set(name, v)
		}
		return true
	})
	v, err := a.outcome(ctx, func(r *states.Run) (states.Outcome, error) { return r.Single(ctx, chunk) })
	return a.finish(v), err
}

// high runs high data.
func high(ctx context.Context, c *runners.Call) (any, error) {
	a, err := read(c)
	if err != nil {
		return nil, err
	}
	v, _ := c.Given("data")
	data, ok := v.(*value.Map)
	if !ok {
		return nil, functions.Invalid("data=%s is not a mapping of states", pyfmt.Str(v))
	}
	v, err = a.outcome(ctx, func(r *states.Run) (states.Outcome, error) { return r.High(ctx, a.pad(data)) })
	return a.finish(v), err
}

// finish returns the result under the master's id, and prints it for the caller.
func (a asked) finish(v any) any {
	ret := value.NewMap(a.parts.ID, v)
	if a.call.Report != nil && v != nil {
		a.call.Report(functions.KindProgress, value.NewMap("data", ret, "outputter", "highstate"))
	}
	return ret
}

// show returns the high data of SLS files.
func show(ctx context.Context, c *runners.Call) (any, error) {
	a, err := read(c)
	if err != nil {
		return nil, err
	}
	slss, err := c.Patterns("mods")
	if err != nil {
		return nil, err
	}
	r, faults, err := a.run(ctx)
	if err != nil {
		return nil, err
	}
	var data *value.Map
	if faults == nil {
		if data, faults, err = r.CollectSLS(ctx, slss); err != nil {
			return nil, err
		}
	}
	if len(faults) > 0 {
		return value.NewMap(a.parts.ID, states.Outcome{Errors: faults}.Value()), nil
	}
	return value.NewMap(a.parts.ID, data), nil
}

// succeeded judges results of states as Salt does: there are some, and none is False. With recurse
// it looks into values without a result of their own.
func succeeded(v any, recurse bool) bool {
	m, ok := v.(*value.Map)
	if !ok || m.Len() == 0 {
		return false
	}
	good := true
	m.Range(func(key, val any) bool {
		one, isMap := val.(*value.Map)
		if !isMap {
			_, isList := val.([]any)
			good = recurse || key == "__extend__" && isList
			return good
		}
		result, has := one.Get("result")
		good = has && result != false || !has && succeeded(one, true)
		return good
	})
	return good
}

// pad splits salt.state: […] into salt: […, state], and adds the origin of the states.
func (a asked) pad(high *value.Map) *value.Map {
	out := value.NewMap()
	high.Range(func(id, body any) bool {
		m, ok := body.(*value.Map)
		if !ok {
			out.Set(id, body)
			return true
		}
		padded := value.NewMap("__sls__", "", "__env__", a.saltenv)
		m.Range(func(key, val any) bool {
			name, _ := key.(string)
			list, isList := val.([]any)
			if module, fun, dotted := strings.Cut(name, "."); dotted && isList && !padded.Has(module) {
				padded.Set(module, append(slices.Clone(list), fun))
				return true
			}
			padded.Set(key, val)
			return true
		})
		out.Set(id, padded)
		return true
	})
	return out
}
