package minion

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/value"
)

// Templates on a minion read absolute paths, know the options of their run and call functions that
// need this host; the values are those that Salt 3006.27 gave.
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
