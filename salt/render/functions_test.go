package render_test

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/salt/render"
	"github.com/momtree/mom/value"
)

// functionFiles are the files that the functions read.
var functionFiles = tree{files{
	"m/map.jinja":     "{% set m = {'b': 1, 'a': [1, 2], 'g': 'm1'} %}",
	"m/d.yaml":        "a: {{ 1+1 }}\nb: [x]\n",
	"m/d.json":        "{\"z\": 1, \"a\": [1.5, null, true]}",
	"m/defaults.yaml": "users: {root: {uid: 0}}\nlst: [1,2]\n",
	"n/defaults.json": "{\"k\": {\"v\": 1}}",
	"m/sub/x.txt":     "x",
	"e/defaults.yaml": "",
	"t.sls":           "a: {{ foo|default('no') }}\nb: {{ saltenv }}\nc: {{ 'm1' }}\n",
	"t.jinja":         "hi {{ name|default('x') }}\n",
}}

// tree is a Loader that lists its files.
type tree struct{ files }

func (t tree) Files(context.Context, string) ([]string, error) {
	return slices.Sorted(maps.Keys(t.files)), nil
}

func (t tree) Folders(context.Context, string) ([]string, error) {
	dirs := map[string]bool{".": true}
	for name := range t.files {
		for d := path.Dir(name); d != "."; d = path.Dir(d) {
			dirs[d] = true
		}
	}
	return slices.Sorted(maps.Keys(dirs)), nil
}

func (t tree) read(ctx context.Context, saltenv, url string, _ int) ([]byte, error) {
	name, ok := strings.CutPrefix(url, "salt://")
	if !ok {
		return nil, &render.Refused{Text: "Path '" + url + "' is not absolute"}
	}
	if _, ok := t.files[name]; !ok {
		return nil, nil
	}
	return t.Open(ctx, saltenv, name)
}

// TestRecordedFunctions compares the built-in functions of templates with results of Salt
// 3006.27.
func TestRecordedFunctions(t *testing.T) {
	data, err := os.ReadFile("testdata/functions.json")
	if err != nil {
		t.Fatal(err)
	}
	var raws []json.RawMessage
	if err := json.Unmarshal(data, &raws); err != nil {
		t.Fatal(err)
	}
	if len(raws) < 100 {
		t.Fatalf("%d cases", len(raws))
	}
	e, err := render.New(render.Options{Loader: functionFiles, Read: functionFiles.read})
	if err != nil {
		t.Fatal(err)
	}
	vars := value.NewMap("grains", value.NewMap("id", "m1"), "opts", value.NewMap("id", "m1"), "pillar", value.NewMap(
		"web", value.NewMap("port", int64(80), "vhosts", []any{value.NewMap("name", "a"), value.NewMap("name", "b")}),
		"users", value.NewMap("zoe", value.NewMap("uid", int64(1)), "adam", value.NewMap("uid", int64(2), "shell", "/bin/zsh")),
		"list1", []any{"a", "b", "c"}, "n", int64(5)))
	for _, rc := range raws {
		c := ordered(t, rc).(*value.Map)
		got, err := e.SLS(t.Context(), render.Template{Source: []byte(c.String("source")), Vars: vars}, "jinja")
		switch want, ok := c.Get("value"); {
		case !ok && err == nil:
			t.Errorf("%s: an error in Salt, here %s", c.String("source"), repr(got))
		case ok && err != nil:
			t.Errorf("%s: %v; want %s", c.String("source"), err, repr(want))
		case ok:
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s: %s", c.String("source"), d)
			}
		}
	}
}

// A file that renders itself ends with an error.
func TestNestedRenderingEnds(t *testing.T) {
	loop := tree{files{"a.sls": "{{ salt['slsutil.renderer']('salt://a.sls') }}"}}
	e, err := render.New(render.Options{Loader: loop, Read: loop.read})
	if err != nil {
		t.Fatal(err)
	}
	_, err = e.SLS(t.Context(), render.Template{Source: []byte(loop.files["a.sls"])}, "jinja|yaml")
	if err == nil || !strings.Contains(err.Error(), "nested more than 100 deep") {
		t.Errorf("%.300v", err)
	}
}
