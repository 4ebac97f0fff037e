package render_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/momtree/mom/salt/render"
	"github.com/momtree/mom/value"
)

// FuzzSLS: any file renders to a value or an error, in time.
func FuzzSLS(f *testing.F) {
	for _, s := range []string{
		"{{ 1 }}", "{% for i in range(9) %}{{ loop.index }}{% endfor %}", "{{ grains|yaml }}", "a: {{ 'x'|regex_replace('(x)', '\\1') }}",
		"{% macro m(a=1) %}{{ a }}{% endmacro %}{{ m() }}", "{{ '%s' % 1 }}{{ '{:>5}'.format(2) }}", "{% set x = [1,2][::-1] %}", "{% load_yaml as x %}a: 1{% endload %}",
		"{{ {'a': [1, {'b': 2}]}|json }}", "#!json\n{}", "{% raw %}{% endraw %}", "{{ 9**99 // 7 % 3 }}", "a: &x [1]\nb: *x\n", "{{ 'a-b c'|title|wordwrap(2)|indent }}",
		"{% import 'x' as y with context %}", "{{ [[1,2]]|xml }}", "{{ '1.2.3.4/8'|ipaddr }}", "{%- call(x) m() -%}{% endcall %}", "{{ 'x'|center(9)|truncate(3,true,'',0) }}",
	} {
		f.Add(s)
	}
	e, err := render.New(render.Options{
		Loader: files{"x": "{% set a = 1 %}", "y": "{% include 'x' %}"},
		Limits: render.Limits{Source: 1 << 16, Output: 1 << 18, Values: 5000, Depth: 20, Steps: 20000},
	})
	if err != nil {
		f.Fatal(err)
	}
	vars := value.NewMap("grains", value.NewMap("os", "x", "l", []any{int64(1), 2.5, nil, "a"}), "pillar", value.NewMap("a", value.NewMap()))
	f.Fuzz(func(t *testing.T, source string) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		start := time.Now()
		_, err := e.SLS(ctx, render.Template{Source: []byte(source), SLS: "a", Path: "a.sls", Vars: vars}, "")
		var known *render.Error
		if err != nil && !errors.As(err, &known) {
			t.Errorf("%T: %v", err, err)
		}
		if d := time.Since(start); d > 20*time.Second {
			t.Errorf("took %v", d)
		}
	})
}
