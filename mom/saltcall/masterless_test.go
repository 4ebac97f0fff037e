package saltcall

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/momtree/mom/mom/momtest"
)

// writeFiles creates files below a directory; DIR in a text stands for it.
func writeFiles(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "DIR", dir)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// A minion without a master compiles its pillar from its own files. The results are those of
// salt-call --local of Salt 3006.27 for the same files.
func TestCallLocalPillar(t *testing.T) {
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{
		"minion": "id: web1\nroot_dir: DIR\nfile_roots: {base: [DIR/states]}\npillar_roots: {base: [DIR/base], dev: [DIR/dev]}\n" +
			"pillar_source_merging_strategy: recurse\nnodegroups: {webs: 'web*'}\next_pillar: [{cmd_yaml: \"echo 'ext: 1'\"}]\n" +
			"ext_pillar_first: True\ngrains: {role: web}\n",
		"base/top.sls": "base:\n  'web*': [a]\n  'role:web': [{match: grain}, b]\n  webs: [{match: nodegroup}, c]\n  'db*': [d]\n",
		"base/a.sls":   "a: {x: 1}\n",
		"base/b.sls": "a: {y: 2}\nrole: {{ grains.role }}\nid: {{ opts.id }}\nping: {{ salt['test.ping']() }}\n" +
			"ret: {{ salt['cmd.run']('echo $((1+1)) x | wc -c') | yaml_dquote }}\next_seen: {{ pillar.get('ext') }}\n",
		"base/c.sls":     "c: {{ salt['grains.get']('id') }}\n",
		"base/d.sls":     "d: not this one\n",
		"dev/top.sls":    "dev:\n  '*': [dd]\n",
		"dev/dd.sls":     "d: dev\n",
		"states/use.sls": "x:\n  file.managed:\n    - name: DIR/made\n    - contents: {{ pillar.a.x }}{{ pillar.get('over', '') }}\n",
	})
	const rest = `"ext": 1, "a": {"x": 1, "y": 2}, "role": "web", "id": "web1", "ping": true, "ret": "$((1+1)) x | wc -c", "ext_seen": 1, "c": "web1", "d": "dev"}}` + "\n"
	for _, c := range []struct{ line, want string }{
		{"pillar.items", `{"local": {` + rest},
		{"pillar.items pillarenv=dev", `{"local": {"ext": 1, "d": "dev"}}` + "\n"},
		{"pillar.items pillar={z:1}", `{"local": {"z:1": null, ` + rest},
		{"pillar.get a:y", "{\"local\": 2}\n"},
	} {
		got := momtest.Run(Command(), "", append([]string{"-c", dir, "--local", "--out=json", "--out-indent=-1", "-l", "quiet"}, strings.Fields(c.line)...)...)
		if want := momtest.Ended(0, c.want, ""); got.String() != want.String() {
			t.Errorf("%s: %v, want %v", c.line, got, want)
		}
	}
	for _, c := range []struct {
		words []string
		want  string
	}{
		{[]string{"state.apply", "use"}, "1"},
		{[]string{"state.apply", "use", "pillar={over: 2}"}, "12"},
	} {
		got := momtest.Run(Command(), "", append([]string{"-c", dir, "--local", "--out=quiet", "-l", "quiet"}, c.words...)...)
		if b, err := os.ReadFile(filepath.Join(dir, "made")); got.Code != 0 || err != nil || strings.TrimSpace(string(b)) != c.want {
			t.Errorf("%q: %v, wrote %q, %v", c.words, got, b, err)
		}
	}
}

// A pillar that cannot be rendered prevents states, as with a master.
func TestCallLocalPillar_Errors(t *testing.T) {
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{
		"minion":         "id: web1\nroot_dir: DIR\nfile_roots: {base: [DIR/states]}\npillar_roots: {base: [DIR/base]}\n",
		"base/top.sls":   "base: {'*': [bad]}\n",
		"base/bad.sls":   "a: {{ nothing.here }}\n",
		"states/use.sls": "x: test.nop\n",
	})
	got := momtest.Run(Command(), "", "-c", dir, "--local", "state.apply", "use", "-l", "quiet")
	if got.Code == 0 || !strings.Contains(got.Out+got.Err, "bad") {
		t.Errorf("states were applied with a broken pillar: %v", got)
	}
	writeFiles(t, dir, map[string]string{"minion": "id: web1\nroot_dir: DIR\next_pillar: {nosuch: x}\n"})
	got = momtest.Run(Command(), "", "-c", dir, "--local", "pillar.items", "-l", "quiet")
	if !strings.Contains(got.Out+got.Err, "ext_pillar") && !strings.Contains(got.Out+got.Err, "_errors") {
		t.Errorf("a wrong ext_pillar is not reported: %v", got)
	}
}

// Directories of the command line replace those of the configuration in a local call only.
func TestCallLocal_Roots(t *testing.T) {
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{
		"minion": "id: web1\nroot_dir: DIR\nmaster: 127.0.0.1:1\nauth_timeout: 1\n", "a/x.sls": "x: test.nop\n", "b/x.sls": "b: test.nop\n", "b/y.sls": "y: test.nop\n",
		"p/top.sls": "base: {'*': [k]}\n", "p/k.sls": "k: v\n",
	})
	roots := []string{"-c", dir, "--out=json", "--out-indent=-1", "--file-root", filepath.Join(dir, "a"), "--file-root", filepath.Join(dir, "b"), "--pillar-root", filepath.Join(dir, "p")}
	for _, c := range []struct{ line, want string }{
		{"state.show_sls x", `{"local": {"x": {"__sls__": "x", "__env__": "base", "test": ["nop", {"order": 10000}]}}}`},
		{"state.show_sls y", `{"local": {"y": {"__sls__": "y", "__env__": "base", "test": ["nop", {"order": 10000}]}}}`},
		{"pillar.items", `{"local": {"k": "v"}}`},
	} {
		got := momtest.Run(Command(), "", append(append(roots[:len(roots):len(roots)], "--local"), strings.Fields(c.line)...)...)
		if want := momtest.Ended(0, c.want+"\n", ""); got.String() != want.String() {
			t.Errorf("%s: %v, want %v", c.line, got, want)
		}
	}
	got := momtest.Run(Command(), "", append(roots[:len(roots):len(roots)], "-t", "1", "test.ping")...)
	if !strings.Contains(got.Err, "--file-root and --pillar-root ignored") {
		t.Errorf("without --local: %v", got)
	}
}
