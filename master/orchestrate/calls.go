package orchestrate

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/master/runners"
	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

// given removes and returns arg and kwarg from the arguments that a state passes to a function.
func given(of *value.Map) (args []any, kwargs *value.Map, err error) {
	kwargs = value.NewMap()
	if v, ok := of.Get("kwarg"); ok && v != nil {
		m, ok := v.(*value.Map)
		if !ok {
			return nil, nil, fmt.Errorf("kwarg=%s is not a mapping of arguments", pyfmt.Str(v))
		}
		kwargs = m.Clone()
	}
	if v, ok := of.Get("arg"); ok && v != nil {
		if args, ok = v.([]any); !ok {
			return nil, nil, fmt.Errorf("arg=%s is not a list of arguments", pyfmt.Str(v))
		}
	}
	of.Range(func(k, v any) bool {
		if name, ok := k.(string); !ok || name != "arg" && name != "kwarg" && !strings.HasPrefix(name, "__") {
			kwargs.Set(k, v)
		}
		return true
	})
	return args, kwargs, nil
}

// runner implements salt.runner.
func (f *funcs) runner(ctx context.Context, c *states.Call) (*states.Result, error) {
	if f.test(c) {
		return &states.Result{Name: c.Name(), Comment: fmt.Sprintf("Runner function '%s' would be executed.", c.Name())}, nil
	}
	args, kwargs, err := given(c.Kwargs)
	if err != nil {
		return failed(c, err.Error()), nil
	}
	return f.called(ctx, c, "runner", "Runner", args, kwargs), nil
}

// wheel implements salt.wheel.
func (f *funcs) wheel(ctx context.Context, c *states.Call) (*states.Result, error) {
	if f.test(c) {
		return &states.Result{Name: c.Name(), Comment: fmt.Sprintf("Wheel function '%s' would be executed.", c.Name())}, nil
	}
	args, kwargs, err := given(c.Kwargs)
	if err != nil {
		return failed(c, err.Error()), nil
	}
	return f.called(ctx, c, "wheel", "Wheel", args, kwargs), nil
}

func (f *funcs) called(ctx context.Context, c *states.Call, kind, word string, args []any, kwargs *value.Map) *states.Result {
	if kind == "runner" {
		inEnv(c, c.Name(), kwargs)
	}
	shown := args
	if shown == nil {
		shown = []any{}
	}
	f.fireArgs(value.NewMap("type", kind, "name", c.Name(), "args", shown, "kwargs", kwargs))
	end := f.parts.Call(ctx, kind, c.Name(), args, kwargs)
	how := "executed"
	if !good(end) {
		how = "failed"
	}
	return &states.Result{
		Name: c.Name(), Result: good(end), Changes: value.NewMap("return", end.Return),
		Comment: fmt.Sprintf("%s function '%s' %s.", word, c.Name(), how), Extra: extra(end.JID),
	}
}

// inEnv makes a runner with an environment argument use that of the calling state.
func inEnv(c *states.Call, fun string, kwargs *value.Map) {
	if x, ok := runners.Lookup(fun); ok && slices.Contains(x.Args, "saltenv=") && !kwargs.Has("saltenv") {
		kwargs.Set("saltenv", c.Saltenv)
	}
}

// good reports whether a call succeeded, including the results of states in its return.
func good(end Ended) bool {
	m, ok := end.Return.(*value.Map)
	switch {
	case !end.OK || ok && m.Has("Error"):
		return false
	case ok && m.Has("outputter") && m.Has("data"):
		data, _ := m.Get("data")
		return succeeded(data, false)
	}
	return true
}

// parallel implements salt.parallel_runners.
func (f *funcs) parallel(ctx context.Context, c *states.Call) (*states.Result, error) {
	calls, ok := c.Value("runners").(*value.Map)
	if name, text := c.Value("runners").(string); text {
		calls, ok = value.NewMap(name, nil), true
	}
	if !ok {
		return failed(c, "The runners parameter must be a string or dict."), nil
	}
	if f.test(c) {
		return &states.Result{Name: c.Name(), Comment: fmt.Sprintf("Runner functions %s would be executed.", joined(calls))}, nil
	}
	ids := calls.Keys()
	ends := make([]Ended, len(ids))
	var wg sync.WaitGroup
	for i, id := range ids {
		v, _ := calls.GetKey(id)
		fun, kwargs, err := oneOf(pyfmt.Str(id), v)
		if err != nil {
			return failed(c, err.Error()), nil
		}
		inEnv(c, fun, kwargs)
		wg.Go(func() { ends[i] = f.parts.Call(ctx, "runner", fun, nil, kwargs) })
	}
	wg.Wait()
	var bad []string
	all := value.NewMap()
	for i, id := range ids {
		all.Set(id, ends[i].Return)
		if !good(ends[i]) {
			bad = append(bad, pyfmt.Str(id))
		}
	}
	r := &states.Result{Name: c.Name(), Result: len(bad) == 0, Changes: value.NewMap("ret", all), Comment: "All runner functions executed successfully."}
	switch len(bad) {
	case 0:
	case 1:
		r.Comment = fmt.Sprintf("Runner %s failed.", bad[0])
	default:
		r.Comment = fmt.Sprintf("Runners %s failed.", strings.Join(bad, ", "))
	}
	if highstates(ends) {
		r.Changes = value.NewMap()
		for i, id := range ids {
			data, _ := ends[i].Return.(*value.Map).Get("data")
			if found := changesIn(data); found.Len() > 0 {
				r.Changes.Set(id, found)
			}
		}
	}
	return r, nil
}

// oneOf parses one entry of runners.
func oneOf(id string, v any) (fun string, kwargs *value.Map, err error) {
	m := value.NewMap()
	switch v := v.(type) {
	case nil:
	case *value.Map:
		m = v
	case []any:
		for _, e := range v {
			one, ok := e.(*value.Map)
			if !ok {
				return "", nil, fmt.Errorf("runner %s: %s is not a mapping", id, pyfmt.Str(e))
			}
			one.Range(func(k, v any) bool { m.Set(k, v); return true })
		}
	default:
		return "", nil, fmt.Errorf("runner %s: %s is not a mapping", id, pyfmt.Str(v))
	}
	if fun = m.String("name"); fun == "" {
		fun = id
	}
	if kwargs = m.Map("kwarg"); kwargs == nil {
		kwargs = value.NewMap()
	}
	return fun, kwargs.Clone(), nil
}

// highstates reports whether all calls returned results of states.
func highstates(ends []Ended) bool {
	return !slices.ContainsFunc(ends, func(e Ended) bool {
		m, ok := e.Return.(*value.Map)
		return !ok || m.String("outputter") != "highstate" || !m.Has("data")
	})
}

// changesIn returns the changes in results of states.
func changesIn(v any) *value.Map {
	m, ok := v.(*value.Map)
	if !ok {
		return nil
	}
	if m.Has("changes") {
		c := m.Map("changes")
		if ret := c.Map("ret"); ret != nil && c.String("out") == "highstate" {
			return ret
		}
		return c
	}
	out := value.NewMap()
	m.Range(func(k, v any) bool {
		if c := changesIn(v); c.Len() > 0 {
			out.Set(k, c)
		}
		return true
	})
	return out
}

// waitForEvent implements salt.wait_for_event.
func (f *funcs) waitForEvent(ctx context.Context, c *states.Call) (*states.Result, error) {
	r := &states.Result{Name: c.Name(), Result: false}
	if f.test(c) {
		r.Result, r.Comment = nil, fmt.Sprintf("Orchestration would wait for event '%s'", c.Name())
		return r, nil
	}
	waited, ok := list(c.Value("id_list"))
	n, isNumber := pyfmt.Number(c.Value("timeout"))
	switch {
	case !ok:
		return failed(c, fmt.Sprintf("id_list=%s is not a list", pyfmt.Str(c.Value("id_list")))), nil
	case !isNumber || n < 0 || n > longest.Seconds():
		return failed(c, fmt.Sprintf("timeout=%s is not a number of seconds", pyfmt.Str(c.Value("timeout")))), nil
	case c.Str("node") != "master":
		return failed(c, fmt.Sprintf("node=%s: only the bus of the master is available", c.Str("node"))), nil
	}
	began := f.parts.Now()
	within, cancel := context.WithTimeout(ctx, time.Duration(n*float64(time.Second)))
	defer cancel()
	var seen []any
	err := f.env.Listen(within, func(tag string, data *value.Map) bool {
		if !target.Glob(c.Name(), tag) {
			return true
		}
		v, ok := data.Get(c.Str("event_id"))
		if !ok || v == nil {
			v, _ = data.Map("data").Get(c.Str("event_id"))
		}
		found := names(v)
		waited = slices.DeleteFunc(waited, func(id string) bool {
			if !slices.Contains(found, id) {
				return false
			}
			seen = append(seen, id)
			return true
		})
		return len(waited) > 0
	})
	if len(seen) > 0 {
		r.Changes = value.NewMap("minions_seen", seen)
	}
	switch {
	case len(waited) == 0:
		r.Result, r.Comment = true, fmt.Sprintf("All events seen in %s seconds.", pyfmt.Float(f.parts.Now().Sub(began).Seconds()))
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case within.Err() != nil:
		r.Comment = "Timeout value reached."
	default:
		return nil, err
	}
	return r, nil
}
