package render_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/salt/render"
	"github.com/momtree/mom/value"
)

// fns are Functions for tests.
type fns struct{}

func (fns) Has(name string) bool { return strings.HasPrefix(name, "t.") }

func (fns) Call(_ context.Context, name string, args []any, kwargs *value.Map) (any, error) {
	switch name {
	case "t.echo":
		return value.NewMap("args", args, "kwargs", kwargs), nil
	case "t.refuse":
		return nil, &render.Refused{Text: "not like this"}
	case "t.fail":
		return nil, errors.New("broken")
	}
	return nil, fmt.Errorf("%s: %w", name, render.ErrNoFunction)
}

func TestFunctions(t *testing.T) {
	e := engine(t, render.Options{Functions: fns{}})
	for source, want := range map[string]string{
		"{{ salt['t.echo'](1, 'a', k=[(1,)]) }}": "{'args': [1, 'a'], 'kwargs': {'k': [[1]]}}",
		"{{ salt.t.echo() }}":                    "{'args': [], 'kwargs': {}}",
		"{{ 't.echo' in salt }} {{ 'x.y' in salt }} {{ salt['x.y'] is defined }}": "True False False",
		"{{ salt.get('x.y', 'no') }}":                          "no",
		"{{ salt['t.echo'](salt['t.echo'](1)).args[0].args }}": "[1]",
		"{% set f = salt['t.echo'] %}{{ f(2).args }}":          "[2]",
	} {
		got, err := textOf(t, e, source)
		if err != nil || got != want {
			t.Errorf("%s: %q, %v", source, got, err)
		}
	}
	for source, want := range map[string]string{
		"a\n{{ salt['t.refuse']() }}": "Problem running salt function in Jinja template: not like this; line 2\n\n---\na\n{{ salt['t.refuse']() }}    <======================\n---",
		"{{ salt['t.fail']() }}":      "Jinja error: broken; line 1\n\n---\n{{ salt['t.fail']() }}    <======================\n---",
		"{{ salt['t.gone']() }}":      "Jinja variable 'salt.utils.templates.AliasedLoader object' has no attribute 't.gone'; line 1\n\n---\n{{ salt['t.gone']() }}    <======================\n---",
		"{{ salt['x.y']() }}":         "Jinja variable 'salt.utils.templates.AliasedLoader object' has no attribute 'x.y'; line 1\n\n---\n{{ salt['x.y']() }}    <======================\n---",
	} {
		_, err := textOf(t, e, source)
		if err == nil || err.Error() != want {
			t.Errorf("%s\n%v", source, err)
		}
	}
	if _, err := textOf(t, e, "{{ salt['t.gone']() }}"); !errors.Is(err, render.ErrNoFunction) {
		t.Error("ErrNoFunction is lost")
	}
	if _, err := textOf(t, e, "{{ salt['t.echo'](nope) }}"); err == nil {
		t.Error("an undefined argument is taken")
	}
}

func TestTemplateFunctionsGoFirst(t *testing.T) {
	e := engine(t, render.Options{})
	got, err := e.Text(t.Context(), render.Template{Source: []byte("{{ salt['t.echo'](1).args }}"), Functions: fns{}})
	if err != nil || got != "[1]" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestVariables(t *testing.T) {
	e := engine(t, render.Options{})
	got, err := e.Text(t.Context(), render.Template{
		Source: []byte("{{ a }}{{ b }}{{ c }}{{ saltenv }}{{ sls is defined }}{{ tag }}"), Saltenv: "dev",
		Vars: value.NewMap("a", 1, "b", 1, "c", 1, "tag", "x"), Defaults: value.NewMap("b", 2, "c", 2), Context: value.NewMap("c", 3),
	})
	if err != nil || got != "123devFalsex" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestWhatATemplateChangesStaysInside(t *testing.T) {
	e := engine(t, render.Options{})
	pillar := value.NewMap("l", []any{int64(1)}, "d", value.NewMap("a", []any{value.NewMap()}))
	source := "{% do pillar.l.append(2) %}{% do pillar.d.update(x=1) %}{% do pillar.d.a[0].update(y=1) %}{{ pillar }}"
	got, err := e.Text(t.Context(), render.Template{Source: []byte(source), Vars: value.NewMap("pillar", pillar)})
	if err != nil || got != "{'l': [1, 2], 'd': {'a': [{'y': 1}], 'x': 1}}" {
		t.Errorf("%q, %v", got, err)
	}
	want := value.NewMap("l", []any{int64(1)}, "d", value.NewMap("a", []any{value.NewMap()}))
	if d := cmp.Diff(fmt.Sprintf("%#v", want), fmt.Sprintf("%#v", pillar)); d != "" {
		t.Error(d)
	}
}

func TestPipes(t *testing.T) {
	e := engine(t, render.Options{})
	for _, pipe := range []string{"py", "jinja|py", "mako|yaml", "yamlex", "jinja|yaml|stateconf", "", "jinja|"} {
		if err := render.CheckPipe(pipe); err == nil || !strings.Contains(err.Error(), "is not available") {
			t.Errorf("%q: %v", pipe, err)
		}
	}
	for _, pipe := range []string{"yaml", "jinja|yaml", "jinja | json", "yaml|gpg", "yaml_jinja", "jinja -s|yaml"} {
		if err := render.CheckPipe(pipe); err != nil {
			t.Errorf("%q: %v", pipe, err)
		}
	}
	_, err := e.SLS(t.Context(), render.Template{Source: []byte("#!py\ndef run(): return {}\n")}, "")
	refused(t, err, `The renderer "py" of "py" is not available`)
	_, err = e.SLS(t.Context(), render.Template{Source: []byte("a: 1\n")}, "yaml|jinja")
	refused(t, err, "takes text")
	_, err = e.SLS(t.Context(), render.Template{Source: []byte("a: 1\n")}, "jinja x|yaml")
	refused(t, err, "Unknown renderer option")
}

func TestUnknownSettings(t *testing.T) {
	for _, env := range []*value.Map{value.NewMap("trim_block", true), value.NewMap("trim_blocks", 1), value.NewMap("block_start_string", "")} {
		if _, err := render.New(render.Options{Env: env}); err == nil {
			t.Errorf("%#v is taken", env)
		}
	}
}

func TestFaultsInImportedFiles(t *testing.T) {
	e := engine(t, render.Options{Loader: files{"err.j2": "{% macro bad() %}\n{{ nope.x }}\n{% endmacro %}\n"}})
	_, err := e.SLS(t.Context(), render.Template{Source: []byte("{% from 'err.j2' import bad %}\n{{ bad() }}"), SLS: "web", Path: "web.sls"}, "jinja")
	want := "Jinja variable 'nope' is undefined\nerr.j2(2):\n---\n{% macro bad() %}\n{{ nope.x }}    <======================\n{% endmacro %}\n---"
	if err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
}

func TestAtTheSameTime(t *testing.T) {
	e := engine(t, render.Options{Loader: files{"m.j2": "{% set x = [] %}{% do x.append(1) %}"}})
	vars := value.NewMap("pillar", value.NewMap("l", []any{int64(1)}, "d", value.NewMap("k", "v")))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				tmpl := render.Template{Source: []byte("{% from 'm.j2' import x %}a: {{ x }}\nb: {{ pillar.d.k }}{{ pillar.l }}\n"), Vars: vars, SLS: "a", Path: "a.sls"}
				if _, err := e.SLS(t.Context(), tmpl, ""); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}
