package doctor

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/mom/command"
)

// site creates a Python master's directory with one item of each kind that works, and one that does not.
func site(t *testing.T, more string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range map[string]string{
		"master": fmt.Sprintf(`
id: top
pki_dir: %[1]s/pki
file_roots: {base: [%[1]s/salt, %[1]s/none]}
pillar_roots: {base: [%[1]s/pillar]}
worker_threads: 10
timout: 5
reactor:
  - 'salt/minion/*/start': [%[1]s/reactor/start.sls]
  - 'gone': [%[1]s/reactor/gone.sls]
  - 'odd': ['salt://reactor/odd.sls']
schedule:
  good: {function: manage.status, hours: 1}
  bad: {function: my.runner, hours: 1}
external_auth: {pam: {joe: ['.*']}}
ext_pillar:
  - cmd_yaml: cat /dev/null
  - varstack: /etc/varstack.yaml
%[2]s
`, dir, more),
		"pki/minions/a": "x", "pki/minions/b": "x", "pki/minions/.hidden": "x", "pki/minions_pre/c": "x",
		"salt/top.sls": "base: {'*': [web]}\n", "salt/web/init.sls": "{% from 'web/map.jinja' import x with context %}\na: {{ x | json }}\n",
		"salt/web/map.jinja": "{% set x = salt['grains.filter_by']({'a': 1}) %}\n", "salt/py.sls": "#!py\ndef run(): return {}\n",
		"salt/broken.sls": "a: {{ 1 + }}\n", "salt/filter.sls": "a: {{ 1 | no_such_filter }}\n", "salt/yaml.sls": "#!yaml\na: '{{ 1 + }}'\n",
		"salt/_modules/mine.py": "", "salt/_runners/run.py": "", "salt/_modules/notes.txt": "",
		"salt/reactor/odd.sls": "a:\n  runner.no.such:\n    - args: {}\nb:\n  caller.test.ping: []\n", "reactor/start.sls": "a:\n  local.test.ping:\n    - tgt: {{ data['id'] }}\n",
		"pillar/top.sls": "base: {'*': [x]}\n", "pillar/x.sls": "{% set a = 1 %}x: {{ a }}\n",
		"pillar/calls.sls":   "{# salt['old.one']() #}\na: {{ salt['cmd.run']('x') }}{{ salt.saltutil.runner('mine.get') }}{{ salt['pillar.get']('x') }}\nb: {{ salt['vault.read_secret']('x') }}\n",
		"salt/orch/good.sls": "a:\n  salt.state:\n    - tgt: '*'\n    - sls: x\n    - batch: 2\nb:\n  salt.runner:\n    - name: state.orchestrate\n    - mods: x\n",
		"salt/orch/bad.sls": "{% set x = salt['mine.get']('*', 'x') %}\na:\n  salt.function:\n    - name: test.ping\n    - tgt: '*'\n    - fail_function: my.check\nb:\n  salt.runner:\n    - name: my.runner\n" +
			"c:\n  salt.wheel:\n    - name: key.nothing\nd:\n  http.query:\n    - name: https://x\n",
	} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	pki := filepath.Join(dir, "pki")
	key := sitePair()
	for name, data := range map[string][]byte{"master.pem": key[0], "master.pub": key[1]} {
		if err := os.WriteFile(filepath.Join(pki, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// sitePair holds the files of a key pair, private half first.
var sitePair = sync.OnceValue(func() (out [2][]byte) {
	dir, err := os.MkdirTemp("", "doc")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	if _, err := crypt.EnsureKeyPair(dir, "master", 2048); err != nil {
		panic(err)
	}
	for i, name := range []string{"master.pem", "master.pub"} {
		if out[i], err = os.ReadFile(filepath.Join(dir, name)); err != nil {
			panic(err)
		}
	}
	return out
})

// The doctor reports each item of the site.
func TestExamine(t *testing.T) {
	dir := site(t, "")
	before := tree(t, dir)
	r, err := Examine(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct {
		level       Level
		area, where string
		what        string
	}{
		{Differ, "options", "master:", "unknown option timout; did you mean timeout?"},
		{Works, "options", "master:", "option worker_threads has no effect"},
		{Works, "keys", "pki", "2 keys accepted, 1 unaccepted"},
		{Differ, "sls", "file_roots", "none, which is not a directory here"},
		{Fails, "sls", "salt/py.sls", `The renderer "py"`},
		{Fails, "sls", "salt/broken.sls", "Jinja syntax error"},
		{Fails, "sls", "salt/filter.sls", "no_such_filter"},
		{Works, "sls", "pillar_roots", "2 SLS files and templates can be read"},
		{Works, "sls", "file_roots", "7 SLS files and templates can be read"},
		{Fails, "sls", "pillar/calls.sls:3", "has no function vault.read_secret"},
		{Fails, "orchestration", "orch/bad.sls:1", "has no function mine.get"},
		{Fails, "orchestration", "orch/bad.sls:6", "fail_function of salt.function is refused"},
		{Fails, "orchestration", "orch/bad.sls:9", "the runner my.runner is not here"},
		{Fails, "orchestration", "orch/bad.sls:12", "the wheel function key.nothing is not here"},
		{Fails, "orchestration", "orch/bad.sls:14", "does not run the state http.query"},
		{Works, "orchestration", "file_roots", "1 SLS files of state.orchestrate"},
		{Fails, "ext_pillar", "varstack", "varstack"},
		{Works, "ext_pillar", "cmd_yaml", ""},
		{Differ, "python", "salt/_modules", "execution modules in Python: mine"},
		{Fails, "python", "salt/_runners", "runners in Python: run"},
		{Works, "reactor", "reactor/start.sls", "for salt/minion/*/start"},
		{Fails, "reactor", "reactor/gone.sls", "it is not there"},
		{Fails, "reactor", "odd.sls:2", "the runner no.such is not here"},
		{Differ, "reactor", "odd.sls:5", "caller runs test.ping by salt-call"},
		{Works, "schedule", "good", "next at"},
		{Fails, "schedule", "master:", "job bad is ignored: my.runner is no runner here"},
		{Works, "external_auth", "pam", ""},
		{Works, "file server", "fileserver_backend", "roots"},
	} {
		if !slices.ContainsFunc(r.Findings, func(f Finding) bool {
			return f.Level == want.level && f.Area == want.area && strings.Contains(f.Where, want.where) && strings.Contains(f.What, want.what)
		}) {
			t.Errorf("not reported: %v", want)
		}
	}
	for _, f := range r.Findings {
		if strings.Contains(f.What, "old.one") || f.Level == Fails && strings.Contains(f.Where, "good.sls") {
			t.Errorf("unexpected: %+v", f)
		}
	}
	if t.Failed() {
		for _, f := range r.Findings {
			t.Logf("%+v", f)
		}
	}
	if after := tree(t, dir); after != before {
		t.Errorf("the directory has changed from\n%s\nto\n%s", before, after)
	}
}

func tree(t *testing.T, dir string) string {
	t.Helper()
	var out strings.Builder
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		fmt.Fprintln(&out, path, info.Size(), info.ModTime())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// The command exits 1 if something does not work, and 0 if everything does. An option with an empty
// directory loses nothing.
func TestCommand(t *testing.T) {
	good := t.TempDir()
	if err := os.WriteFile(filepath.Join(good, "master"), []byte("id: top\npki_dir: "+good+"\nfile_roots: {base: ["+good+"]}\npillar_roots: {base: ["+good+"]}\nextension_modules: "+good+"/none\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	bad := t.TempDir()
	if err := os.WriteFile(filepath.Join(bad, "master"), []byte("id: top\nengines: [a]\nno yaml"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"-c", good}, 0, "0 do not work"},
		{[]string{"-c", site(t, "engines: [{x: {}}]\nmaster_job_cache: couchbase")}, 1, "engines"},
		{[]string{"-c", site(t, "master_job_cache: couchbase")}, 1, "execution modules in Python: mine"},
		{[]string{"-c", bad}, 1, "Does not work"},
		{[]string{"-c", t.TempDir()}, 1, "has no file master"},
		{[]string{"-c", good, "--out", "xml"}, command.ExitUsage, "--out=xml is neither"},
	} {
		var out bytes.Buffer
		code := command.Run(command.Prepare(Command(), "doctor", "1"), c.args, nil, &out, &out)
		if code != c.code || !strings.Contains(out.String(), c.want) {
			t.Errorf("%v: exit %d\n%s", c.args, code, out.String())
		}
	}
	var out bytes.Buffer
	command.Run(command.Prepare(Command(), "doctor", "1"), []string{"-c", good, "--out=json"}, nil, &out, &out)
	var m struct {
		Folder       string
		Works, Fails int
		Findings     []struct{ Level, Area, What string }
	}
	if err := json.Unmarshal(out.Bytes(), &m); err != nil || m.Folder != good || m.Works == 0 || len(m.Findings) < m.Works {
		t.Errorf("%v: %s", err, out.String())
	}
}

// Findings of an area are listed up to a limit, and counted.
func TestReport_Bound(t *testing.T) {
	r := &Report{Dir: "/x"}
	for i := range maxOfOne + 7 {
		r.fails("sls", fmt.Sprint(i), "mend it", "it is broken")
	}
	var out bytes.Buffer
	if err := r.Text(&out); err != nil || !strings.Contains(out.String(), "and 7 more") || strings.Count(out.String(), "broken") != maxOfOne {
		t.Errorf("%v: %d lines", err, strings.Count(out.String(), "\n"))
	}
}
