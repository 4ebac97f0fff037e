package states

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/value"
)

// Compile errors have Salt's words, and nothing runs.
func TestCompileErrors(t *testing.T) {
	for name, c := range map[string]struct {
		files tree
		sls   string
		want  []string
	}{
		"missing SLS": {tree{}, "no.such.one", []string{"No matching sls found for 'no.such.one' in env 'base'"}},
		"missing include": {
			tree{"base/a.sls": "include: [no.such.sls]\nx:\n  test.good: []\n"},
			"a",
			[]string{"Specified SLS no.such.sls in saltenv base is not available on the salt master or through a configured fileserver"},
		},
		"conflicting IDs": {
			tree{"base/a.sls": "include: [id1, id2]\n", "base/id1.sls": "same:\n  test.good: []\n", "base/id2.sls": "same:\n  test.bad: []\n"},
			"a",
			[]string{"Detected conflicting IDs, SLS IDs need to be globally unique.\n    The conflicting ID is 'same' and is found in SLS 'base:id1' and SLS 'base:id2'"},
		},
		"requisites that need each other": {
			tree{"base/a.sls": "a:\n  test.good:\n  - require: [{test: b}]\nb:\n  test.good:\n  - require: [{test: a}]\n"},
			"a",
			[]string{`A recursive requisite was found, SLS "a" ID "b" ID "a"`},
		},
		"not a dictionary": {tree{"base/a.sls": "b: 5\n"}, "a", []string{"ID b in SLS a is not a dictionary"}},
		"a trailing colon": {tree{"base/a.sls": "b:\n  test.good:\n"}, "a", []string{
			"ID 'b' in SLS 'a' contains a short declaration (test.good) with a trailing colon. When not passing any arguments to a state, the colon must be omitted.",
		}},
		"an ID that is not a string": {tree{"base/a.sls": "5:\n  test.good: []\n"}, "a", []string{
			"ID '5' in SLS 'a' is not formed as a string, but is a int. It may need to be quoted.",
		}},
		"extend of nothing": {tree{"base/a.sls": "extend:\n  nobody:\n    test: [{x: 1}]\nb:\n  test.good: []\n"}, "a", []string{
			"Cannot extend ID 'nobody' in 'base:a'. It is not part of the high state.\nThis is likely due to a missing include statement or an incorrectly typed ID.\n" +
				"Ensure that a state with an ID of 'nobody' is available\nin environment 'base' and to SLS 'a'",
		}},
		"too high up": {tree{"base/a.sls": "include: [....b]\nx:\n  test.good: []\n"}, "a", []string{
			"Attempted relative include of '....b' within SLS 'base:a' goes beyond top level package ",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			out, fns := apply(t, c.files, nil, c.sls)
			if d := cmp.Diff(c.want, out.Errors); d != "" {
				t.Error(d)
			}
			if out.Retcode() != CompileError || len(fns.calls) > 0 {
				t.Errorf("code %d, called %v", out.Retcode(), fns.calls)
			}
		})
	}
}

func TestIncludesThatIncludeEachOtherEnd(t *testing.T) {
	out, fns := apply(t, tree{
		"base/a/init.sls": "include: [.b]\nx:\n  test.good: []\n",
		"base/a/b.sls":    "include: [a]\ny:\n  test.good: []\n",
	}, nil, "a")
	if d := cmp.Diff([]string{"test.good y", "test.good x"}, fns.calls); d != "" || out.Retcode() != Good {
		t.Error(d, out.Errors)
	}
}

func TestAnSLSThatIsTooLargeIsRefused(t *testing.T) {
	out, fns := apply(t, tree{"base/a.sls": strings.Repeat("# much\n", 1000)}, func(o *Options) { o.MaxSLS = 1000 }, "a")
	want := []string{"Rendering SLS 'base:a' failed: a.sls has 7000 bytes; an SLS has at most 1000: split it, or take what is data out of it"}
	if d := cmp.Diff(want, out.Errors); d != "" || len(fns.calls) > 0 {
		t.Error(d, fns.calls)
	}
}

func TestTooManyStatesAreRefused(t *testing.T) {
	r, fns := newRun(t, tree{"base/a.sls": "a:\n  test.good:\n  - names: [b, c, d]\n"}, func(o *Options) { o.MaxChunks = 2 })
	_, err := r.SLS(t.Context(), []string{"a"}, nil)
	if err == nil || !strings.Contains(err.Error(), "more than 2 states") || len(fns.calls) > 0 {
		t.Error(err, fns.calls)
	}
}

func TestOrder(t *testing.T) {
	_, fns := apply(t, tree{"base/a.sls": `
l: {test.good: [{order: last}]}
b: {test.good: []}
f: {test.good: [{order: first}]}
n: {test.good: [{order: 5}]}
c: {test.good: [{require_in: [{test: b}]}]}
`}, nil, "a")
	if d := cmp.Diff([]string{"test.good f", "test.good n", "test.good c", "test.good b", "test.good l"}, fns.calls); d != "" {
		t.Error(d)
	}
}

func TestExclude(t *testing.T) {
	r, fns := newRun(t, tree{
		"base/a.sls": "include: [b]\nexclude: [{id: gone}]\nx: {test.good: []}\ngone: {test.good: []}\n",
		"base/b.sls": "y: {test.good: []}\n",
	}, nil)
	if _, err := r.SLS(t.Context(), []string{"a"}, []any{"b"}); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"test.good x"}, fns.calls); d != "" {
		t.Error(d)
	}
}

func TestTopFile(t *testing.T) {
	files := tree{
		"base/top.sls": "base:\n  'm*':\n  - a\n  'L@m2':\n  - no\n  m1:\n  - match: list\n  - dev: d\ndev:\n  '*': [d2]\n",
		"dev/top.sls":  "dev:\n  '*': [ignored]\n",
		"base/a.sls":   "a: {test.good: []}\n",
		"dev/d.sls":    "d: {test.good: []}\n",
		"dev/d2.sls":   "d2: {test.good: []}\n",
	}
	r, _ := newRun(t, files, nil)
	top, err := r.Top(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.Matches(t.Context(), top)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"base": []any{"a"}, "dev": []any{"d", "d2"}}
	if d := cmp.Diff(want, value.Plain(got)); d != "" {
		t.Error(d)
	}
	r, fns := newRun(t, files, nil)
	out, err := r.Highstate(t.Context(), nil, nil)
	if err != nil || out.Retcode() != Good || len(fns.calls) != 3 {
		t.Error(err, out.Errors, fns.calls)
	}
}

// As in Salt, an entry with an invalid target is ignored.
func TestAWrongTargetIsPassedOver(t *testing.T) {
	for _, entry := range []string{
		"nope: [{match: nodegroup}, b]", "'G@os:Debian and': [{match: compound}, b]", "'%r': [{match: range}, b]", "'(': [{match: pcre}, b]",
	} {
		r, fns := newRun(t, tree{
			"base/top.sls": "base:\n  " + entry + "\n  '*': [a]\n", "base/a.sls": "a: {test.good: []}\n", "base/b.sls": "b: {test.good: []}\n",
		}, nil)
		out, err := r.Highstate(t.Context(), nil, nil)
		if d := cmp.Diff([]string{"test.good a"}, fns.calls); err != nil || d != "" || out.Retcode() != Good {
			t.Errorf("%s: %v %v %s", entry, err, out.Errors, d)
		}
	}
}

func TestTopFileWithoutAMatch(t *testing.T) {
	for name, top := range map[string]string{"nobody": "base: {nobody: [a]}", "broken": "base: ["} {
		r, _ := newRun(t, tree{"base/top.sls": top}, nil)
		out, err := r.Highstate(t.Context(), nil, nil)
		res := out.Results.Map(noStates)
		if err != nil || out.Retcode() != Failure || res.String("comment") != "No Top file or master_tops data matches found. Please see master log for details." {
			t.Errorf("%s: %v, %#v", name, err, res)
		}
	}
}

func TestMalformedTopFile(t *testing.T) {
	r, _ := newRun(t, tree{"base/top.sls": "base: {'*': no.such}"}, nil)
	out, err := r.Highstate(t.Context(), nil, nil)
	want := []string{
		"Malformed topfile: state declarations for matcher '*' in saltenv 'base' are not formed as a list (got str)",
		"No matching sls found for 'no.such' in env 'base'",
	}
	if d := cmp.Diff(want, out.Errors); d != "" || err != nil {
		t.Error(d, err)
	}
}

// Compiling any SLS ends, with chunks or with errors.
func FuzzCompile(f *testing.F) {
	f.Add("a:\n  test.good:\n  - require: [{test: b}]\nb: test.good\n")
	f.Add("include: [a, .b]\nextend: {x: {test: [{require: [{sls: a}]}]}}\nexclude: [b, {id: c}]\n")
	f.Add("x:\n  test.good:\n  - names: [a, {b: [{c: 1}]}]\n  - use_in: [{test: x}]\n  - prereq_in: [x]\n  - listen_in: [{test: x}]\n")
	f.Add("x: {test.good: [{prereq: [{test: y}]}]}\ny: {test.good: [{prereq: [{test: x}]}]}\n")
	f.Add("x: {test.good: [{require: [5, [1], {a: {b: c}}, {}]}, {order: -1}, {umask: x}, {retry: {attempts: 0}}]}\n")
	f.Fuzz(func(t *testing.T, sls string) {
		r, _ := newRun(t, tree{"base/a.sls": sls, "base/top.sls": sls}, nil)
		out, err := r.SLS(t.Context(), []string{"a"}, nil)
		if err == nil && out.Errors == nil && out.Results == nil {
			t.Fatal("neither results nor errors")
		}
		r, _ = newRun(t, tree{"base/top.sls": sls, "base/a.sls": "a: {test.good: []}"}, nil)
		if _, err := r.Highstate(t.Context(), nil, nil); err != nil && !strings.Contains(err.Error(), "") {
			t.Fatal(err)
		}
	})
}
