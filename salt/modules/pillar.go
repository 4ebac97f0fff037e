package modules

import (
	"context"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

func init() {
	key := Arg{Name: "key", Required: true}
	delimiter := Arg{Name: "delimiter", Default: defaultDelimiter}
	Register("pillar",
		Function{Name: "items", VarArgs: true, VarKw: true, Run: pillarItems, Doc: `
Fetch the pillar from the master and return it; with names, return only these
items of the pillar in memory. Keywords: pillar (a map merged over the result),
pillarenv, saltenv.

CLI Example:

    salt '*' pillar.items
`},
		Function{Name: "item", VarArgs: true, VarKw: true, Run: pillarItem, Doc: `
Return the named items of the pillar in memory as a map; a:b selects nested
ones. Keywords: default (value of a missing item), delimiter, pillarenv,
saltenv; the last two fetch the pillar.

CLI Example:

    salt '*' pillar.item users groups
`},
		Function{
			Name: "get", Run: pillarGet,
			Args: []Arg{
				key,
				{Name: "default", Default: unset{}},
				{Name: "merge", Default: false},
				{Name: "merge_nested_lists"},
				delimiter,
				{Name: "pillarenv"},
				{Name: "saltenv"},
				{Name: "unmask"},
			},
			Doc: `
Return the value of key in the pillar in memory; a:b:0 selects nested values of
maps and lists, with another delimiter than : if given. default is returned for
a missing value; with the option pillar_raise_on_missing and no default that is
an error. merge=True merges the value over a default that is a map, or appends
it to one that is a list; merge_nested_lists=True joins nested lists. pillarenv
and saltenv fetch the pillar. unmask=True shows texts that the option
pillar_mask hides, and unmask=False hides them without the option; the other
functions here accept it too.

CLI Example:

    salt '*' pillar.get pkg:apache
`,
		},
		Function{Name: "raw", Args: []Arg{{Name: "key"}, {Name: "unmask"}}, Run: pillarRaw, Doc: `
Return the pillar in memory, or its item key, without asking the master. unmask
is that of pillar.get.

CLI Example:

    salt '*' pillar.raw
`},
		Function{Name: "ls", VarArgs: true, VarKw: true, Run: pillarLs, Doc: `
List the names of the pillar's items, fetched from the master.

CLI Example:

    salt '*' pillar.ls
`},
		Function{Name: "keys", Args: []Arg{key, delimiter, {Name: "unmask"}}, Run: pillarKeys, Doc: `
List the keys of the map at key in the pillar in memory; a:b selects nested
ones, with another delimiter than : if given. unmask has no effect, since keys
are not masked.

CLI Example:

    salt '*' pillar.keys web:sites
`},
		Function{Name: "obfuscate", VarArgs: true, VarKw: true, Run: pillarObfuscate, Doc: `
Like pillar.items, with every value replaced by the name of its type.

CLI Example:

    salt '*' pillar.obfuscate
`},
	)
	alias("pillar", "items", "data")
	alias("pillar", "get", "fetch")
}

// unset is a default that distinguishes "not given" from None.
type unset struct{}

func (unset) String() string { return "<unset>" }

// compile fetches the pillar with the options of the call.
func compile(ctx context.Context, c *Call, saltenv, pillarenv, override any) (*value.Map, error) {
	o := PillarOptions{}
	o.Override, _ = AsMap(override)
	if saltenv != nil {
		o.Saltenv = PyStr(saltenv)
	}
	if pillarenv != nil {
		o.Pillarenv = PyStr(pillarenv)
	} else if isTrue(c.Env.Option("pillarenv_from_saltenv")) {
		o.Pillarenv = o.Saltenv
	}
	m, err := c.Env.CompilePillar(ctx, o)
	if err != nil {
		return nil, CommandErrorf("fetch the pillar: %v", err)
	}
	return m, nil
}

func pillarItems(ctx context.Context, c *Call) (any, error) {
	m, err := wanted(ctx, c)
	if err != nil {
		return nil, err
	}
	return masked(c, m, unmask(c)), nil
}

// wanted returns the pillar for pillar.items and similar functions.
func wanted(ctx context.Context, c *Call) (*value.Map, error) {
	kw, err := keywords(c, "pillar", "pillarenv", "saltenv", "unmask")
	if err != nil {
		return nil, err
	}
	if len(c.Rest()) > 0 {
		return items(inMemory(c), c.Rest(), value.NewMap())
	}
	override, _ := kw.Get("pillar")
	if override != nil {
		if _, ok := AsMap(override); !ok {
			return nil, InvocationErrorf("pillar must be a map, not %s", PyRepr(override))
		}
	}
	saltenv, _ := kw.Get("saltenv")
	pillarenv, _ := kw.Get("pillarenv")
	return compile(ctx, c, saltenv, pillarenv, override)
}

// inMemory returns the pillar of the minion.
func inMemory(c *Call) *value.Map {
	if p := c.Env.Pillar(); p != nil {
		return p
	}
	return value.NewMap()
}

// chosen returns the pillar in memory, or a new one if an environment is given.
func chosen(ctx context.Context, c *Call, saltenv, pillarenv any) (*value.Map, error) {
	if saltenv == nil && pillarenv == nil {
		return inMemory(c), nil
	}
	return compile(ctx, c, saltenv, pillarenv, nil)
}

func pillarItem(ctx context.Context, c *Call) (any, error) {
	kw, err := keywords(c, "default", "delimiter", "pillarenv", "saltenv", "unmask")
	if err != nil {
		return nil, err
	}
	saltenv, _ := kw.Get("saltenv")
	pillarenv, _ := kw.Get("pillarenv")
	p, err := chosen(ctx, c, saltenv, pillarenv)
	if err != nil {
		return nil, err
	}
	found, err := items(p, c.Rest(), kw)
	if err != nil {
		return nil, err
	}
	return masked(c, found, unmask(c)), nil
}

func pillarGet(ctx context.Context, c *Call) (any, error) {
	p, err := chosen(ctx, c, c.Value("saltenv"), c.Value("pillarenv"))
	if err != nil {
		return nil, err
	}
	v, ok := traverse(p, c.Str("key"), c.Str("delimiter"))
	fallback := c.Value("default")
	if c.IsTrue("merge") {
		if m, merged := mergedDefault(c, fallback, v, ok); merged {
			return masked(c, m, c.Value("unmask")), nil
		}
	}
	_, none := fallback.(unset)
	switch {
	case ok:
		return masked(c, v, c.Value("unmask")), nil
	case none && isTrue(c.Env.Option("pillar_raise_on_missing")):
		return nil, &ExceptionError{"KeyError", PyRepr("Pillar key not found: " + c.Str("key"))}
	case none:
		return "", nil
	}
	return fallback, nil
}

// mergedDefault merges a found value over the default; ok is false if the two have
// different types.
func mergedDefault(c *Call, fallback, v any, found bool) (any, bool) {
	lists := c.Value("merge_nested_lists")
	if lists == nil {
		lists = c.Env.Option("pillar_merge_lists")
	}
	switch base := deepCopy(fallback).(type) {
	case *value.Map:
		if !found {
			return base, true
		}
		if m, ok := v.(*value.Map); ok {
			mergeInto(base, m, isTrue(lists))
			return base, true
		}
	case []any:
		if !found {
			return base, true
		}
		if l, ok := v.([]any); ok {
			return unionOf(base, l), true
		}
	}
	logger(c.Env).Error("pillar.get: default and value have different types",
		"key", c.Str("key"), "default", pyType(fallback), "value", pyType(v))
	return nil, false
}

// unionOf appends the missing elements to a list.
func unionOf(base, more []any) []any {
	for _, e := range more {
		has := false
		for _, b := range base {
			has = has || equal(b, e)
		}
		if !has {
			base = append(base, e)
		}
	}
	return base
}

func pillarRaw(_ context.Context, c *Call) (any, error) {
	p := inMemory(c)
	say := c.Value("unmask")
	if say == nil {
		say = true // the call asks for the values in memory
	}
	if c.Str("key") == "" {
		return masked(c, p, say), nil
	}
	if v, ok := mapGet(p, c.Value("key")); ok {
		return masked(c, v, say), nil
	}
	return value.NewMap(), nil
}

func pillarLs(ctx context.Context, c *Call) (any, error) {
	m, err := wanted(ctx, c)
	if err != nil {
		return nil, err
	}
	return listOf(m.Keys()), nil
}

func pillarKeys(_ context.Context, c *Call) (any, error) {
	v, ok := traverse(inMemory(c), c.Str("key"), c.Str("delimiter"))
	if !ok {
		return nil, &ExceptionError{"KeyError", PyRepr("Pillar key not found: " + c.Str("key"))}
	}
	m, ok := v.(*value.Map)
	if !ok {
		return nil, &ExceptionError{"ValueError", "Pillar value in key " + c.Str("key") + " is not a dict"}
	}
	return listOf(m.Keys()), nil
}

func pillarObfuscate(ctx context.Context, c *Call) (any, error) {
	m, err := wanted(ctx, c)
	if err != nil {
		return nil, err
	}
	return typesOf(m), nil
}

// typesOf replaces the values in maps and lists by their types.
func typesOf(v any) any {
	switch v := wire.Normal(v).(type) {
	case *value.Map:
		m := value.NewMap()
		v.Range(func(k, e any) bool {
			m.Set(k, typesOf(e))
			return true
		})
		return m
	case []any:
		l := make([]any, len(v))
		for i, e := range v {
			l[i] = typesOf(e)
		}
		return l
	default:
		return "<" + pyType(v) + ">"
	}
}
