package pillar

import (
	"strings"
	"testing"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/value"
)

const topAB = `{base: {'*': [a, b]}}`

// Results match those of real Salt masters for the same inputs.
func TestCompile_AsSalt(t *testing.T) {
	strict := func(c *config.Master) { c.PillarSafeRenderError = false }
	for name, c := range map[string]struct {
		files  map[string]string
		change func(*config.Master)
		ask    func(*Request)
		want   string
	}{
		"smart": {
			files: map[string]string{"top.sls": topAB, "a.sls": "x: {l: [1], d: {k: a, only_a: 1}, s: a}", "b.sls": "x: {l: [2], d: {k: b}, s: b}"},
			want:  `{"x": {"l": [2], "d": {"k": "b", "only_a": 1}, "s": "b"}}`,
		},
		"lists are merged": {
			files:  map[string]string{"top.sls": topAB, "a.sls": "x: {l: [1], d: {k: a, only_a: 1}, s: a}", "b.sls": "x: {l: [2, 1], d: {k: b}, s: b}"},
			change: func(c *config.Master) { c.PillarMergeLists = true },
			want:   `{"x": {"l": [1, 2], "d": {"k": "b", "only_a": 1}, "s": "b"}}`,
		},
		"overwrite": {
			files:  map[string]string{"top.sls": topAB, "a.sls": "x: {l: [1], d: {k: a, only_a: 1}, s: a}", "b.sls": "x: {l: [2], d: {k: b}, s: b}"},
			change: func(c *config.Master) { c.PillarSourceMergingStrategy = "overwrite" },
			want:   `{"x": {"l": [2], "d": {"k": "b"}, "s": "b"}}`,
		},
		"dict then scalar": {files: map[string]string{"top.sls": topAB, "a.sls": "x: {a: 1}", "b.sls": "x: 5"}, want: `{"x": 5}`},
		"scalar then dict": {files: map[string]string{"top.sls": topAB, "a.sls": "x: 5", "b.sls": "x: {a: 1}"}, want: `{"x": {"a": 1}}`},
		"later null":       {files: map[string]string{"top.sls": topAB, "a.sls": "{x: {a: 1}, y: 1}", "b.sls": "{x: null, y: null}"}, want: `{"x": null, "y": null}`},
		"include with key and defaults": {
			files: map[string]string{"top.sls": "{base: {'*': [a]}}", "a.sls": "include: [{b: {key: 'nested:deep', defaults: {who: jo}}}]\ns: a\n", "b.sls": "from_b: \"{{ who }}\"\ns: b\n"},
			want:  `{"nested": {"deep": {"from_b": "jo", "s": "b"}}, "s": "a"}`,
		},
		"the includer wins": {
			files: map[string]string{"top.sls": "{base: {'*': [a]}}", "a.sls": "{include: [c], s: a}", "c.sls": "{s: c, c: 1}"},
			want:  `{"s": "a", "c": 1}`,
		},
		"the included wins": {
			files:  map[string]string{"top.sls": "{base: {'*': [a]}}", "a.sls": "{include: [c], s: a}", "c.sls": "{s: c, c: 1}"},
			change: func(c *config.Master) { c.PillarIncludesOverrideSls = true },
			want:   `{"s": "c", "c": 1}`,
		},
		"relative and globbed includes": {
			files: map[string]string{
				"top.sls": "{base: {'*': [a]}}", "a.sls": "{include: [w, 'g.*']}", "w/init.sls": "{include: [.sub], w: 1}", "w/sub.sls": "sub: 1",
				"g/one.sls": "g1: 1", "g/two.sls": "g2: 1",
			},
			want: `{"sub": 1, "w": 1, "g1": 1, "g2": 1}`,
		},
		"include is not a list": {
			files: map[string]string{"top.sls": "{base: {'*': [a]}}", "a.sls": "{include: nope, s: a}"},
			want:  `{"include": "nope", "s": "a", "_errors": ["Include Declaration in SLS 'a' is not formed as a list"]}`,
		},
		"a missing SLS": {
			files: map[string]string{"top.sls": "{base: {'*': [a, nope]}}", "a.sls": "s: a"},
			want:  `{"s": "a", "_errors": ["Specified SLS 'nope' in environment 'base' is not available on the salt master"]}`,
		},
		"ignore_missing": {files: map[string]string{"top.sls": "{base: {'*': [a, nope, {ignore_missing: true}]}}", "a.sls": "s: a"}, want: `{"s": "a"}`},
		"not rendered": {
			files: map[string]string{"top.sls": topAB, "a.sls": "{{ nope.x }}", "b.sls": "s: b"},
			want:  `{"s": "b", "_errors": ["Rendering SLS 'a' failed. Please see master log for details."]}`,
		},
		"not rendered, with the reason": {
			files: map[string]string{"top.sls": topAB, "a.sls": "{{ nope.x }}", "b.sls": "s: b"}, change: strict,
			want: `{"s": "b", "_errors": ["Rendering SLS 'a' failed, render error:\nJinja variable 'nope' is undefined; line 1\n\n---\n{{ nope.x }}    <======================\n---"]}`,
		},
		"a list": {
			files: map[string]string{"top.sls": topAB, "a.sls": "[1]", "b.sls": "s: b"},
			want:  `{"s": "b", "_errors": ["SLS 'a' does not render to a dictionary"]}`,
		},
		"a key twice": {
			files: map[string]string{"top.sls": topAB, "a.sls": "x: 1\nx: 2\n", "b.sls": "s: b"},
			want:  `{"s": "b", "_errors": ["Rendering SLS 'a' failed. Please see master log for details."]}`,
		},
		"no top file": {files: map[string]string{"a.sls": "s: a"}, want: `{}`},
		"the top does not render": {
			files: map[string]string{"top.sls": "{{ nope.x }}"},
			want:  `{"_errors": ["Rendering Primary Top file failed, render error:\nJinja variable 'nope' is undefined; line 1\n\n---\n{{ nope.x }}    <======================\n---"]}`,
		},
		"a plain string": {files: map[string]string{"top.sls": "{base: {'*': a}}", "a.sls": "s: a"}, want: `{"s": "a"}`},
		"an unknown environment": {
			files: map[string]string{"top.sls": "{base: {'*': [a]}, qa: {'*': [a]}}", "a.sls": "s: a"},
			want:  `{"s": "a", "_errors": ["No matching pillar environment for environment 'qa' found"]}`,
		},
		"two environments": {
			files: map[string]string{"top.sls": topAB, "a.sls": "s: a", "b.sls": "b: 1", "/dev/top.sls": "{dev: {'*': [d]}}", "/dev/d.sls": "{s: dev, d: 1}"}, change: dev,
			want: `{"s": "dev", "b": 1, "d": 1}`,
		},
		"pillarenv": {
			files: map[string]string{"top.sls": topAB, "a.sls": "s: a", "b.sls": "b: 1", "/dev/top.sls": "{dev: {'*': [d]}}", "/dev/d.sls": "{s: dev, d: 1}"}, change: dev,
			ask:  func(r *Request) { r.Pillarenv = "dev" },
			want: `{"s": "dev", "d": 1}`,
		},
		"saltenv alone": {
			files: map[string]string{"top.sls": "{base: {'*': [a]}}", "a.sls": "s: a", "/dev/top.sls": "{dev: {'*': [d]}}", "/dev/d.sls": "d: 1"}, change: dev,
			ask:  func(r *Request) { r.Saltenv = "dev" },
			want: `{"s": "a", "d": 1}`,
		},
		"pillarenv_from_saltenv": {
			files:  map[string]string{"top.sls": "{base: {'*': [a]}}", "a.sls": "s: a", "/dev/top.sls": "{dev: {'*': [d]}}", "/dev/d.sls": "d: 1"},
			change: func(c *config.Master) { dev(c); c.PillarenvFromSaltenv = true },
			ask:    func(r *Request) { r.Saltenv = "dev" },
			want:   `{"d": 1}`,
		},
		"env_order": {
			files:  map[string]string{"top.sls": topAB, "a.sls": "s: a", "b.sls": "b: 1", "/dev/top.sls": "{dev: {'*': [d]}}", "/dev/d.sls": "{s: dev, d: 1}"},
			change: func(c *config.Master) { dev(c); c.EnvOrder = []string{"dev", "base"} },
			want:   `{"s": "a", "d": 1, "b": 1}`,
		},
		"strategy none": {
			files:  map[string]string{"top.sls": "{base: {'*': [a]}}", "a.sls": "s: a", "/dev/top.sls": "{dev: {'*': [d]}}", "/dev/d.sls": "d: 1"},
			change: func(c *config.Master) { dev(c); c.PillarSourceMergingStrategy = "none" },
			want:   `{"s": "a"}`,
		},
		"override": {
			files: map[string]string{"top.sls": "{base: {'*': [b]}}", "b.sls": "p: \"{{ pillar.get('x') }}\"\nx: file\n"},
			ask:   func(r *Request) { r.Override = value.NewMap("x", "cli") },
			want:  `{"x": "cli", "p": "None"}`,
		},
		"ext_pillar": {
			files: map[string]string{"top.sls": topAB, "a.sls": "s: a", "b.sls": "b: 1"},
			change: func(c *config.Master) {
				c.ExtPillar = []any{map[string]any{"cmd_yaml": "printf 's: ext1\\nk: 1'"}, map[string]any{"cmd_yaml": "echo 'k: 2'"}}
			},
			want: `{"s": "ext1", "b": 1, "k": 2}`,
		},
		"ext_pillar_first": {
			files: map[string]string{"top.sls": topAB, "a.sls": "s: a\nseen: \"{{ pillar.get(\"k\") }}\"", "b.sls": "b: 1"},
			change: func(c *config.Master) {
				c.ExtPillarFirst, c.ExtPillar = true, []any{map[string]any{"cmd_yaml": "printf 's: ext1\\nk: 1'"}}
			},
			want: `{"s": "a", "k": 1, "seen": "1", "b": 1}`,
		},
		"ext_pillar is not a list": {
			files:  map[string]string{"top.sls": topAB, "a.sls": "s: a", "b.sls": "b: 1"},
			change: func(c *config.Master) { c.ExtPillar = map[string]any{"cmd_yaml": "x"} },
			want:   `{"s": "a", "b": 1, "_errors": ["The \"ext_pillar\" option is malformed"]}`,
		},
		"order": {
			files: map[string]string{"top.sls": "{base: {'m1': [a, {order: 2}], '*': [b, {order: 1}]}}", "a.sls": "s: a", "b.sls": "s: b"},
			want:  `{"s": "a"}`,
		},
		"an include in a top": {
			files: map[string]string{"top.sls": "{include: [more], base: {'*': [a]}}", "more.sls": "{base: {'m1': [b]}}", "a.sls": "a: 1", "b.sls": "b: 1"},
			want:  `{"a": 1, "b": 1}`,
		},
		"globbed SLS of the top": {
			files: map[string]string{"top.sls": "{base: {'*': ['g.*']}}", "g/one.sls": "g1: 1", "g/two.sls": "g2: 1"},
			want:  `{"g1": 1, "g2": 1}`,
		},
		"a target without a list": {
			files: map[string]string{"top.sls": "base:\n  '*':\n", "a.sls": "s: a"},
			want:  `{"_errors": ["Error encountered while rendering pillar top file."]}`,
		},
		"imports": {
			files: map[string]string{"top.sls": "{base: {'*': [a]}}", "a.sls": "{% import_yaml 'data.yaml' as d %}v: {{ d.v }}\n", "data.yaml": "v: 7"},
			want:  `{"v": 7}`,
		},
		"grains": {
			files: map[string]string{"top.sls": "{base: {'*': [a]}}", "a.sls": "role: {{ grains['role'] }}\nid: {{ opts.id }} {{ sls }}\n"},
			want:  `{"role": "web", "id": "m1 a"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			change, ask := c.change, c.ask
			if change == nil {
				change = func(*config.Master) {}
			}
			if ask == nil {
				ask = func(*Request) {}
			}
			r := newRig(t, c.files, change)
			r.want(name, r.get(ask), c.want)
		})
	}
}

// Each type of target: the SLS is in the pillar or not, as in Salt.
func TestTop_Matches(t *testing.T) {
	for _, c := range []struct {
		target, kind string
		hit          bool
	}{
		{"m*", "glob", true},
		{"n*", "glob", false},
		{"role:web", "grain", true},
		{"role:w.b", "grain_pcre", true},
		{"role:db", "grain", false},
		{"G@role:web and m1", "compound", true},
		{"not m1", "compound", false},
		{"m[0-9]", "pcre", true},
		{"a,m1", "list", true},
		{"webs", "nodegroup", true},
		{"none", "nodegroup", false},
		{"role:web", "pillar", false},
		{"10.0.0.0/8", "ipcidr", false},
		{"G@role:web", "", true},
	} {
		match := "[hit, {match: " + c.kind + "}]"
		if c.kind == "" {
			match = "[hit]"
		}
		r := newRig(t, map[string]string{"top.sls": "base:\n  '" + c.target + "': " + match + "\n", "hit.sls": "hit: 1"}, func(m *config.Master) {
			m.Nodegroups = map[string]any{"webs": "G@role:web"}
		})
		p := r.get()
		if p.Has("hit") != c.hit || p.Has("_errors") {
			t.Errorf("%s %s: %v", c.kind, c.target, asJSON(t, p))
		}
	}
	r := newRig(t, map[string]string{"top.sls": "{base: {'x': [hit, {match: data}], '*': [a]}}", "hit.sls": "hit: 1", "a.sls": "a: 1"})
	if p := r.get(); p.Has("hit") || !p.Has("a") || !strings.Contains(asJSON(t, p), "is no target type") {
		t.Errorf("an unknown kind: %s", asJSON(t, p))
	}
}

// Log messages name the minion and the file, and include what the minion is not shown.
func TestCompile_Log(t *testing.T) {
	r := newRig(t, map[string]string{"top.sls": "{base: {'*': [w]}}", "w/init.sls": "a: 1\nb: {{ nope.x }}\n"})
	r.want("the pillar", r.get(), `{"_errors": ["Rendering SLS 'w' failed. Please see master log for details."]}`)
	for _, want := range []string{"minion=m1", "path=w/init.sls", "'nope' is undefined; line 2"} {
		if !strings.Contains(r.log.text(), want) {
			t.Errorf("the log lacks %q: %s", want, r.log.text())
		}
	}
}
