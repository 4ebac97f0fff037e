package render_test

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/salt/render"
	"github.com/momtree/mom/value"
)

// formFiles are the files that the cases import.
var formFiles = files{
	"inc.j":  "inc {{ x|default('none') }}",
	"lib.j":  "{% macro m(a, b=2) %}[{{ a }}-{{ b }}]{% endmacro %}{% set v = 7 %}",
	"base.j": "<{% block a %}base a{% endblock %}|{% block b %}base b{% endblock %}>",
	"d.yml":  "a: {{ 1+1 }}\nb: [x, y]\n",
	"d.json": "{\"k\": [1, {\"z\": null}]}",
	"t.txt":  "plain {{ text }}",
}

// TestForms compares every filter, test, tag and form of YAML with the result of Salt
// 3006.27 (Python 3.11, Jinja 3.1.2, PyYAML 6.0): a value, or any error.
func TestForms(t *testing.T) {
	data, err := os.ReadFile("testdata/forms.json")
	if err != nil {
		t.Fatal(err)
	}
	var raws []json.RawMessage
	if err := json.Unmarshal(data, &raws); err != nil {
		t.Fatal(err)
	}
	if len(raws) < 800 {
		t.Fatalf("%d cases", len(raws))
	}
	e, err := render.New(render.Options{Loader: formFiles})
	if err != nil {
		t.Fatal(err)
	}
	vars := value.NewMap("pillar", value.NewMap(
		"web", value.NewMap("port", int64(80), "vhosts", []any{value.NewMap("name", "a"), value.NewMap("name", "b")}),
		"users", value.NewMap("zoe", value.NewMap("uid", int64(1)), "adam", value.NewMap("uid", int64(2), "shell", "/bin/zsh")),
		"list1", []any{"a", "b", "c"}, "n", int64(5)), "opts", value.NewMap("test", false))
	for _, rc := range raws {
		c := ordered(t, rc).(*value.Map)
		got, err := e.SLS(t.Context(), render.Template{Source: []byte(c.String("source")), Saltenv: "base", Path: "case.sls", Vars: vars}, c.String("pipe"))
		switch want, ok := c.Get("value"); {
		case !ok && err == nil:
			t.Errorf("%q: an error in Salt, here %s", c.String("source"), repr(got))
		case ok && err != nil:
			t.Errorf("%q: %v; want %s", c.String("source"), err, repr(form(want)))
		case ok:
			if d := cmp.Diff(repr(form(want)), repr(got)); d != "" {
				t.Errorf("%q: %s", c.String("source"), d)
			}
		}
	}
}

// form is shown for the additional types of this corpus: integers beyond 64 bits, bytes and
// tuples.
func form(v any) any {
	switch v := v.(type) {
	case []any:
		for i, e := range v {
			v[i] = form(e)
		}
		return v
	case *value.Map:
		if n, ok := v.Get("$int"); ok {
			return raw(n.(string))
		}
		if b, ok := v.Get("$bytes"); ok {
			text, err := hex.DecodeString(b.(string))
			if err != nil {
				panic(err)
			}
			return string(text)
		}
		if l, ok := v.Get("$tuple"); ok {
			return form(l)
		}
		if v.Has("$float") {
			return shown(v)
		}
		out := value.NewMap()
		for _, p := range v.List("$map") {
			k := form(p.([]any)[0])
			out.Set(k, form(p.([]any)[1]))
		}
		return out
	}
	return v
}
