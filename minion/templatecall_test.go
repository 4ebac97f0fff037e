package minion

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/value"
)

// Templates on a minion read absolute paths, know the options of their run and call functions
// that need this host; the expected values are those of Salt 3006.27.
func TestTemplateFunctions(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{})
	cfg := testConfig(t, m)
	cfg.FileClient = "local"
	root := t.TempDir()
	cfg.FileRoots = map[string]any{"base": []any{root}}
	for name, text := range map[string]string{"d.json": `{"k": [1, null]}`, "d.yml": "a: {{ 1+1 }}\n", "lib.j": "{% set v = 7 %}", "m/x.txt": "x"} {
		full := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	abs := func(template string) string { return strings.ReplaceAll(template, "ROOT", root) }
	for template, want := range map[string]string{
		abs("{% import_json 'ROOT/d.json' as d %}{{ d }}"):                "{'k': [1, None]}",
		abs("{% import_yaml 'ROOT/d.yml' as d %}{{ d }}"):                 "{'a': 2}",
		abs("{% from 'ROOT/lib.j' import v %}{{ v }}"):                    "7",
		abs("{{ salt['slsutil.renderer']('ROOT/d.yml') }}"):               "{'a': 2}",
		"{{ salt['slsutil.renderer']('salt://d.yml') }}":                  "{'a': 2}",
		"{{ salt['slsutil.file_exists']('m/x.txt') }}":                    "True",
		"{{ salt['slsutil.findup']('m', 'd.yml') }}":                      "d.yml",
		"{{ salt['mine.get']('*', 'x') }}":                                "{}",
		"{{ 'test.ping' in salt.keys() }}":                                "True",
		"{{ salt['cmd.exec_code']('sh', 'echo $1', args='one') }}":        "one",
		"{{ salt['alternatives.show_current']('no-such-name') }}":         "False",
		"{{ salt['cmd.run']('echo {{ grains.id }}', template='jinja') }}": "m1",
		"{{ salt['dnsutil.serial']('example.com')|length }}":              "10",
		"{{ opts.__cli }} {{ opts.id }}":                                  "salt-call m1",
	} {
		res, err := call(t, cfg, CallOptions{Fun: "slsutil.renderer", Args: []any{value.NewMap("__kwarg__", true, "string", template, "default_renderer", "jinja")}})
		if err != nil || res.Return != want {
			t.Errorf("%s: %v %v, want %s", template, res.Return, err, want)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "o.sls"), []byte("a:\n  test.nop:\n  - name: {{ opts.saltenv }} {{ opts.pillar.p }} {{ opts.test }}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	res, err := call(t, cfg, CallOptions{Fun: "state.apply", Args: []any{"o", value.NewMap("__kwarg__", true, "saltenv", "base", "pillar", value.NewMap("p", "given"), "test", true)}})
	text, _ := json.Marshal(value.Plain(res.Return))
	if err != nil || !strings.Contains(string(text), "base given True") {
		t.Errorf("%s %v", text, err)
	}
}

// cp.get_template renders a file and its imports; cp.get_file and cp.get_dir render names.
func TestCp_Templates(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{})
	cfg := testConfig(t, m)
	cfg.FileClient = "local"
	root, out := t.TempDir(), t.TempDir()
	cfg.FileRoots = map[string]any{"base": []any{root}}
	if err := os.Mkdir(filepath.Join(root, "app"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"app/main.j2":   "{%- from 'app/map.jinja' import v with context -%}\n{{ v }} {{ grains.id }} {{ extra }}\n",
		"app/map.jinja": "{% set v = saltenv %}", "app/bad.j2": "{{ 1 +", "m1.txt": "mine",
	} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	extra := value.NewMap("__kwarg__", true, "extra", "more")
	names := value.NewMap("__kwarg__", true, "template", "jinja")
	for _, tt := range []struct {
		fun  string
		args []any
		want any
		text string
	}{
		{"cp.get_template", []any{"salt://app/main.j2", out + "/a", extra}, out + "/a", "base m1 more\n"},
		{"cp.get_template", []any{"salt://app/main.j2", out, extra}, out + "/main.j2", "base m1 more\n"},
		{"cp.get_template", []any{"salt://app/none.j2", out + "/b"}, "", ""},
		{"cp.get_template", []any{"salt://app/bad.j2", out + "/b"}, "", ""},
		{"cp.get_template", []any{"salt://app/map.jinja", out + "/no/b"}, "", ""},
		{"cp.get_template", []any{"salt://app/map.jinja", out + "/b", "mako"}, "", ""},
		{"cp.get_template", []any{"salt://m1.txt", out + "/made/b", value.NewMap("__kwarg__", true, "makedirs", true)}, out + "/made/b", "mine"},
		{"cp.get_file", []any{"salt://{{ grains.id }}.txt", out + "/{{ saltenv }}.txt", names}, out + "/base.txt", "mine"},
		{"cp.get_dir", []any{"salt://{{ 'app' }}", out + "/{{ grains.id }}", names}, []any{
			out + "/m1/app/bad.j2", out + "/m1/app/main.j2", out + "/m1/app/map.jinja",
		}, ""},
	} {
		res, err := call(t, cfg, CallOptions{Fun: tt.fun, Args: tt.args})
		if err != nil || !reflect.DeepEqual(res.Return, tt.want) {
			t.Errorf("%s %v: %v %v, want %v", tt.fun, tt.args, res.Return, err, tt.want)
			continue
		}
		if path, ok := tt.want.(string); ok && path != "" {
			if b, err := os.ReadFile(path); err != nil || string(b) != tt.text {
				t.Errorf("%s %v: %q, want %q", tt.fun, tt.args, b, tt.text)
			}
		}
	}
}
