package functions

import (
	"fmt"
	"strings"

	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/salt/render"
	"github.com/momtree/mom/value"
)

// form is one serializer of file.serialize.
type form struct {
	name    string
	json    render.JSONForm
	unicode bool // write characters beyond ASCII unescaped
	// read parses a file; nil if the form does not support merging.
	read  func(text string) (any, error)
	print func(f form, v any) (string, error)
}

var forms = map[string]form{
	"yaml": {
		name: "yaml",
		read: func(text string) (any, error) { return pyfmt.ReadYAML([]byte(text)) },
		print: func(f form, v any) (string, error) {
			return strings.TrimSuffix(pyfmt.YAML(v, pyfmt.YAMLForm{ASCII: !f.unicode}), "\n"), nil
		},
	},
	"json": {
		name:  "json",
		json:  render.JSONForm{Indent: 2, SortKeys: true},
		read:  render.LoadJSON,
		print: func(f form, v any) (string, error) { return render.JSON(v, f.json) },
	},
	"python":       {name: "python", print: func(_ form, v any) (string, error) { return pyfmt.Pretty(v, 1), nil }},
	"configparser": {name: "configparser", print: func(_ form, v any) (string, error) { return iniText(v) }},
}

// write serializes a value without a final line end.
func (f form) write(v any) (string, error) { return f.print(f, v) }

// options sets the options of a state and returns a message about unsupported ones, else
// "".
func (f *form) options(opts *value.Map) (msg string) {
	opts.Range(func(k, v any) bool {
		name := pystr(k)
		_, isBool := v.(bool)
		n, isNumber := v.(int64)
		ok := false
		switch f.name + "." + name {
		case "json.indent":
			f.json.Indent, ok = int(n), isNumber && n >= 0 && n <= 64
		case "json.sort_keys":
			f.json.SortKeys, ok = v == true, isBool
		case "json.ensure_ascii":
			f.json.ASCII, ok = v == true, isBool
		case "yaml.allow_unicode":
			f.unicode, ok = v == true, isBool
		case "yaml.default_flow_style":
			ok = v == false
		}
		if !ok {
			msg = fmt.Sprintf("The option %s: %s of the %s serializer is not supported by this minion: leave it out", name, pyfmt.Repr(v), f.name)
		}
		return ok
	})
	return msg
}

// iniText writes sections as configparser does. Keys are in lower case, and a percent sign
// has to be doubled.
func iniText(v any) (string, error) {
	all, ok := v.(*value.Map)
	if !ok {
		return "", fmt.Errorf("configparser can only serialize dictionaries, not %s", typeName(v))
	}
	var head, body strings.Builder
	var fault error
	all.Range(func(k, v any) bool {
		name := pystr(k)
		section, ok := v.(*value.Map)
		if !ok || strings.ContainsAny(name, "\n]") {
			fault = fmt.Errorf("section %s of the dataset has to be a map, with a name on one line and without brackets", name)
			return false
		}
		out := &body
		if name == "DEFAULT" {
			out = &head
		}
		fmt.Fprintf(out, "[%s]\n", name)
		fault = iniLines(out, section)
		out.WriteString("\n")
		return fault == nil
	})
	return head.String() + body.String(), fault
}

func iniLines(out *strings.Builder, section *value.Map) (fault error) {
	lines := value.NewMap()
	section.Range(func(k, v any) bool {
		key := strings.ToLower(pystr(k))
		text := pystr(v)
		switch at := strings.Index(strings.ReplaceAll(text, "%%", ""), "%"); {
		case v == nil:
			fault = fmt.Errorf("option values must be strings: that of %s is not", key)
		case at >= 0:
			fault = fmt.Errorf("invalid interpolation syntax in %s at position %d", pyfmt.Repr(text), strings.Index(text, "%"))
		case strings.ContainsAny(key, "\n=:"):
			fault = fmt.Errorf("key %s of the dataset cannot be read back: it contains a line end, = or :", pyfmt.Repr(key))
		}
		lines.Set(key, text)
		return fault == nil
	})
	lines.Range(func(k, v any) bool {
		fmt.Fprintf(out, "%s = %s\n", k, strings.ReplaceAll(pystr(v), "\n", "\n\t"))
		return true
	})
	return fault
}
