package modules

import (
	"context"
	"strings"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

// omits are the arguments that exclude a source from a search.
var omits = []Arg{
	{Name: "omit_opts", Default: false},
	{Name: "omit_grains", Default: false},
	{Name: "omit_pillar", Default: false},
	{Name: "omit_master", Default: false},
}

func init() {
	Register("config",
		Function{
			Name: "get", Run: configGet,
			Args: append([]Arg{
				{Name: "key", Required: true},
				{Name: "default", Default: ""},
				{Name: "delimiter", Default: defaultDelimiter},
				{Name: "merge"},
			}, omits...),
			Doc: `
Return a value from the first of these that has it: the minion's options, its
grains, its pillar, the master's options in the pillar, or default. The key
a:b:0 selects nested values of maps and lists; delimiter replaces the colon.
merge=recurse or merge=overwrite merges the sources first. omit_opts,
omit_grains, omit_pillar and omit_master exclude a source.

CLI Example:

    salt '*' config.get master_port
    salt '*' config.get pkg:apache default=httpd
`,
		},
		Function{
			Name: "option", Run: configOption,
			Args: append([]Arg{
				{Name: "value", Required: true},
				{Name: "default"},
			}, append(omits, Arg{Name: "omit_all", Default: false}, Arg{Name: "wildcard", Default: false})...),
			Doc: `
Return a value by its plain key from the minion's options, grains, pillar, or
the master's options in the pillar, or else default. wildcard=True returns a map
of all keys that match a glob. omit_opts, omit_grains, omit_pillar and
omit_master exclude a source, omit_all excludes all of them.

CLI Example:

    salt '*' config.option cachedir
    salt '*' config.option 'master*' wildcard=True
`,
		},
		Function{
			Name: "merge", Run: configMerge,
			Args: []Arg{
				{Name: "value", Required: true},
				{Name: "default", Default: ""},
				{Name: "omit_opts", Default: false},
				{Name: "omit_master", Default: false},
				{Name: "omit_pillar", Default: false},
			},
			Doc: `
Return a value by its plain key, or else default; lists and maps of the minion's
options, the master's options in the pillar, and the pillar are joined. omit_opts,
omit_master and omit_pillar leave one of them out.

CLI Example:

    salt '*' config.merge schedule
`,
		},
		Function{Name: "dot_vals", Args: []Arg{{Name: "value", Required: true}}, Run: configDotVals, Doc: `
Return the options whose names begin with value and a dot, of the minion and of
the master as the pillar shows it.

CLI Example:

    salt '*' config.dot_vals mysql
`},
		Function{Name: "items", Run: func(_ context.Context, c *Call) (any, error) { return c.Env.Options(), nil }, Doc: `
Return all options of the minion.

CLI Example:

    salt '*' config.items
`},
		Function{Name: "backup_mode", Args: []Arg{{Name: "backup", Default: ""}}, Run: configBackupMode, Doc: `
Return the backup mode given, or else the option backup_mode.

CLI Example:

    salt '*' config.backup_mode
`},
		Function{Name: "valid_fileproto", Args: []Arg{{Name: "uri", Required: true}}, Run: configValidProto, Doc: `
Return whether the protocol of an address (uri) is valid for files.

CLI Example:

    salt '*' config.valid_fileproto salt://path/to/file
`},
		Function{Name: "manage_mode", Args: []Arg{{Name: "mode", Required: true}}, Run: configManageMode, Doc: `
Return a file mode as Salt writes it: four octal digits.

CLI Example:

    salt '*' config.manage_mode 644
`},
	)
}

// sources returns the maps to search for a value, by descending precedence.
func sources(c *Call) []*value.Map {
	var out []*value.Map
	all := c.IsTrue("omit_all")
	add := func(omit string, m *value.Map) {
		if m != nil && !all && !c.IsTrue(omit) {
			out = append(out, m)
		}
	}
	add("omit_opts", c.Env.Options())
	add("omit_grains", c.Env.Grains())
	add("omit_pillar", c.Env.Pillar())
	add("omit_master", masterOptions(c.Env))
	return out
}

// masterOptions returns the master's options in the pillar (pillar_opts).
func masterOptions(env Env) *value.Map {
	p := env.Pillar()
	if p == nil {
		return nil
	}
	v, _ := p.Get("master")
	m, _ := AsMap(v)
	return m
}

func configGet(_ context.Context, c *Call) (any, error) {
	from := sources(c)
	if how := c.Value("merge"); how != nil {
		m, err := laid(from, PyStr(how))
		if err != nil {
			return nil, err
		}
		from = []*value.Map{m}
	}
	for _, m := range from {
		if v, ok := traverse(m, c.Str("key"), c.Str("delimiter")); ok {
			return wire.Normal(v), nil
		}
	}
	return c.Value("default"), nil
}

// laid merges sources; the first has precedence.
func laid(from []*value.Map, how string) (*value.Map, error) {
	out := value.NewMap()
	for i := len(from) - 1; i >= 0; i-- {
		switch how {
		case "recurse":
			mergeInto(out, from[i], false)
		case "overwrite":
			from[i].Range(func(k, v any) bool {
				out.Set(k, v)
				return true
			})
		default:
			return nil, InvocationErrorf("merge must be recurse or overwrite, not %s", PyRepr(how))
		}
	}
	return out, nil
}

func configOption(_ context.Context, c *Call) (any, error) {
	name := c.Str("value")
	if c.IsTrue("wildcard") {
		return configWildcard(c, name), nil
	}
	for _, m := range sources(c) {
		if v, ok := m.Get(name); ok {
			return wire.Normal(v), nil
		}
	}
	if v := c.Value("default"); v != nil {
		return v, nil
	}
	return "", nil
}

func configWildcard(c *Call, pattern string) any {
	found := value.NewMap()
	from := sources(c)
	for i := len(from) - 1; i >= 0; i-- {
		from[i].Range(func(k, v any) bool {
			if target.Glob(pattern, PyStr(k)) {
				found.Set(k, wire.Normal(v))
			}
			return true
		})
	}
	if v := c.Value("default"); found.Len() == 0 && v != nil {
		return v
	}
	return found
}

func configMerge(_ context.Context, c *Call) (any, error) {
	name := c.Str("value")
	var have any
	for _, s := range []struct {
		omit string
		m    *value.Map
	}{{"omit_opts", c.Env.Options()}, {"omit_master", masterOptions(c.Env)}, {"omit_pillar", c.Env.Pillar()}} {
		if s.m == nil || c.IsTrue(s.omit) {
			continue
		}
		v, ok := s.m.Get(name)
		if !ok {
			continue
		}
		have = joined(have, wire.Normal(v))
		if text, ok := have.(string); ok {
			return text, nil
		}
	}
	if have == nil {
		return c.Value("default"), nil
	}
	return have, nil
}

// joined merges a value of lower precedence into have: missing keys of a map, or the
// elements of a list.
func joined(have, more any) any {
	switch h := have.(type) {
	case nil:
		return deepCopy(more)
	case *value.Map:
		if m, ok := more.(*value.Map); ok {
			out := m.Clone()
			h.Range(func(k, v any) bool {
				out.Set(k, v)
				return true
			})
			return out
		}
	case []any:
		if l, ok := more.([]any); ok {
			return append(h[:len(h):len(h)], l...)
		}
	}
	return have
}

func configDotVals(_ context.Context, c *Call) (any, error) {
	out := value.NewMap()
	for _, m := range []*value.Map{masterOptions(c.Env), c.Env.Options()} {
		if m == nil {
			continue
		}
		m.Range(func(k, v any) bool {
			if strings.HasPrefix(PyStr(k), c.Str("value")+".") {
				out.Set(k, wire.Normal(v))
			}
			return true
		})
	}
	return out, nil
}

func configBackupMode(_ context.Context, c *Call) (any, error) {
	if s := c.Str("backup"); s != "" {
		return s, nil
	}
	if v := c.Env.Option("backup_mode"); v != nil {
		return v, nil
	}
	return "", nil
}

func configValidProto(_ context.Context, c *Call) (any, error) {
	scheme, _, ok := strings.Cut(c.Str("uri"), ":")
	if !ok {
		return false, nil
	}
	switch strings.ToLower(scheme) {
	case "http", "https", "ftp", "s3", "swift", "salt", "file":
		return true, nil
	}
	return false, nil
}

func configManageMode(_ context.Context, c *Call) (any, error) {
	v := c.Value("mode")
	if v == nil {
		return nil, nil
	}
	text := strings.TrimPrefix(strings.TrimPrefix(PyStr(v), "0o"), "0")
	for len(text) < 4 {
		text = "0" + text
	}
	if strings.Trim(text, "01234567") != "" {
		return nil, argErrorf("mode must be octal digits, not %s", PyRepr(v))
	}
	return text, nil
}
