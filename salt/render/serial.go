package render

import (
	"errors"
	"strings"

	"github.com/momtree/mom/salt/jinja"
)

// limitsOf are those of the engine that runs a filter.
func limitsOf(r *jinja.Run) Limits {
	if j, ok := r.Data.(*job); ok {
		return j.engine.limits
	}
	return Limits{}.filled()
}

func yamlText(r *jinja.Run, v any, flow bool) string {
	return strings.TrimSuffix(strings.TrimSpace(dumpYAML(r, v, flow, limitsOf(r).Output)), "\n...")
}

// short is a text for an error.
func short(s string) string {
	if len(s) > 4<<10 {
		return strings.ToValidUTF8(s[:4<<10], "") + "…"
	}
	return s
}

// source is what load_* reads: text, or what an imported template printed.
func source(v any) any {
	if m, ok := v.(*jinja.Module); ok {
		return m.Text()
	}
	return v
}

func loadYAMLFilter(r *jinja.Run, v any) any {
	s, ok := source(v).(string)
	if !ok {
		_ = jinja.Truth(v) // an undefined value is told as such
		jinja.Throw(jinja.Fault("Unable to load yaml from %s", short(r.Str(v))))
	}
	out, err := loadYAML(r, s, limitsOf(r).Values)
	if err != nil {
		msg := err.Error()
		if e, ok := errors.AsType[*Error](err); ok && e.Line > 0 {
			msg = e.Text + "\n" + e.Lines
		}
		jinja.Throw(jinja.Fault("Encountered error loading yaml: %s", msg))
	}
	return jinja.Take(out) // counted when it was read
}

func loadJSONFilter(r *jinja.Run, v any) any {
	s, ok := source(v).(string)
	if !ok {
		_ = jinja.Truth(v)
		jinja.Throw(jinja.Fault("Unable to load json from %s", short(r.Str(v))))
	}
	out, err := loadJSON(r, s)
	if err != nil {
		jinja.Throw(jinja.Fault("Unable to load json from %s", short(s)))
	}
	return out
}

func jsonIndent(b *jinja.Bound, i int, s *jsonStyle) {
	switch v := b.Any(i, nil).(type) {
	case nil:
	case string:
		s.pretty, s.indent = true, v
	default:
		s.pretty, s.indent = true, strings.Repeat(" ", min(max(b.Int(i, 0), 0), 64))
	}
}

var htmlSafe = strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`, "'", `\u0027`)

func init() {
	filters(map[string]jinja.Filter{
		"yaml": func(r *jinja.Run, v any, a *jinja.Args) any {
			return yamlText(r, v, a.Bind("format_yaml", 0, "flow_style").Bool(0, true))
		},
		"dict_to_sls_yaml_params": func(r *jinja.Run, v any, a *jinja.Args) any {
			flow := a.Bind("dict_to_sls_yaml_params", 0, "flow_style").Bool(0, false)
			l := jinja.NewList()
			wantDict(v, "dict_to_sls_yaml_params").Range(func(k, e any) bool {
				r.Alloc(256)
				r.Append(l, jinja.NewDict(k, e))
				return true
			})
			return yamlText(r, l, flow)
		},
		"json": func(r *jinja.Run, v any, a *jinja.Args) any {
			b := a.Bind("format_json", 0, "sort_keys indent")
			s := jsonStyle{sortKeys: b.Bool(0, true), max: limitsOf(r).Output}
			jsonIndent(b, 1, &s)
			return strings.TrimSpace(dumpJSON(r, v, s))
		},
		"tojson": func(r *jinja.Run, v any, a *jinja.Args) any {
			b := a.Bind("tojson", 0, "indent sort_keys ensure_ascii")
			s := jsonStyle{sortKeys: b.Bool(1, false), ascii: b.Bool(2, true), max: limitsOf(r).Output}
			jsonIndent(b, 0, &s)
			out := dumpJSON(r, v, s)
			r.Scratch(2 * len(out))
			return htmlSafe.Replace(out)
		},
		"python":      plain(func(r *jinja.Run, v any) any { return r.Pformat(v) }),
		"xml":         plain(xmlFilter),
		"load_yaml":   plain(loadYAMLFilter),
		"load_json":   plain(loadJSONFilter),
		"load_text":   plain(func(r *jinja.Run, v any) any { return source(v) }),
		"yaml_dquote": plain(func(r *jinja.Run, v any) any { return quoteDouble(r, r.Str(v)) }),
		"yaml_squote": plain(func(r *jinja.Run, v any) any { return quoteSingle(r, r.Str(v)) }),
		"yaml_encode": plain(func(r *jinja.Run, v any) any {
			switch v := v.(type) {
			case string:
				return quoteDouble(r, v)
			case *jinja.List, *jinja.Dict, jinja.Tuple, *jinja.Set:
				fail("yaml_encode() only works with YAML scalar data; failed for <class '%s'>", jinja.TypeName(v))
			}
			return strings.TrimSpace(dumpYAML(r, v, true, 1<<20))
		}),
	})
}
