package render_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/salt/render"
	"github.com/momtree/mom/value"
)

func engine(t testing.TB, o render.Options) *render.Engine {
	t.Helper()
	e, err := render.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func textOf(t *testing.T, e *render.Engine, source string) (string, error) {
	t.Helper()
	return e.Text(t.Context(), render.Template{Source: []byte(source), Vars: value.NewMap()})
}

func refused(t *testing.T, err error, part string) {
	t.Helper()
	var f *render.Error
	if !errors.As(err, &f) || !strings.Contains(err.Error(), part) {
		t.Errorf("%v; want an error with %q", err, part)
	}
}

func TestDeadlineEndsLoops(t *testing.T) {
	e := engine(t, render.Options{Limits: render.Limits{Steps: 1 << 40}})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	source := "{% for a in range(5000) %}{% for b in range(2000) %}{% endfor %}{% endfor %}"
	_, err := e.Text(ctx, render.Template{Source: []byte(source)})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

func TestStepsAreBounded(t *testing.T) {
	e := engine(t, render.Options{Limits: render.Limits{Steps: 1000}})
	for _, source := range []string{
		"{% for a in range(100) %}{% for b in range(100) %}{% endfor %}{% endfor %}",
		"{% for a in range(5000) %}{% endfor %}", // makes one list, whose elements are 312 steps
	} {
		_, err := textOf(t, e, source)
		refused(t, err, "more than 1000 steps")
	}
}

func TestListsThatGrowWhileTheyAreWalked(t *testing.T) {
	e := engine(t, render.Options{Limits: render.Limits{Values: 1000}})
	_, err := textOf(t, e, "{% set l = [1] %}{% for a in l %}{% do l.append(a) %}{% endfor %}")
	refused(t, err, "is more than 1000")
}

func TestTextIsBounded(t *testing.T) {
	e := engine(t, render.Options{Limits: render.Limits{Output: 10000}})
	for _, source := range []string{
		"{{ 'a' * 10001 }}",
		"{{ 'a' * 10**18 }}",
		"{% for a in range(1001) %}0123456789{% endfor %}",
		"{% set x = namespace(s='ab') %}{% for a in range(99) %}{% set x.s = x.s ~ x.s %}{% endfor %}",
		"{% set x = namespace(s='ab') %}{% for a in range(99) %}{% set x.s = x.s + x.s %}{% endfor %}",
		"{{ 'a'.center(10001) }}",
		"{{ ('a' * 5000).replace('a', 'bbb') }}",
		"{{ ('a' * 5000)|regex_replace('a', 'bbb') }}",
	} {
		_, err := textOf(t, e, source)
		refused(t, err, "bytes")
	}
	_, err := textOf(t, e, "{% for a in range(1001) %}0123456789{% endfor %}") // limits apply before the output is one text
	refused(t, err, "the text becomes longer than 10000 bytes")
	// One text that is not printed and is far below the total limit.
	_, err = textOf(t, e, "{% set x = 'a' * 10001 %}")
	refused(t, err, "a text of 10001 bytes is more than 10000")
	_, err = textOf(t, e, "{{ '%99999999d' % 1 }}")
	refused(t, err, "wider than")
	_, err = textOf(t, e, "{{ '{:99999999}'.format(1) }}")
	refused(t, err, "wider than")
}

func TestMemoryIsBounded(t *testing.T) {
	e := engine(t, render.Options{Limits: render.Limits{Memory: 1 << 20}})
	for _, source := range []string{
		"{% set l = [] %}{% for a in range(99) %}{% do l.append('a' * 30000) %}{% endfor %}",
		"{% set l = [] %}{% for a in range(99) %}{% do l.append(('b' * 30000 ~ a)[1:]) %}{% endfor %}",
		"{% set l = [] %}{% for a in range(90000) %}{% do l.append(a) %}{% endfor %}",
		"{% macro m() %}{% for a in range(99) %}{% set x = 'a' * 30000 %}{% endfor %}{% endmacro %}{{ m() }}",
		"{% for a in range(99) %}{{ 'a' * 30000 }}{% endfor %}",
		"{% set d = {} %}{% for a in range(20000) %}{% do d.update({a: 1}) %}{% endfor %}",
		"{{ [1] * 100000 }}",
		"{% set x = namespace(s=[]) %}{% for a in range(99) %}{% set x.s = [x.s, 'a' * 30000] %}{% endfor %}",
		"{% set l = [] %}{% for a in range(99) %}{% do l.append(joiner('a' * 30000 ~ a)) %}{% endfor %}",
		"{% set a = 'x' * 30000 %}{{ ([a] * 60)|join|length }}",
		"{% set l = [] %}{% for a in range(99) %}{% do l.append(cycler('a' * 30000 ~ a).next) %}{% endfor %}",
		"{% set l = [] %}{% for a in range(99) %}{% set t = 'a' * 30000 ~ a %}{% do l.append(t.upper) %}{% endfor %}",
	} {
		_, err := e.Text(t.Context(), render.Template{Source: []byte(source), Path: "web/x.j2", Vars: value.NewMap()})
		refused(t, err, "rendering of web/x.j2 exceeded 1 MiB of memory")
		refused(t, err, "line 1")
	}
	// Dropped values do not count, and a piece does not keep the whole text alive.
	for _, source := range []string{
		"{% for a in range(999) %}{% set x = 'a' * 30000 %}{% endfor %}",
		"{% macro m() %}{{ 'a' * 9000 }}{% endmacro %}{% for a in range(999) %}{% set x = m() %}{% endfor %}",
		"{% set l = [] %}{% for a in range(99) %}{% do l.append(('b' * 30000 ~ a)[-1]) %}{% endfor %}{{ l|join }}",
		"{% set l = [] %}{% for a in range(99) %}{% do l.append(('b' * 30000 ~ ' ' ~ a).split()[1]) %}{% endfor %}{{ l|join }}",
		"{% for a in range(99) %}{% set x %}{{ 'a' * 30000 }}{% endset %}{% endfor %}",
	} {
		if _, err := textOf(t, e, source); err != nil {
			t.Errorf("%s: %v", source, err)
		}
	}
}

func TestListsAreBounded(t *testing.T) {
	e := engine(t, render.Options{Limits: render.Limits{Values: 1000}})
	for _, source := range []string{
		"{{ [1] * 1001 }}",
		"{{ [1] * 10**15 }}",
		"{{ ([1] * 600) + ([1] * 600) }}",
		"{{ range(40)|product(range(40))|list }}",
		"{{ range(20)|permutations(5)|list }}",
		"{{ range(50)|combinations(5)|list }}",
		"{{ '10.0.0.0/8'|network_hosts }}",
		"{{ '2001:db8::/32'|network_hosts }}",
		"{{ [1]|batch(100000, 'x')|list }}",
	} {
		_, err := textOf(t, e, source)
		refused(t, err, "is more than 1000")
	}
}

func TestRangesAreBounded(t *testing.T) {
	e := engine(t, render.Options{})
	for _, source := range []string{"{{ range(10**9) }}", "{% for i in range(10**9) %}{% endfor %}", "{{ range(10**30) }}"} {
		_, err := textOf(t, e, source)
		refused(t, err, "Range too big")
	}
}

func TestNumbersAreBounded(t *testing.T) {
	e := engine(t, render.Options{})
	for _, source := range []string{"{{ 9**(9**9) }}", "{{ 2**10000000 }}", "{% set n = namespace(x=3) %}{% for a in range(99) %}{% set n.x = n.x * n.x %}{% endfor %}"} {
		_, err := textOf(t, e, source)
		refused(t, err, "bits")
	}
}

func TestDepthIsBounded(t *testing.T) {
	loader := files{"loop.j2": "{% include 'loop.j2' %}", "a.j2": "{% import 'b.j2' as b %}", "b.j2": "{% import 'a.j2' as a %}", "ext.j2": "{% extends 'ext.j2' %}"}
	e := engine(t, render.Options{Loader: loader})
	for _, source := range []string{
		"{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
		"{% include 'loop.j2' %}",
		"{% import 'a.j2' as a %}",
		"{% extends 'ext.j2' %}",
		"{% for i in [1] recursive %}{{ loop([1]) }}{% endfor %}",
	} {
		_, err := textOf(t, e, source)
		refused(t, err, "deep")
	}
	for _, source := range []string{
		strings.Repeat("(", 100000),
		"{{ " + strings.Repeat("(", 100000) + "1" + strings.Repeat(")", 100000) + " }}",
		"{{ " + strings.Repeat("[", 100000) + " }}",
		"{{ " + strings.Repeat("-", 100000) + "1 }}",
		"{{ " + strings.Repeat("not ", 100000) + "1 }}",
		strings.Repeat("{% if 1 %}", 100000),
		"{{ 1" + strings.Repeat("+1", 100000) + " }}",
		"{{ x" + strings.Repeat(".y", 100000) + " }}",
		"{{ x" + strings.Repeat("|upper", 100000) + " }}",
	} {
		if _, err := textOf(t, e, source); err == nil && strings.HasPrefix(source, "{") {
			t.Errorf("%.40s… is taken", source)
		}
	}
	_, err := textOf(t, e, "{% set l = [] %}{% do l.append(l) %}{{ l }}")
	refused(t, err, "recursion")
	_, err = textOf(t, e, "{% set l = [] %}{% do l.append(l) %}{{ l|json }}{{ l|yaml }}")
	refused(t, err, "nested")
}

func TestSourcesAreBounded(t *testing.T) {
	e := engine(t, render.Options{Loader: files{"big": strings.Repeat("a", 1001)}, Limits: render.Limits{Source: 1000}})
	_, err := textOf(t, e, strings.Repeat("a", 1001))
	refused(t, err, "more than the 1000")
	_, err = textOf(t, e, "{% include 'big' %}")
	refused(t, err, "more than the 1000")
	_, err = e.SLS(t.Context(), render.Template{Source: []byte(strings.Repeat("a", 1001))}, "yaml")
	refused(t, err, "more than the 1000")
	big := make([]byte, 100<<20)
	for i := range big {
		big[i] = 'a'
	}
	_, err = engine(t, render.Options{}).SLS(t.Context(), render.Template{Source: big}, "")
	refused(t, err, "more than the 16777216")
}

func TestYAMLBombs(t *testing.T) {
	e := engine(t, render.Options{})
	bomb := "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'f'; c++ {
		bomb += string(c) + ": &" + string(c) + " [" + strings.TrimSuffix(strings.Repeat("*"+string(c-1)+",", 10), ",") + "]\n"
	}
	small := engine(t, render.Options{Limits: render.Limits{Values: 1000}})
	_, err := small.SLS(t.Context(), render.Template{Source: []byte(bomb)}, "yaml")
	refused(t, err, "too large")
	_, err = e.SLS(t.Context(), render.Template{Source: []byte("a: " + strings.Repeat("[", 10000))}, "yaml")
	if err == nil {
		t.Error("10000 brackets are taken")
	}
}

func TestRegexesAreBounded(t *testing.T) {
	e := engine(t, render.Options{})
	// 28 characters: 20 seconds of matching without a limit.
	_, err := textOf(t, e, "{{ ('a' * 28 ~ 'b')|regex_match('(a+)+$') }}")
	refused(t, err, "match timeout") // and not the charge for the matching time afterwards
}

func TestPathsStayInTheEnvironment(t *testing.T) {
	asked := &asking{}
	e := engine(t, render.Options{Loader: asked})
	for _, name := range []string{"../x", "../../etc/passwd", "a/../../x", "/etc/passwd", "a\\0b", "./../../x", "salt://../x", "x?saltenv=../y"} {
		_, err := e.SLS(t.Context(), render.Template{Source: []byte("{% include '" + name + "' %}"), SLS: "web", Path: "web/init.sls"}, "jinja")
		if err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	for _, p := range asked.paths {
		if strings.Contains(p, "..") && !strings.HasSuffix(p, "@../y") || strings.HasPrefix(p, "/") || strings.ContainsRune(p, 0) {
			t.Errorf("the loader was asked for %q", p)
		}
	}
}

// asking records the requested paths and has no files.
type asking struct{ paths []string }

func (a *asking) Open(ctx context.Context, env, path string) ([]byte, error) {
	a.paths = append(a.paths, path+"@"+env)
	return files{}.Open(ctx, env, path)
}

func TestTheSandbox(t *testing.T) {
	e := engine(t, render.Options{})
	for _, source := range []string{"{{ ''.__class__ }}", "{{ ''['__class__'] }}", "{{ '{0.__class__}'.format('') }}", "{{ salt.__init__ }}"} {
		_, err := textOf(t, e, source)
		refused(t, err, "")
	}
}

func TestSlicesAreCharged(t *testing.T) {
	e := engine(t, render.Options{Limits: render.Limits{Memory: 2 << 20}})
	_, err := textOf(t, e, "{% set x = [1] * 50000 %}{{ (x[1:], x[1:], x[1:])|length }}")
	refused(t, err, "of memory")
}

// TestPiecesDoNotHoldTheWhole: a template that keeps pieces of large texts uses only the
// memory it counts.
func TestPiecesDoNotHoldTheWhole(t *testing.T) {
	h, e := watchHeap(t), hostileEngine(t)
	source := "{% set l = [] %}{% for a in range(60) %}{% do l.append(('b' * 3000000 ~ a)[-3:]) %}{% do l.append(('b ' * 30000 ~ a).rsplit(none, 1)[1]) %}{% endfor %}{{ l|join }}"
	runtime.GC()
	before := h.look()
	h.peak.Store(before)
	if _, err := e.Text(t.Context(), render.Template{Source: []byte(source), Path: "pieces"}); err != nil {
		t.Fatal(err)
	}
	if held := int64(h.peak.Load()) - int64(before); held > hostilePeak {
		t.Errorf("held %d MiB", held>>20)
	}
}

// TestNumbersAreCharged: a new number counts its size, whatever creates it.
func TestNumbersAreCharged(t *testing.T) {
	e := engine(t, render.Options{Limits: render.Limits{Memory: 8 << 20}})
	for _, made := range []string{"x|abs", "-x", "x+1", "x*2", "x|int + 0"} {
		_, err := textOf(t, e, "{% set x = 7**20000 %}{% set l = [] %}{% for i in range(3000) %}{% do l.append("+made+") %}{% endfor %}")
		t.Log(made)
		refused(t, err, "of memory")
	}
}

// TestPathsAreNoTemplates: a path or name that a function loads is not rendered, and is
// bounded.
func TestPathsAreNoTemplates(t *testing.T) {
	e := engine(t, render.Options{Loader: files{"map.jinja": "{% set m = {'a': 1} %}", `a"b'c.json`: `{"x": 1}`}})
	if got, err := textOf(t, e, "{{ salt['jinja.load_map']('map.jinja', 'm') }} {{ salt['jinja.import_json']('a\"b\\'c.json') }}"); err != nil || got != "{'a': 1} {'x': 1}" {
		t.Errorf("%q, %v", got, err)
	}
	// The usual map of a formula finds its files with tpldir.
	e = engine(t, render.Options{Loader: files{"web/map.jinja": "{% set root = tpldir.split('/')[0] %}{% import_yaml root ~ '/d.yaml' as d %}{% set m = d %}", "web/d.yaml": "a: 1"}})
	if got, err := textOf(t, e, "{{ salt['jinja.load_map']('web/map.jinja', 'm') }}"); err != nil || got != "{'a': 1}" {
		t.Errorf("%q, %v", got, err)
	}
	for _, source := range []string{
		`{{ salt['jinja.import_json']('x" as y %}{{ salt["test.echo"]("ran") }}{% import_json "map.jinja') }}`,
		`{{ salt['jinja.load_map']('map.jinja', 'm %}{{ "ran" }}{% set m = 1') }}`,
		`{{ salt['jinja.load_map']('map.jinja', 'm | length') }}`,
		"{{ salt['jinja.import_yaml']('a' * 5000) }}",
	} {
		if got, err := textOf(t, e, source); err == nil || strings.Contains(got, "ran") {
			t.Errorf("%s: %q, %v", source, got, err)
		}
	}
}
