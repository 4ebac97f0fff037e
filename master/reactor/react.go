package reactor

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

// Job is a job that a reaction starts.
type Job struct {
	JID     string
	Tgt     any
	TgtType string // default: glob
	Fun     string
	Args    []any
	Kwargs  *value.Map
	Ret     string
	Timeout time.Duration // 0: that of the master
}

// Call is a call of a runner, a wheel function, or a function of this machine.
type Call struct {
	JID    string
	Fun    string
	Args   []any
	Kwargs *value.Map
	// Fields means that Kwargs also contains fields other than arguments: the old form of
	// reactions.
	Fields bool
}

// types maps the types of reactions, and an old name, to types.
var types = map[string]string{"local": "local", "cmd": "local", "runner": "runner", "wheel": "wheel", "caller": "caller"}

// react carries out one reaction. It logs errors, since nobody waits for it.
func (r *Reactor) react(ctx context.Context, l low, why chain) {
	kind := types[l.kind()]
	fail := func(err error) {
		r.failed.Add(1)
		r.o.Log.Error(fmt.Sprintf("Reactor '%s' failed to execute %s '%s'", l.id(), l.kind(), l.fun()), "sls", l.String("__sls__"), "err", err) //nolint:sloglint // Salt's text
	}
	if kind == "" {
		fail(fmt.Errorf("unknown type of reaction; use local, runner, wheel or caller"))
		return
	}
	c, err := r.call(kind, l)
	if err != nil {
		fail(err)
		return
	}
	why = append(slices.Clone(why), l.String(fromKey))
	r.o.Causes.begin(c.JID, why)
	if kind == "local" {
		if err := r.local(ctx, l, c); err != nil {
			fail(err)
			return
		}
		r.done.Add(1)
		return
	}
	do := map[string]func(context.Context, Call) error{"runner": r.o.Do.Runner, "wheel": r.o.Do.Wheel, "caller": r.o.Do.Caller}[kind]
	if do == nil {
		fail(fmt.Errorf("this master has no execution modules of its own; use local.%s with the minion beside it for tgt", c.Fun))
		return
	}
	if kind == "runner" && c.Fun == "event.send" {
		r.o.Causes.saying(sent(c), why)
	}
	given := r.pool.give(func(ctx context.Context) {
		if err := do(ctx, c); err != nil {
			fail(err)
			return
		}
		if kind == "runner" {
			r.o.Log.Info("Runner completed: " + c.JID) //nolint:sloglint // Salt's text
		}
	})
	if !given {
		r.logThrottled("queue", fmt.Sprintf("Reactor '%s' failed to execute %s '%s': TaskPool queue is full! Consider tuning reactor_worker_threads and/or reactor_worker_hwm", l.id(), l.kind(), l.fun()))
		return
	}
	r.done.Add(1)
}

// sent returns the tag of an event.send call.
func sent(c Call) string {
	if t := c.Kwargs.String("tag"); t != "" || len(c.Args) == 0 {
		return t
	}
	return pyfmt.Str(c.Args[0])
}

// local starts a job.
func (r *Reactor) local(ctx context.Context, l low, c Call) error {
	j := Job{JID: c.JID, Tgt: l.value("tgt"), TgtType: l.String("tgt_type"), Fun: c.Fun, Args: c.Args, Kwargs: c.Kwargs, Ret: l.String("ret")}
	if j.Tgt == nil || j.Tgt == "" {
		return fmt.Errorf("tgt is missing")
	}
	if v := l.value("timeout"); v != nil {
		n, ok := pyfmt.Number(v)
		if !ok || n < 0 || n > 1e6 {
			return fmt.Errorf("timeout=%s is not a number of seconds", pyfmt.Str(v))
		}
		j.Timeout = time.Duration(n * float64(time.Second))
	}
	minions, err := r.o.Do.Job(ctx, j)
	if err != nil {
		return err
	}
	r.o.Causes.Began(c.JID, minions)
	return nil
}

// internal lists the fields of a reaction that are not arguments of its function.
var internal = []string{"__id__", "__sls__", fromKey, "name", "order", "fun", "key", "state"}

// ofLocal lists the fields of a local reaction that control the publication.
var ofLocal = []string{"tgt", "tgt_type", "ret", "timeout", "arg", "kwarg", "args"}

// call reads the arguments of a reaction: args, a mapping or a list of mappings; or in the old form
// arg and kwarg, or the fields themselves.
func (r *Reactor) call(kind string, l low) (Call, error) {
	c := Call{JID: r.o.JID(), Fun: l.fun(), Kwargs: value.NewMap()}
	args, given := l.Get("args")
	switch {
	case given && args != nil:
		if l.Has("arg") || l.Has("kwarg") {
			r.o.Log.Warn(fmt.Sprintf("Reactor '%s' is ignoring 'arg' and 'kwarg' due to presence of 'args'", l.id()), "sls", l.String("__sls__")) //nolint:sloglint // Salt's text
		}
		if list, ok := args.([]any); ok && kind == "caller" && !dicts(list) {
			c.Args = list
			return c, nil
		}
		kwargs, err := keywords(args)
		c.Kwargs = kwargs
		return c, err
	case l.Has("arg") || l.Has("kwarg") || kind == "local" || kind == "caller":
		return c, r.old(kind, l, &c)
	}
	c.Fields = true
	l.Range(func(k, v any) bool {
		if name, ok := k.(string); !ok || name == "name" || !slices.Contains(internal, name) {
			c.Kwargs.Set(k, v)
		}
		return true
	})
	return c, nil
}

// old reads arg and kwarg.
func (r *Reactor) old(kind string, l low, c *Call) error {
	switch v := l.value("arg").(type) {
	case nil:
	case []any:
		c.Args = v
	default:
		c.Args = []any{v}
	}
	if v := l.value("kwarg"); v != nil {
		m, ok := v.(*value.Map)
		if !ok {
			return fmt.Errorf("kwarg=%s is not a mapping", pyfmt.Str(v))
		}
		c.Kwargs = m.Clone()
	}
	if kind != "local" {
		return nil
	}
	var others []string
	for _, k := range l.Keys() {
		if name := pyfmt.Str(k); !slices.Contains(internal, name) && !slices.Contains(ofLocal, name) {
			others = append(others, name)
		}
	}
	if len(others) > 0 {
		r.o.Log.Warn("unknown fields of a reaction ignored", "id", l.id(), "fields", others, "sls", l.String("__sls__"), "hint", "put arguments of the function under args")
	}
	return nil
}

// dicts reports whether a list contains only mappings.
func dicts(list []any) bool {
	return !slices.ContainsFunc(list, func(v any) bool { _, ok := v.(*value.Map); return !ok })
}

// keywords reads a mapping, or a list of mappings with one key each. A bare string is a key with
// the value None.
func keywords(v any) (*value.Map, error) {
	out := value.NewMap()
	switch v := v.(type) {
	case *value.Map:
		return v.Clone(), nil
	case []any:
		for _, e := range v {
			switch e := e.(type) {
			case string:
				out.Set(e, nil)
			case *value.Map:
				if e.Len() == 1 {
					key := e.Keys()[0]
					val, _ := e.GetKey(key)
					out.Set(key, val)
					continue
				}
				return nil, fmt.Errorf("Incorrect argument format: %s has not one key", pyfmt.Repr(e))
			default:
				return nil, fmt.Errorf("Incorrect argument format: %s is not a keyword", pyfmt.Repr(e))
			}
		}
		if out.Len() > 0 {
			return out, nil
		}
	}
	return nil, fmt.Errorf("Incorrect argument format, check the Reactor System documentation for the correct format: args=%s", pyfmt.Repr(v))
}
