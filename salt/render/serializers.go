package render

import (
	"strings"

	"github.com/momtree/mom/salt/jinja"
	"github.com/momtree/mom/salt/pyfmt"
)

// serializer writes and parses one format for slsutil.serialize and deserialize.
type serializer struct {
	write func(r *jinja.Run, v any, o *options) string
	read  func(r *jinja.Run, s string, o *options) any // nil if the format cannot be parsed
}

var serializers map[string]serializer

func init() {
	serializers = map[string]serializer{
		"json":         {writeJSON, readJSON},
		"yaml":         {writeYAML, readYAML},
		"keyvalue":     {writeKeyvalue, readKeyvalue},
		"python":       {write: writePython},
		"configparser": {writeINI, readINI},
	}
	pure["slsutil.serialize"] = func(_ *job, r *jinja.Run, a *jinja.Args) any {
		s, v, o := serializing(r, a, "serialize", "obj")
		out := s.write(r, v, o)
		o.done()
		return out
	}
	pure["slsutil.deserialize"] = func(_ *job, r *jinja.Run, a *jinja.Args) any {
		s, v, o := serializing(r, a, "deserialize", "stream_or_string")
		in, ok := v.(string)
		if b, isBytes := v.(jinja.Bytes); isBytes {
			in, ok = string(b), true
		}
		if !ok {
			fail("'%s' object has no attribute 'read'", jinja.TypeName(v))
		}
		r.Work(len(in))
		out := s.read(r, in, o)
		o.done()
		return out
	}
}

// options are the keywords that serializers accept; others are an error.
type options struct {
	name string
	kw   *jinja.Args
	seen map[string]bool
}

func (o *options) get(name string) any {
	o.seen[name] = true
	v, _ := o.kw.Keyword(name)
	return v
}

func (o *options) done() {
	for _, k := range o.kw.Keywords().Keys() {
		name, _ := k.(string)
		if !o.seen[name] && !strings.HasPrefix(name, "__") {
			refuse("slsutil: the serializer %s does not take the option %s here", o.name, name)
		}
	}
}

func serializing(r *jinja.Run, a *jinja.Args, fn, second string) (serializer, any, *options) {
	known, o := jinja.NewArgs(a.Pos...), &options{kw: jinja.NewArgs(), seen: map[string]bool{}}
	for _, k := range a.Keywords().Keys() {
		name, _ := k.(string)
		v, _ := a.Keyword(name)
		if name == "serializer" || name == second {
			known.Set(name, v)
		} else {
			o.kw.Set(name, v)
		}
	}
	b := known.Bind(fn, 2, "serializer "+second)
	o.name = r.Str(b.Any(0, nil))
	s, ok := serializers[o.name]
	if !ok {
		refuse("Serializer '%s' not found.", o.name)
	}
	if fn == "deserialize" && s.read == nil {
		refuse("Serializer '%s' does not implement %s", o.name, fn)
	}
	return s, b.Any(1, nil), o
}

func writeJSON(r *jinja.Run, v any, o *options) string {
	var f pyfmt.JSONForm
	jsonIndent(o.get("indent"), &f)
	if v := o.get("sort_keys"); v != nil {
		f.SortKeys = jinja.Truth(v)
	}
	if v := o.get("ensure_ascii"); v != nil {
		f.ASCII = jinja.Truth(v)
	}
	return dumpJSON(r, v, f)
}

func readJSON(r *jinja.Run, s string, _ *options) any {
	v, err := loadJSON(r, s)
	if err != nil {
		jinja.Throw(err)
	}
	return v
}

// writeYAML writes leaf collections on one line, like the serializer's default_flow_style
// of None.
func writeYAML(r *jinja.Run, v any, o *options) string {
	form := pyfmt.YAMLForm{Leaves: true, ASCII: true, Sorted: true}
	if flow := o.get("default_flow_style"); flow != nil {
		form.Flow, form.Leaves = jinja.Truth(flow), false
	}
	if u := o.get("allow_unicode"); u != nil {
		form.ASCII = !jinja.Truth(u)
	}
	return strings.TrimSuffix(dumpYAML(r, v, form), "\n")
}

func readYAML(r *jinja.Run, s string, _ *options) any {
	v, err := loadYAML(r, s, limitsOf(r).Values)
	if err != nil {
		jinja.Throw(err)
	}
	return r.Take(v)
}

func writeKeyvalue(r *jinja.Run, v any, o *options) string {
	end, sep, quoting := "\n", "=", o.get("quoting")
	if s, ok := o.get("line_ending").(string); ok && s != "" {
		end = s
	}
	if s, ok := o.get("separator").(string); ok {
		sep = s
	}
	var lines []string
	add := func(k, v any) {
		val := r.Str(v)
		if quoting != nil && jinja.Truth(quoting) {
			if _, ok := v.(string); !ok {
				fail("expected string or bytes-like object, got '%s'", jinja.TypeName(v))
			}
			val = quoted(val)
		}
		line := r.Str(k) + sep + val
		r.Charge(len(line))
		lines = append(lines, line)
	}
	if d, ok := v.(*jinja.Dict); ok {
		d.Range(func(k, v any) bool {
			add(k, v)
			return true
		})
		return strings.Join(lines, end)
	}
	switch v.(type) {
	case *jinja.List, jinja.Tuple, *jinja.Set:
	default:
		fail("Input validation failed. Iterable required.")
	}
	for _, e := range r.Iterate(v) {
		pair := r.Iterate(e)
		switch {
		case len(pair) < 2:
			fail("not enough values to unpack (expected 2, got %d)", len(pair))
		case len(pair) > 2:
			fail("too many values to unpack (expected 2)")
		}
		add(pair[0], pair[1])
	}
	out := strings.Join(lines, end)
	r.Charge(len(out))
	return out
}

// writePython writes as pprint.pformat does, after a conversion through JSON: keys are
// strings.
func writePython(r *jinja.Run, v any, _ *options) string {
	s, err := loadJSON(r, dumpJSON(r, v, pyfmt.JSONForm{}))
	if err != nil {
		jinja.Throw(err)
	}
	return r.Pformat(s)
}

// quoted puts a string in double quotes, unless it contains some.
func quoted(s string) string {
	if s != "" && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] && len(s) > 1 {
		return s
	}
	return `"` + s + `"`
}

func readKeyvalue(r *jinja.Run, s string, o *options) any {
	sep := "="
	if v, ok := o.get("separator").(string); ok {
		sep = v
	}
	dequote := o.get("quoting") == false
	out := jinja.NewDict()
	for _, line := range pyfmt.SplitLines(s, false) {
		k, v, ok := strings.Cut(line, sep)
		if !ok {
			fail("not enough values to unpack (expected 2, got 1)")
		}
		if dequote && len(v) > 1 && (v[0] == '"' || v[0] == '\'') && v[len(v)-1] == v[0] {
			v = v[1 : len(v)-1]
		}
		r.Alloc(64)
		r.Set(out, k, v)
	}
	return out
}

// writeINI writes sections as Python's configparser does.
func writeINI(r *jinja.Run, v any, _ *options) string {
	d, ok := v.(*jinja.Dict)
	if !ok {
		fail("configparser can only serialize dictionaries, not <class '%s'>", jinja.TypeName(v))
	}
	head, body := r.Builder(), r.Builder()
	d.Range(func(k, v any) bool {
		out, name := body, r.Str(k)
		if name == "DEFAULT" {
			out = head
		}
		section, ok := v.(*jinja.Dict)
		if !ok {
			fail("'%s' object has no attribute 'items'", jinja.TypeName(v))
		}
		_, _ = out.WriteString("[" + name + "]\n")
		section.Range(func(k, v any) bool {
			if v == nil {
				fail("option values must be strings")
			}
			val := r.Str(v)
			if i := strings.IndexByte(strings.ReplaceAll(val, "%%", ""), '%'); i >= 0 {
				fail("invalid interpolation syntax in %s at position %d", jinja.Repr(val), strings.IndexByte(val, '%'))
			}
			_, _ = out.WriteString(strings.ToLower(r.Str(k)) + " = " + strings.ReplaceAll(val, "\n", "\n\t") + "\n")
			return true
		})
		_, _ = out.WriteString("\n")
		return true
	})
	return head.String() + body.String()
}

// readINI parses sections of key = value or key: value.
func readINI(r *jinja.Run, s string, _ *options) any {
	out, defaults := jinja.NewDict(), jinja.NewDict()
	var section *jinja.Dict
	last := ""
	for n, line := range pyfmt.SplitLines(s, false) {
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "", trimmed[0] == '#', trimmed[0] == ';':
			continue
		case line[0] == ' ' || line[0] == '\t':
			if section != nil && last != "" {
				old, _ := r.Get(section, last)
				r.Charge(len(line) + len(r.Str(old)))
				r.Set(section, last, strings.TrimLeft(r.Str(old)+"\n"+trimmed, "\n"))
				continue
			}
		case trimmed[0] == '[' && strings.Contains(trimmed, "]"):
			name := trimmed[1:strings.LastIndexByte(trimmed, ']')]
			section, last = defaults, ""
			if name != "DEFAULT" {
				section = jinja.NewDict()
				r.Alloc(256)
				r.Set(out, name, section)
			}
			continue
		}
		if section == nil {
			fail("File contains no section headers.\nfile: '<???>', line: %d\n%s", n+1, jinja.Repr(line+"\n"))
		}
		i := strings.IndexAny(trimmed, "=:")
		if i < 0 {
			fail("Source contains parsing errors: '<???>'\n\t[line %2d]: %s", n+1, jinja.Repr(line+"\n"))
		}
		last = strings.ToLower(strings.TrimRight(trimmed[:i], " \t"))
		r.Alloc(64 + len(line))
		r.Set(section, last, strings.TrimSpace(trimmed[i+1:]))
	}
	out.Range(func(_, v any) bool {
		d := v.(*jinja.Dict)
		defaults.Range(func(k, v any) bool {
			if _, ok := r.Get(d, k); !ok {
				r.Set(d, k, v)
			}
			return true
		})
		return true
	})
	return out
}
