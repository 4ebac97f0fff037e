package modules

import (
	"context"
	"os"
	"strings"

	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

func init() {
	Register("event",
		Function{
			Name: "send", VarKw: true, Run: eventSend,
			Args: []Arg{
				{Name: "tag", Required: true},
				{Name: "data"},
				{Name: "preload"},
				{Name: "with_env", Default: false},
				{Name: "with_grains", Default: false},
				{Name: "with_pillar", Default: false},
				{Name: "with_env_opts", Default: false},
			},
			Doc: `
Send an event to the master. Its data are the given keywords, and data if that
is a map. with_env, with_grains and with_pillar add the minion's environment,
grains or pillar: all of it for True, or the names in a list; with_env_opts adds
saltenv and pillarenv. A minion without a master fires on its own bus. preload
is a map of further fields of the event.

CLI Example:

    salt '*' event.send my/tag '{state: done}'
`,
		},
		Function{
			Name: "fire_master", Run: eventFireMaster,
			Args: []Arg{{Name: "data", Required: true}, {Name: "tag", Required: true}, {Name: "preload"}},
			Doc: `
Send an event to the master, with data as given. Returns False if that fails.
preload is a map of further fields of the event.

CLI Example:

    salt '*' event.fire_master '{state: done}' my/tag
`,
		},
		Function{
			Name: "fire", Run: eventFire,
			Args: []Arg{{Name: "data", Required: true}, {Name: "tag", Required: true}},
			Doc: `
Fire an event with this data and tag on the minion's own bus. Returns False if
that fails.

CLI Example:

    salt '*' event.fire '{state: done}' my/tag
`,
		},
	)
}

func eventSend(ctx context.Context, c *Call) (any, error) {
	data := value.NewMap()
	if v := c.Value("with_env"); pyfmt.Truth(v) {
		environ := value.NewMap()
		for _, kv := range os.Environ() {
			k, val, _ := strings.Cut(kv, "=")
			environ.Set(k, val)
		}
		data.Set("environ", subset(environ, v))
	}
	if v := c.Value("with_grains"); pyfmt.Truth(v) {
		data.Set("grains", subset(c.Env.Grains(), v))
	}
	if v := c.Value("with_pillar"); pyfmt.Truth(v) {
		data.Set("pillar", subset(inMemory(c), v))
	}
	if c.IsTrue("with_env_opts") {
		env := c.Env.Option("saltenv")
		if env == nil {
			env = "base"
		}
		data.Set("saltenv", env)
		data.Set("pillarenv", c.Env.Option("pillarenv"))
	}
	lay := func(k, v any) bool {
		data.Set(k, v)
		return true
	}
	c.Kwargs.Range(lay)
	if m, ok := c.Value("data").(*value.Map); ok {
		m.Range(lay)
	} else if v := c.Value("data"); v != nil {
		return nil, argErrorf("data must be a map, not %s", PyRepr(v))
	}
	if masterless(c.Env) || c.Env.Option("master_type") == "disable" && !isTrue(c.Env.Option("use_master_when_local")) {
		return fired(c, c.Env.FireLocal(c.Str("tag"), data)), nil
	}
	return fireWith(ctx, c, data)
}

// fireWith sends an event to all masters. If preload adds fields beside the data, the event
// goes to the master of the job only.
func fireWith(ctx context.Context, c *Call, data any) (any, error) {
	v := c.Value("preload")
	if !pyfmt.Truth(v) {
		return fired(c, c.Env.FireAll(ctx, c.Str("tag"), data)), nil
	}
	preload, ok := v.(*value.Map)
	if !ok {
		return nil, argErrorf("preload must be a map, not %s", PyRepr(v))
	}
	load := value.NewMap("cmd", "_minion_event", "id", c.Env.Option("id"), "tag", c.Str("tag"), "data", data)
	var taken any
	preload.Range(func(k, _ any) bool {
		if name, ok := k.(string); ok && load.Has(name) {
			taken = k
		}
		return taken == nil
	})
	if taken != nil {
		return nil, argErrorf("preload must not have %s, which each event has", PyRepr(taken))
	}
	preload.Range(func(k, v any) bool {
		load.Set(k, v)
		return true
	})
	_, err := c.Env.Ask(ctx, load)
	return fired(c, err), nil
}

// subset returns the named keys of a map, or all if names is not a list.
func subset(m *value.Map, names any) *value.Map {
	list, ok := names.([]any)
	if !ok {
		return m
	}
	out := value.NewMap()
	for _, n := range list {
		if v, ok := mapGet(m, n); ok {
			out.Set(n, v)
		}
	}
	return out
}

// masterless reports whether the minion runs without a master.
func masterless(env Env) bool {
	local := isTrue(env.Option("local")) || env.Option("file_client") == "local"
	return local && !isTrue(env.Option("use_master_when_local"))
}

func eventFireMaster(ctx context.Context, c *Call) (any, error) {
	if masterless(c.Env) {
		logger(c.Env).Warn("event not sent, the minion runs without a master", "tag", c.Str("tag"))
		return false, nil
	}
	return fireWith(ctx, c, c.Value("data"))
}

func eventFire(_ context.Context, c *Call) (any, error) {
	return fired(c, c.Env.FireLocal(c.Str("tag"), c.Value("data"))), nil
}

// fired converts the outcome of sending to the result.
func fired(c *Call, err error) bool {
	if err != nil {
		logger(c.Env).Error("event not sent", "tag", c.Str("tag"), "err", err)
	}
	return err == nil
}
