package modules

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/momtree/mom/salt/external"
	"github.com/momtree/mom/salt/fileclient"
	"github.com/momtree/mom/value"
)

// withFiles gives the minion file_roots with these files; a path that ends with * is
// executable.
func (e *fakeEnv) withFiles(t *testing.T, files map[string]string) (root, cachedir string) {
	t.Helper()
	root, cachedir = t.TempDir(), t.TempDir()
	for path, text := range files {
		mode := os.FileMode(0o644)
		if p, ok := strings.CutSuffix(path, "*"); ok {
			path, mode = p, 0o755
		}
		full := filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	e.files = fileclient.New(fileclient.Options{Cachedir: cachedir, Source: fileclient.Local{Roots: map[string][]string{"base": {root}}}})
	e.options.Set("cachedir", cachedir)
	dir := filepath.Join(cachedir, "extmods/modules")
	e.external = external.New(external.Options{Dirs: []string{dir}, Taken: Own})
	return root, cachedir
}

const greeter = `#!/bin/sh
read -r q
case $q in *describe*) echo '{"functions": {"hello": {"doc": "Say hello to who.", "args": [{"name": "who", "default": "you"}]}}}'; exit;; esac
case $q in *fail*) echo '{"error": "no hello today"}'; exit;; esac
echo '{"return": {"said": "hello"}, "retcode": 3}'
`

// An executable of the master becomes a module; an unusable file is reported by name.
func TestSync(t *testing.T) {
	env := newEnv()
	root, cachedir := env.withFiles(t, map[string]string{
		"_modules/greet.sh*": greeter, "_modules/old.py": "def x(): pass", "_modules/test*": greeter, "_states/s.py": "x", "other/f": "x",
	})
	const python = "it is not executable; this minion does not run Python files of Salt"
	calls(t, env, []callCase{
		{"saltutil.sync_modules", []any{"saltenv=base"}, []any{"modules.greet", "modules.old is not usable: " + python, "modules.test is not usable: the minion has a built-in module of that name"}},
		{"saltutil.sync_modules", []any{"saltenv=base", "extmod_blacklist=old,test"}, []any{}},
		{"saltutil.sync_states", []any{"saltenv=base"}, []any{"states.s is not usable: external modules can be execution modules only"}},
		{"saltutil.list_extmods", nil, m{"modules": []any{"greet"}}},
		{"greet.hello", []any{"who=me"}, m{"said": "hello"}},
		{"greet.hello", []any{"fail"}, "ERROR: no hello today"},
		{"greet.hello", []any{"a", "b"}, "Passed invalid arguments to greet.hello: hello() takes from 0 to 1 positional arguments but 2 were given"},
		{"greet.bye", nil, "'greet.bye' is not available."},
		{"sys.doc", []any{"greet"}, m{"greet.hello": "Say hello to who."}},
		{"sys.list_functions", []any{"greet"}, []any{"greet.hello"}},
		{"sys.argspec", []any{"greet.hello"}, m{"greet.hello": m{"args": []any{"who"}, "defaults": []any{"you"}, "varargs": nil, "kwargs": nil}}},
	})
	if r := run(t, env, "greet.hello"); r.Retcode != 3 {
		t.Errorf("retcode %d", r.Retcode)
	}
	if st, err := os.Stat(filepath.Join(cachedir, "extmods/modules/greet.sh")); err != nil || st.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", st, err)
	}
	if err := os.Remove(filepath.Join(root, "_modules/greet.sh")); err != nil {
		t.Fatal(err)
	}
	result(t, env, "saltutil.sync_modules", "saltenv=base")
	if r := run(t, env, "greet.hello"); PyStr(r.Value) != "'greet.hello' is not available." {
		t.Errorf("a module that is gone: %v", r.Value)
	}
}

// cp with files of this host returns what Salt's cp returns.
func TestCp_Files(t *testing.T) {
	env := newEnv()
	_, cachedir := env.withFiles(t, map[string]string{"web/a.conf*": "data", "web/init.sls": "x", "top.sls": "y"})
	out := t.TempDir()
	sum := "3a6eb0790f39ac87c94f3856b2dd2c5d110e6811602261a9a923d3bb23adc8b7"
	calls(t, env, []callCase{
		{"cp.get_file", []any{"salt://web/a.conf", out}, out + "/a.conf"},
		{"cp.get_file", []any{"salt://none", out}, ""},
		{"cp.get_file", []any{"salt://web/a.conf", out + "/no/x"}, false},
		{"cp.get_file", []any{"salt://web/a.conf", out + "/no/x", "makedirs=True"}, out + "/no/x"},
		{"cp.get_file", []any{"salt://{{ x }}", out, "template=jinja"}, "ERROR: Attempted to render file paths with unavailable engine jinja"},
		{"cp.get_file_str", []any{"salt://web/a.conf"}, "data"},
		{"cp.get_file_str", []any{"salt://none"}, false},
		{"cp.get_url", []any{"salt://web/a.conf", nil}, "data"},
		{"cp.cache_file", []any{"salt://none"}, false},
		{"cp.cache_files", []any{"salt://top.sls,salt://none"}, []any{cachedir + "/files/base/top.sls", false}},
		{"cp.cache_dir", []any{"salt://web", "include_pat=*.sls"}, []any{cachedir + "/files/base/web/init.sls"}},
		{"cp.is_cached", []any{"salt://web/init.sls"}, cachedir + "/files/base/web/init.sls"},
		{"cp.is_cached", []any{"salt://none"}, ""},
		{"cp.hash_file", []any{"salt://web/a.conf"}, m{"hsum": sum, "hash_type": "sha256"}},
		{"cp.hash_file", []any{"salt://none"}, ""},
		{"cp.hash_file", []any{"/none"}, m{}},
		{"cp.stat_file", []any{"salt://web/a.conf"}, "0755"},
		{"cp.stat_file", []any{"salt://web/a.conf", "octal=False"}, int64(0o100755)},
		{"cp.list_states", nil, []any{"top", "web"}},
		{"cp.list_master", []any{"base", "web"}, []any{"web/a.conf", "web/init.sls"}},
		{"cp.list_master", []any{"none"}, []any{}},
		{"cp.list_minion", nil, []any{cachedir + "/files/base/top.sls", cachedir + "/files/base/web/a.conf", cachedir + "/files/base/web/init.sls"}},
		{"cp.envs", nil, []any{"base"}},
		{"cp.get_dir", []any{"salt://web", out}, []any{out + "/web/a.conf", out + "/web/init.sls"}},
	})
}

// A file is pushed in pieces, each in the form of Salt's minion.
func TestCp_Push(t *testing.T) {
	env := newEnv()
	env.options.Set("file_buffer_size", int64(4))
	dir := t.TempDir()
	for name, text := range map[string]string{"a.txt": "0123456789", "empty": "", "b.conf": "x"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	taken := any(true)
	env.ask = func(load *value.Map) (any, error) {
		parts := textList(load.List("path"))
		got = append(got, load.String("cmd")+" "+strings.Join(parts, "/")+" "+PyStr(load.Int("loc"))+" "+PyStr(load.Int("size"))+" "+string(load.Bytes("data")))
		return taken, nil
	}
	as := strings.TrimPrefix(dir, "/")
	calls(t, env, []callCase{
		{"cp.push", []any{dir + "/a.txt"}, true},
		{"cp.push", []any{dir + "/empty", "upload_path=/up/e"}, true},
		{"cp.push", []any{"relative"}, false},
		{"cp.push", []any{dir + "/none"}, false},
		{"cp.push", []any{dir}, false},
		{"cp.push_dir", []any{dir, "*.conf", "up"}, true},
	})
	same(t, "loads", got, []string{
		"_file_recv " + as + "/a.txt 0 10 0123", "_file_recv " + as + "/a.txt 4 10 4567", "_file_recv " + as + "/a.txt 8 10 89",
		"_file_recv up/e 0 0 ", "_file_recv up/b.conf 0 1 x",
	})
	taken = false
	calls(t, env, []callCase{{"cp.push", []any{dir + "/a.txt", "remove_source=True"}, false}})
	if _, err := os.Stat(dir + "/a.txt"); err != nil {
		t.Error("a file that the master did not take is removed")
	}
}
