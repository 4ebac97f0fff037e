package modules

import (
	"context"
	"maps"
	"path/filepath"
	"slices"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/grains"
	"github.com/momtree/mom/value"
)

func init() {
	key := Arg{Name: "key", Required: true}
	delimiter := Arg{Name: "delimiter", Default: defaultDelimiter}
	Register("grains",
		Function{Name: "items", Args: []Arg{{Name: "sanitize", Default: false}}, Run: grainsItems, Doc: `
Return all grains. sanitize=True hides serial numbers and host names.

CLI Example:

    salt '*' grains.items
`},
		Function{
			Name: "item", VarArgs: true, Run: grainsItem,
			Args: nil, VarKw: true, Doc: `
Return the named grains as a map. Keywords: default (value of a missing grain),
delimiter, sanitize.

CLI Example:

    salt '*' grains.item os osrelease
`,
		},
		Function{
			Name: "get", Run: grainsGet,
			Args: []Arg{key, {Name: "default", Default: ""}, delimiter, {Name: "ordered", Default: true}},
			Doc: `
Return the grain key; a:b:0 selects nested values of maps and lists, with
another delimiter than : if given. default is the value of a missing grain.
ordered=False sorts the keys of maps.

CLI Example:

    salt '*' grains.get pkg:apache default=httpd
`,
		},
		Function{Name: "has_value", Args: []Arg{key}, Run: grainsHas, Doc: `
Return whether the grain key exists; a:b selects a nested one.

CLI Example:

    salt '*' grains.has_value pkg:apache
`},
		Function{Name: "ls", Run: grainsLs, Doc: `
List the names of all grains.

CLI Example:

    salt '*' grains.ls
`},
		Function{Name: "equals", Args: []Arg{key, {Name: "value", Required: true}}, Run: grainsEquals, Doc: `
Return whether the grain key has a value; both are compared as text.

CLI Example:

    salt '*' grains.equals systemd:version 219
`},
		Function{
			Name: "setvals", Run: grainsSetvals,
			Args: []Arg{{Name: "grains", Required: true}, {Name: "destructive", Default: false}, {Name: "refresh_pillar", Default: true}},
			Doc: `
Set several grains permanently, in the file grains of the configuration folder.
A value of None with destructive=True deletes the grain. refresh_pillar=False
does not refresh the pillar.

CLI Example:

    salt '*' grains.setvals '{role: web, tags: [a, b]}'
`,
		},
		Function{
			Name: "setval", Run: grainsSetval,
			Args: []Arg{key, {Name: "val", Required: true}, {Name: "destructive", Default: false}, {Name: "refresh_pillar", Default: true}},
			Doc: `
Set one grain to val permanently; a delimiter in the key has no meaning.
destructive and refresh_pillar are those of grains.setvals.

CLI Example:

    salt '*' grains.setval role web
`,
		},
		Function{
			Name: "set", Run: grainsSet,
			Args: []Arg{key, {Name: "val", Default: ""}, {Name: "force", Default: false}, {Name: "destructive", Default: false}, delimiter},
			Doc: `
Set the grain key to val; a:b (or another delimiter) selects a nested one. A
list or map is not replaced, nor replaces anything, unless force=True. With
destructive=True a val of None deletes the grain.

CLI Example:

    salt '*' grains.set apps:web:port 8080
`,
		},
		Function{
			Name: "append", Run: grainsAppend,
			Args: []Arg{key, {Name: "val", Required: true}, {Name: "convert", Default: false}, delimiter},
			Doc: `
Append val, or the values of a list, to the grain key, which must be a list; a:b
(or another delimiter) selects a nested one. convert=True converts another value
to a list.

CLI Example:

    salt '*' grains.append tags blue
`,
		},
		Function{Name: "remove", Args: []Arg{key, {Name: "val", Required: true}, delimiter}, Run: grainsRemove, Doc: `
Remove val from the grain key, which must be a list; a:b (or another delimiter)
selects a nested one.

CLI Example:

    salt '*' grains.remove tags blue
`},
		Function{
			Name: "delval", Run: grainsDelval,
			Args: []Arg{key, {Name: "destructive", Default: false}, {Name: "force", Default: false}},
			Doc: `
Set the grain key to None, or delete it with destructive=True. force=True is needed
for a list or map.

CLI Example:

    salt '*' grains.delval role
`,
		},
		Function{Name: "delkey", Args: []Arg{key, {Name: "force", Default: false}}, Run: grainsDelkey, Doc: `
Delete the grain key. force=True is needed for a list or map.

CLI Example:

    salt '*' grains.delkey role
`},
	)
	alias("grains", "get", "fetch")
	alias("grains", "ls", "keys")
}

// sanitizers replace values that identify a host.
var sanitizers = map[string]func(string) string{
	"serialnumber": func(s string) string {
		keep := len(s) * 3 / 4
		masked := []byte(s)
		for i := keep; i < len(masked); i++ {
			masked[i] = 'X'
		}
		return string(masked)
	},
	"domain":    func(string) string { return "DOMAINNAME" },
	"fqdn":      func(string) string { return "MINION.DOMAINNAME" },
	"id":        func(string) string { return "MINION.DOMAINNAME" },
	"host":      func(string) string { return "MINION" },
	"localhost": func(string) string { return "MINION" },
	"nodename":  func(string) string { return "MINION" },
}

func sanitize(m *value.Map) {
	for _, name := range slices.Sorted(maps.Keys(sanitizers)) {
		if v, ok := m.Get(name); ok {
			m.Set(name, sanitizers[name](PyStr(v)))
		}
	}
}

func grainsItems(_ context.Context, c *Call) (any, error) {
	g := c.Env.Grains()
	if c.IsTrue("sanitize") {
		g = g.Clone()
		sanitize(g)
	}
	return g, nil
}

func grainsItem(_ context.Context, c *Call) (any, error) {
	kw, err := keywords(c, "default", "delimiter", "sanitize")
	if err != nil {
		return nil, err
	}
	return items(c.Env.Grains(), c.Rest(), kw)
}

// keywords returns c.Kwargs if all of them are known.
func keywords(c *Call, known ...string) (*value.Map, error) {
	allowed := Function{Name: c.Fun}
	for _, k := range known {
		allowed.Args = append(allowed.Args, Arg{Name: k})
	}
	return c.Kwargs, checkKeywords(c.Fun, allowed, c.Kwargs)
}

// items looks up several paths, as grains.item and pillar.item do.
func items(data *value.Map, paths []any, kw *value.Map) (*value.Map, error) {
	fallback, ok := kw.Get("default")
	if !ok {
		fallback = ""
	}
	delimiter := kw.String("delimiter")
	if delimiter == "" {
		delimiter = defaultDelimiter
	}
	out := value.NewMap()
	for _, p := range paths {
		v, ok := traverse(data, PyStr(p), delimiter)
		if !ok {
			v = fallback
		}
		out.Set(p, v)
	}
	if v, _ := kw.Get("sanitize"); isTrue(v) {
		sanitize(out)
	}
	return out, nil
}

func grainsGet(_ context.Context, c *Call) (any, error) {
	v, ok := traverse(c.Env.Grains(), c.Str("key"), c.Str("delimiter"))
	if !ok {
		return c.Value("default"), nil
	}
	if c.Value("ordered") == false {
		v = sortedCopy(v)
	}
	return v, nil
}

// sortedCopy copies a value with the keys of all maps sorted.
func sortedCopy(v any) any {
	switch v := deepCopy(v).(type) {
	case *value.Map:
		byText := map[string]any{}
		v.Range(func(k, e any) bool {
			byText[PyStr(k)] = sortedCopy(e)
			return true
		})
		m := value.NewMap()
		for _, k := range slices.Sorted(maps.Keys(byText)) {
			m.Set(k, byText[k])
		}
		return m
	case []any:
		for i := range v {
			v[i] = sortedCopy(v[i])
		}
		return v
	default:
		return v
	}
}

func grainsHas(_ context.Context, c *Call) (any, error) {
	_, ok := traverse(c.Env.Grains(), c.Str("key"), defaultDelimiter)
	return ok, nil
}

func grainsLs(_ context.Context, c *Call) (any, error) {
	return wire.AnyList(keyTexts(c.Env.Grains())), nil
}

// keyTexts returns the keys of a map as strings, sorted.
func keyTexts(m *value.Map) []string {
	set := map[string]bool{}
	for _, k := range m.Keys() {
		set[PyStr(k)] = true
	}
	return slices.Sorted(maps.Keys(set))
}

func grainsEquals(_ context.Context, c *Call) (any, error) {
	v, ok := traverse(c.Env.Grains(), c.Str("key"), defaultDelimiter)
	if !ok {
		v = ""
	}
	return PyStr(c.Value("value")) == PyStr(v), nil
}

func grainsSetvals(ctx context.Context, c *Call) (any, error) {
	m, ok := c.Value("grains").(*value.Map)
	if !ok {
		return nil, &ExceptionError{"salt.exceptions.SaltException", "setvals grains must be a dictionary."}
	}
	return m, saveGrains(ctx, c, m, c.IsTrue("destructive"), c.IsTrue("refresh_pillar"))
}

func grainsSetval(ctx context.Context, c *Call) (any, error) {
	m := value.NewMap(c.Value("key"), c.Value("val"))
	return m, saveGrains(ctx, c, m, c.IsTrue("destructive"), c.IsTrue("refresh_pillar"))
}

// saveGrains merges changes into the static grains file and refreshes the minion's grains.
func saveGrains(ctx context.Context, c *Call, changes *value.Map, destructive, refreshPillar bool) error {
	dir := confDir(c.Env)
	if dir == "" {
		return CommandErrorf("cannot save grains: the minion has no configuration folder (conf_file)")
	}
	grainsFile.Lock()
	defer grainsFile.Unlock()
	stored, err := grains.ReadFile(dir)
	if err != nil {
		return CommandErrorf("Unable to read existing grains file: %v", err)
	}
	changes.Range(func(k, v any) bool {
		if v == nil && destructive {
			stored.Delete(k)
		} else {
			stored.Set(k, v)
		}
		return true
	})
	if err := grains.WriteFile(dir, stored); err != nil {
		return CommandErrorf("%v", err)
	}
	if err := c.Env.RefreshGrains(ctx, refreshPillar); err != nil {
		return CommandErrorf("grains saved, but refreshing them failed: %v", err)
	}
	return nil
}

// confDir returns the folder of the minion's configuration file.
func confDir(env Env) string {
	file, _ := env.Option("conf_file").(string)
	if file == "" {
		return ""
	}
	return filepath.Dir(file)
}
