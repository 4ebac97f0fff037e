package modules

import (
	"context"
	"slices"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

func init() {
	Register("mine",
		Function{Name: "update", Args: []Arg{{Name: "clear", Default: false}, {Name: "mine_functions"}}, Run: mineUpdate, Doc: `
Run the functions of the option mine_functions (of the minion and of its pillar)
and send their results to the mine of the master. clear replaces everything that
was sent before. The argument mine_functions replaces the option: a map, or a
list of names. A function that fails is logged and left out.

CLI Example:

    salt '*' mine.update
    salt '*' mine.update mine_functions='{network.interfaces: []}'
`},
		Function{Name: "send", Args: []Arg{{Name: "name", Required: true}}, VarArgs: true, VarKw: true, Run: mineSend, Doc: `
Run the function name, or mine_function under that name, with the further
arguments, and send its result to the mine. allow_tgt and allow_tgt_type select
the minions that may see it, by default all.

CLI Example:

    salt '*' mine.send network.interfaces
    salt '*' mine.send eth0 mine_function=network.ip_addrs eth0 allow_tgt='G@role:web' allow_tgt_type=compound
`},
		Function{Name: "get", Args: []Arg{{Name: "tgt", Required: true}, {Name: "fun", Required: true}, {Name: "tgt_type", Default: "glob"}, {Name: "exclude_minion", Default: false}}, Run: mineGet, Doc: `
Return the mine data of minions under a name (fun), by minion; for several
names, a list or with commas, by name and minion. tgt and tgt_type select the
minions, exclude_minion excludes this minion. Pillar targets must match exactly.

CLI Example:

    salt '*' mine.get '*' network.interfaces
    salt '*' mine.get 'G@os:Debian' network.interfaces,disk.usage compound
`},
		Function{Name: "delete", Args: []Arg{{Name: "fun", Required: true}}, Run: mineDelete, Doc: `
Remove the data under a name (fun) from this minion's mine.

CLI Example:

    salt '*' mine.delete network.interfaces
`},
		Function{Name: "flush", Run: mineFlush, Doc: `
Remove all data from this minion's mine.

CLI Example:

    salt '*' mine.flush
`},
		Function{Name: "valid", Run: mineValid, Doc: `
Return the mine functions that are valid on this minion.

CLI Example:

    salt '*' mine.valid
`},
	)
}

// mineEntry is one parsed entry of mine_functions.
type mineEntry struct {
	name   string
	fun    string // "" if it equals the name
	args   []any
	kwargs *value.Map
	allow  any
	kind   any
}

func (e mineEntry) function() string {
	if e.fun != "" {
		return e.fun
	}
	return e.name
}

// readMineEntry parses one entry. The value has the function's arguments: a list, or a map
// of keyword arguments that may include mine_function, allow_tgt and allow_tgt_type.
func readMineEntry(name string, v any) mineEntry {
	e := mineEntry{name: name, kwargs: value.NewMap()}
	named := func(m *value.Map) {
		m.Range(func(k, x any) bool {
			switch k {
			case "mine_function":
				e.fun = PyStr(x)
			case "allow_tgt":
				e.allow = x
			case "allow_tgt_type":
				e.kind = x
			default:
				e.kwargs.Set(k, x)
			}
			return true
		})
	}
	switch v := wire.Normal(v).(type) {
	case *value.Map:
		named(v)
	case []any:
		for _, x := range v {
			if m, ok := x.(*value.Map); ok {
				named(m)
			} else {
				e.args = append(e.args, x)
			}
		}
	}
	return e
}

// packed returns a value in the form sent to the master: with its access list, if it has
// one.
func (e mineEntry) packed(v any) any {
	if !pyfmt.Truth(e.allow) {
		return v
	}
	return value.NewMap("__data__", v, "__saltmine_acl__", 1, "allow_tgt", e.allow, "allow_tgt_type", e.kind)
}

// configuredMine merges mine_functions of the options, the pillar and the master's options
// in the pillar (pillar_opts).
func configuredMine(c *Call) any {
	have := wire.Normal(c.Env.Option("mine_functions"))
	for _, m := range []*value.Map{masterOptions(c.Env), c.Env.Pillar()} {
		if v, ok := m.Get("mine_functions"); ok {
			have = joined(have, wire.Normal(v))
		}
	}
	return have
}

// mineFunctions returns the entries that are configured, or that a call names.
func mineFunctions(c *Call, given any) ([]mineEntry, error) {
	if !pyfmt.Truth(given) {
		given = configuredMine(c)
	}
	var out []mineEntry
	switch v := wire.Normal(given).(type) {
	case *value.Map:
		v.Range(func(k, x any) bool {
			out = append(out, readMineEntry(PyStr(k), x))
			return true
		})
	case []any:
		for _, x := range v {
			out = append(out, mineEntry{name: PyStr(x)})
		}
	case nil:
	case string:
		if v != "" {
			return nil, argErrorf("mine_functions is a map or a list, not %s", PyRepr(v))
		}
	default:
		return nil, argErrorf("mine_functions is a map or a list, not %s", PyRepr(v))
	}
	return slices.DeleteFunc(out, func(e mineEntry) bool {
		_, ok := Lookup(e.function())
		if !ok {
			logger(c.Env).Error("mine function not available", "fun", e.function())
		}
		return !ok
	}), nil
}

func mineUpdate(ctx context.Context, c *Call) (any, error) {
	entries, err := mineFunctions(c, c.Value("mine_functions"))
	if err != nil || len(entries) == 0 {
		return nil, err
	}
	data := value.NewMap()
	for _, e := range entries {
		v, err := c.sub(ctx, e.function(), e.args, e.kwargs)
		if err != nil {
			logger(c.Env).Error("mine function failed", "name", e.name, "fun", e.function(), "err", err)
			continue
		}
		data.Set(e.name, e.packed(v))
	}
	c.Retcode = 0 // the return code of the functions is not that of the mine
	return mineStore(ctx, c, data, c.IsTrue("clear"))
}

func mineSend(ctx context.Context, c *Call) (any, error) {
	e := readMineEntry(c.Str("name"), c.Kwargs)
	v, err := c.sub(ctx, e.function(), c.Rest(), e.kwargs)
	if err != nil {
		logger(c.Env).Error("mine function failed", "name", e.name, "fun", e.function(), "err", err)
		c.Retcode = 1
		return false, nil
	}
	c.Retcode = 0
	return mineStore(ctx, c, value.NewMap(e.name, e.packed(v)), false)
}

// mineStore sends entries. It returns an error with the master's reason if the master
// rejects them.
func mineStore(ctx context.Context, c *Call, data *value.Map, clear bool) (any, error) {
	v, err := c.Env.Ask(ctx, value.NewMap("cmd", "_mine", "data", data, "id", c.Env.Option("id"), "clear", clear))
	if err != nil {
		return nil, err
	}
	if v != true {
		return nil, CommandErrorf("the master rejected the data: %s", PyStr(v))
	}
	return true, nil
}

func mineGet(ctx context.Context, c *Call) (any, error) {
	if masterless(c.Env) {
		return value.NewMap(), nil // nothing keeps what this minion would send
	}
	v, err := c.Env.Ask(ctx, value.NewMap("cmd", "_mine_get", "id", c.Env.Option("id"), "tgt", c.Value("tgt"), "fun", c.Value("fun"), "tgt_type", c.Value("tgt_type")))
	if err != nil {
		return nil, err
	}
	out, ok := v.(*value.Map)
	if !ok {
		return nil, CommandErrorf("the master returned no data: %s", PyStr(v))
	}
	if c.IsTrue("exclude_minion") {
		out = out.Clone()
		out.Delete(PyStr(c.Env.Option("id")))
	}
	return out, nil
}

func mineDelete(ctx context.Context, c *Call) (any, error) {
	if masterless(c.Env) {
		return true, nil // without a master, nothing is stored
	}
	return c.Env.Ask(ctx, value.NewMap("cmd", "_mine_delete", "id", c.Env.Option("id"), "fun", c.Str("fun")))
}

func mineFlush(ctx context.Context, c *Call) (any, error) {
	if masterless(c.Env) {
		return true, nil // without a master, nothing is stored
	}
	return c.Env.Ask(ctx, value.NewMap("cmd", "_mine_flush", "id", c.Env.Option("id")))
}

func mineValid(_ context.Context, c *Call) (any, error) {
	entries, err := mineFunctions(c, nil)
	if err != nil || len(entries) == 0 {
		return nil, err
	}
	out := value.NewMap()
	for _, e := range entries {
		args := append([]any{}, e.args...)
		e.kwargs.Range(func(k, v any) bool {
			args = append(args, value.NewMap(k, v))
			return true
		})
		if e.fun != "" {
			out.Set(e.name, value.NewMap(e.fun, args))
		} else {
			out.Set(e.name, args)
		}
	}
	return out, nil
}
