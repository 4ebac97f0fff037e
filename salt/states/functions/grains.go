package functions

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/momtree/mom/salt/pyfmt"

	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

func init() {
	delimiter := []any{"delimiter", ":"}
	named := func(required []string, more ...any) states.Spec {
		return states.Spec{Args: args(required, append(more, delimiter...)...)}
	}
	nameValue := []string{"name", "value"}
	Register("grains",
		Function{Name: "present", Spec: named(nameValue, "force", false), Run: grainPresent, Doc: `
Sets a grain (name, with colons between keys) to a value. force replaces a list
or map.
`},
		Function{Name: "absent", Spec: named(onlyName, "destructive", false, "force", false), Run: grainAbsent, Doc: `
Sets a grain to None; with destructive it is removed. force removes lists and maps.
`},
		Function{Name: "append", Spec: named(nameValue, "convert", false), Run: grainAppend, Doc: `
Adds a value to a list grain; convert converts a single value to a list.
`},
		Function{Name: "exists", Spec: named(onlyName), Run: grainExists, Doc: "\nFails when there is no such grain.\n"},
		Function{Name: "list_present", Spec: named(nameValue), Run: grainListPresent, Doc: "\nAdds a value, or each of a list, to a grain that is a list, or to be one.\n"},
		Function{Name: "list_absent", Spec: named(nameValue), Run: grainListAbsent, Doc: "\nTakes a value, or each of a list, out of a grain that is a list.\n"},
	)
}

// grain returns the name with colons, and the current value.
func (c *Call) grain(ctx context.Context) (name string, v any, there bool, err error) {
	name = c.Name()
	if d := c.Str("delimiter"); d != "" && d != ":" {
		name = strings.ReplaceAll(name, d, ":")
	}
	v, there = c.lookup(name)
	return name, v, there, ctx.Err()
}

// lookup returns a grain by its path.
func (c *Call) lookup(name string) (any, bool) {
	var at any = c.Env.Grains()
	for _, key := range strings.Split(name, ":") {
		m, ok := at.(*value.Map)
		if !ok {
			return nil, false
		}
		if at, ok = m.Get(key); !ok {
			return nil, false
		}
	}
	return at, true
}

func grainExists(ctx context.Context, c *Call) (*states.Result, error) {
	name, _, there, err := c.grain(ctx)
	if !there {
		return bad(name, "Grain does not exist"), err
	}
	return good(name, "Grain exists"), err
}

// grainSet calls grains.set, whose result is nearly that of the state.
func grainSet(ctx context.Context, c *Call, name string, v any, kw *value.Map) (*states.Result, error) {
	out, err := c.Module(ctx, "grains.set", []any{name, v}, kw)
	if err != nil {
		return nil, err
	}
	m, ok := out.(*value.Map)
	if !ok {
		return nil, errors.New("grains.set gave no map")
	}
	changes := m.Map("changes")
	if changes == nil {
		changes = value.NewMap()
	}
	return &states.Result{Name: name, Result: get(m, "result"), Comment: m.String("comment"), Changes: changes}, nil
}

func grainPresent(ctx context.Context, c *Call) (*states.Result, error) {
	name, now, there, err := c.grain(ctx)
	if err != nil {
		return nil, err
	}
	want := c.Value("value")
	if there && states.Same(now, want) {
		return good(name, "Grain is already set"), nil
	}
	if c.Test {
		if !there {
			return would(name, fmt.Sprintf("Grain %s is set to be added", name), value.NewMap("new", name)), nil
		}
		return would(name, fmt.Sprintf("Grain %s is set to be changed", name), value.NewMap("changed", value.NewMap(name, want))), nil
	}
	res, err := grainSet(ctx, c, name, want, value.NewMap("force", c.Value("force")))
	if err == nil && res.Result == true && res.Changes.Len() > 0 {
		res.Comment = fmt.Sprintf("Set grain %s to %s", name, pystr(want))
	}
	return res, err
}

func grainAbsent(ctx context.Context, c *Call) (*states.Result, error) {
	name, now, there, err := c.grain(ctx)
	if err != nil {
		return nil, err
	}
	if !there {
		return good(name, fmt.Sprintf("Grain %s does not exist", name)), nil
	}
	comment, changes := "", value.NewMap()
	switch destructive := c.Value("destructive") == true; {
	case destructive:
		comment, changes = "Grain %s is set to be deleted", value.NewMap("deleted", name)
	case now != nil:
		comment, changes = "Value for grain %s is set to be deleted (None)", value.NewMap("grain", name, "value", nil)
	}
	if c.Test {
		if comment != "" {
			comment = fmt.Sprintf(comment, name)
		}
		return would(name, comment, changes), nil
	}
	res, err := grainSet(ctx, c, name, nil, value.NewMap("destructive", c.Value("destructive"), "force", c.Value("force")))
	if err != nil || !pyfmt.Truth(res.Result) {
		return res, err
	}
	if c.Value("destructive") == true {
		res.Comment, res.Changes = fmt.Sprintf("Grain %s was deleted", name), changes
	} else if now != nil {
		res.Comment, res.Changes = fmt.Sprintf("Value for grain %s was set to None", name), changes
	}
	return res, nil
}

func grainAppend(ctx context.Context, c *Call) (*states.Result, error) {
	name, now, there, err := c.grain(ctx)
	if err != nil {
		return nil, err
	}
	add := c.Value("value")
	list, isList := now.([]any)
	switch {
	case !pyfmt.Truth(now) && !there:
		return bad(name, "Grain %s does not exist", name), nil
	case isList && states.Has(list, add):
		return good(name, fmt.Sprintf("Value %s is already in the list for grain %s", pystr(add), name)), nil
	case isList && c.Test:
		return would(name, fmt.Sprintf("Value %s in grain %s is set to be added", pystr(add), name), value.NewMap("added", add)), nil
	case isList:
		_, err = c.Module(ctx, "grains.append", []any{name, add}, nil)
	case c.Value("convert") != true:
		return bad(name, "Grain %s is not a valid list", name), nil
	case c.Test:
		return would(name, fmt.Sprintf("Grain %s is set to be converted to list and value %s will be added", name, pystr(add)), value.NewMap("added", add)), nil
	default:
		if now != nil {
			list = []any{now}
		}
		_, err = c.Module(ctx, "grains.setval", []any{name, append(list, add)}, nil)
	}
	if err != nil {
		return nil, err
	}
	res := good(name, fmt.Sprintf("Value %s was added to grain %s", pystr(add), name))
	res.Changes.Set("added", add)
	return res, nil
}

func grainListPresent(ctx context.Context, c *Call) (*states.Result, error) {
	name, now, _, err := c.grain(ctx)
	if err != nil {
		return nil, err
	}
	add := c.Value("value")
	adds, many := add.([]any)
	if !many {
		adds = []any{add}
	}
	list, isList := now.([]any)
	if pyfmt.Truth(now) {
		missing := false
		for _, v := range adds {
			missing = missing || !states.Has(list, v)
		}
		switch {
		case !isList:
			return bad(name, "Grain %s is not a valid list", name), nil
		case !missing:
			return good(name, fmt.Sprintf("Value %s is already in grain %s", pystr(add), name)), nil
		case c.Test:
			return would(name, fmt.Sprintf("Value %s is set to be appended to grain %s", pystr(add), name), value.NewMap("new", now)), nil
		}
	}
	if c.Test {
		if now == nil {
			now = "" // what grains.get returns for a missing grain
		}
		return would(name, fmt.Sprintf("Grain %s is set to be added", name), value.NewMap("new", now)), nil
	}
	v, err := c.Module(ctx, "grains.append", []any{name, add}, nil)
	if err != nil {
		return nil, err
	}
	after, _ := c.lookup(name)
	list, _ = after.([]any)
	for _, v := range adds {
		if !states.Has(list, v) {
			return bad(name, "Failed append value %s to grain %s", pystr(add), name), nil
		}
	}
	res := good(name, fmt.Sprintf("Append value %s to grain %s", pystr(add), name))
	res.Changes.Set("new", v)
	return res, nil
}

func grainListAbsent(ctx context.Context, c *Call) (*states.Result, error) {
	name, now, _, err := c.grain(ctx)
	if err != nil {
		return nil, err
	}
	if !pyfmt.Truth(now) {
		return good(name, fmt.Sprintf("Grain %s does not exist", name)), nil
	}
	list, ok := now.([]any)
	if !ok {
		return bad(name, "Grain %s is not a valid list", name), nil
	}
	drops, many := c.Value("value").([]any)
	if !many {
		drops = []any{c.Value("value")}
	}
	res := good(name, "")
	var lines []string
	deleted := []any{}
	for _, v := range drops {
		switch {
		case !states.Has(list, v):
			lines = append(lines, fmt.Sprintf("Value %s is absent from grain %s", pystr(v), name))
			continue
		case c.Test:
			res.Result = nil
			lines = append(lines, fmt.Sprintf("Value %s in grain %s is set to be deleted", pystr(v), name))
		default:
			if _, err := c.Module(ctx, "grains.remove", []any{name, v}, nil); err != nil {
				return nil, err
			}
			lines = append(lines, fmt.Sprintf("Value %s was deleted from grain %s", pystr(v), name))
		}
		deleted = append(deleted, v)
		res.Changes.Set("deleted", deleted)
	}
	res.Comment = strings.Join(lines, "\n")
	return res, nil
}
