package jinja_test

import (
	"context"
	"errors"
	"testing"

	"github.com/momtree/mom/salt/jinja"
	"github.com/momtree/mom/value"
)

func render(t *testing.T, source string, vars map[string]any) (string, error) {
	t.Helper()
	tmpl, err := jinja.NewEnvironment().Parse("", source)
	if err != nil {
		return "", err
	}
	return tmpl.Render(t.Context(), jinja.Start{Vars: vars})
}

func TestRender(t *testing.T) {
	vars := map[string]any{
		"m": value.NewMap("b", 1, "a", []any{uint64(1) << 63, []byte("x"), 1.5}),
		"s": []string{"x"}, "f": &jinja.Func{Name: "f", Call: func(_ *jinja.Run, a *jinja.Args) any { return a.Keywords() }},
	}
	for source, want := range map[string]string{
		"{{ m }}{{ s }}":                      "{'b': 1, 'a': [9223372036854775808, b'x', 1.5]}['x']",
		"{{ f(a=1, b=2) }}":                   "{'a': 1, 'b': 2}",
		"{{ m.a[0] + 1 }}":                    "9223372036854775809",
		"{% for k in m %}{{ k }}{% endfor %}": "ba",
	} {
		got, err := render(t, source, vars)
		if err != nil || got != want {
			t.Errorf("%s: %q, %v", source, got, err)
		}
	}
}

func TestErrorsKnowTheirLine(t *testing.T) {
	_, err := render(t, "a\n\n{{ nope }}", nil)
	var e *jinja.Error
	if !errors.As(err, &e) || e.Kind != jinja.KindUndefined || e.Line != 3 || e.Text != "'nope' is undefined" {
		t.Errorf("%#v", err)
	}
	if err.Error() != "'nope' is undefined; line 3" {
		t.Error(err)
	}
}

func TestGive(t *testing.T) {
	for _, v := range []any{&jinja.Func{}, &jinja.Undefined{}, jinja.NewList(&jinja.Func{})} {
		if out, err := jinja.Detached(t.Context(), jinja.DefaultLimits(), "").Give(v); err == nil {
			t.Errorf("%T gives %v", v, out)
		}
	}
	out, err := jinja.Detached(t.Context(), jinja.DefaultLimits(), "").Give(jinja.NewDict("a", jinja.Tuple{int64(1), jinja.Bytes("b")}))
	if err != nil || out.(*value.Map).List("a")[0] != int64(1) {
		t.Errorf("%v, %v", out, err)
	}
}

func TestContextThatIsOver(t *testing.T) {
	tmpl, err := jinja.NewEnvironment().Parse("", "a")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tmpl.Render(ctx, jinja.Start{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// FuzzParse: parsing any source gives a template or an error with a line.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"{{ a }}", "{% if a %}{% endif %}", "{# #}", "{% raw %}x{% endraw -%}", "{{ 'a\\n' ~ 1.5e3 }}", "{% set a, (b, c) = 1 %}", "{{ a[1:2:3] }}", "# for\n"} {
		f.Add(s)
	}
	envs := []*jinja.Environment{jinja.NewEnvironment(), jinja.NewEnvironment()}
	envs[1].Syntax = jinja.Syntax{TrimBlocks: true, LstripBlocks: true, LineStatement: "#", LineComment: "##", KeepTrailingLine: true}
	f.Fuzz(func(t *testing.T, source string) {
		for _, env := range envs {
			_, err := env.Parse("", source)
			var e *jinja.Error
			if err != nil && (!errors.As(err, &e) || e.Line < 1) {
				t.Errorf("%#v", err)
			}
		}
	})
}
