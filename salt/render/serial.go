package render

import (
	"errors"
	"strings"

	"github.com/momtree/mom/salt/jinja"
	"github.com/momtree/mom/salt/pyfmt"
)

// limitsOf returns the limits of the engine that runs a filter.
func limitsOf(r *jinja.Run) Limits {
	if j, ok := r.Data.(*job); ok {
		return j.engine.limits
	}
	return Limits{}.filled()
}

func yamlText(r *jinja.Run, v any, flow bool) string {
	return strings.TrimSpace(dumpYAML(r, v, pyfmt.YAMLForm{Flow: flow}))
}

// short shortens a text for an error.
func short(s string) string {
	if len(s) > 4<<10 {
		return strings.ToValidUTF8(s[:4<<10], "") + "…"
	}
	return s
}

// source returns the text that load_* parses: a string, or the output of an imported
// template.
func source(v any) any {
	if m, ok := v.(*jinja.Module); ok {
		return m.Text()
	}
	return v
}

func loadYAMLFilter(r *jinja.Run, v any) any {
	s, ok := source(v).(string)
	if !ok {
		_ = jinja.Truth(v) // an undefined value fails with its own message
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
	return jinja.Take(out) // parsing counted it already
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

func jsonIndent(v any, f *pyfmt.JSONForm) {
	switch v := v.(type) {
	case nil:
	case string:
		f.Lines, f.Indent = true, v
	case int64:
		f.Lines, f.Indent = true, strings.Repeat(" ", int(min(max(v, 0), 64)))
	case bool:
		f.Lines, f.Indent = true, strings.Repeat(" ", map[bool]int{true: 1}[v])
	default:
		fail("can't multiply sequence by non-int of type '%s'", jinja.TypeName(v))
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
			f := pyfmt.JSONForm{SortKeys: b.Bool(0, true)}
			jsonIndent(b.Any(1, nil), &f)
			return strings.TrimSpace(dumpJSON(r, v, f))
		},
		"tojson": func(r *jinja.Run, v any, a *jinja.Args) any {
			b := a.Bind("tojson", 0, "indent sort_keys ensure_ascii")
			f := pyfmt.JSONForm{SortKeys: b.Bool(1, false), ASCII: b.Bool(2, true)}
			jsonIndent(b.Any(0, nil), &f)
			out := dumpJSON(r, v, f)
			r.Scratch(2 * len(out))
			return htmlSafe.Replace(out)
		},
		"python":      plain(func(r *jinja.Run, v any) any { return r.Pformat(v) }),
		"xml":         plain(xmlFilter),
		"load_yaml":   plain(loadYAMLFilter),
		"load_json":   plain(loadJSONFilter),
		"load_text":   plain(func(r *jinja.Run, v any) any { return source(v) }),
		"yaml_dquote": plain(func(r *jinja.Run, v any) any { return quoteYAML(r, r.Str(v), false) }),
		"yaml_squote": plain(func(r *jinja.Run, v any) any { return quoteYAML(r, r.Str(v), true) }),
		"yaml_encode": plain(func(r *jinja.Run, v any) any {
			switch v := v.(type) {
			case string:
				return quoteYAML(r, v, false)
			case *jinja.List, *jinja.Dict, jinja.Tuple, *jinja.Set:
				fail("yaml_encode() only works with YAML scalar data; failed for <class '%s'>", jinja.TypeName(v))
			}
			return strings.TrimSpace(dumpYAML(r, v, pyfmt.YAMLForm{Flow: true}))
		}),
	})
}
