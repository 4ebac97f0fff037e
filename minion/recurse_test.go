package minion

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/value"
)

// local is a minion without a master, with its files in one directory.
type local struct {
	t   *testing.T
	dir string
	cfg *config.Minion
}

func newLocal(t *testing.T, files map[string]string) local {
	t.Helper()
	dir := t.TempDir()
	files["minion"] = "id: m1\nroot_dir: " + dir + "\nfile_client: local\nfile_roots: {base: [" + filepath.Join(dir, "salt") + "]}\n"
	l := local{t: t, dir: dir}
	for path, text := range files {
		l.put(path, text)
	}
	cfg, _, err := config.LoadMinion(dir)
	if err != nil {
		t.Fatal(err)
	}
	l.cfg = cfg
	return l
}

func (l local) put(path, text string) {
	l.t.Helper()
	path = filepath.Join(l.dir, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		l.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "@DIR@", l.dir)), 0o644); err != nil {
		l.t.Fatal(err)
	}
}

// apply runs state.apply and returns the results by ID, with the directory replaced by @DIR@.
func (l local) apply(args ...any) map[string]map[string]any {
	l.t.Helper()
	res, err := Call(l.t.Context(), CallOptions{Config: l.cfg, Local: true, Fun: "state.apply", Args: args})
	if err != nil {
		l.t.Fatal(err)
	}
	text := strings.ReplaceAll(string(asJSON(l.t, res.Return)), l.dir, "@DIR@")
	all, _ := bare(l.t, []byte(text)).(map[string]any)
	out := map[string]map[string]any{}
	for key, v := range all {
		m, _ := v.(map[string]any)
		out[strings.Split(key, "_|-")[1]] = m
	}
	return out
}

// TestRecurse_Clean removes files that are not from the source, and keeps those of a required
// state or a pattern.
func TestRecurse_Clean(t *testing.T) {
	l := newLocal(t, map[string]string{
		"salt/tree/one.txt": "one\n", "salt/tree/sub/two.txt": "two\n", "salt/tree/file": "a file\n",
		"salt/clean.sls": `
kept:
  file.managed:
    - name: @DIR@/out/more/kept
    - contents: x
    - makedirs: True
out:
  file.recurse:
    - name: @DIR@/out
    - source: salt://tree
    - clean: True
    - include_empty: True
    - exclude_pat: '*.keep'
    - require:
      - file: kept
`,
		"out/old": "", "out/more/old": "", "out/a.keep": "", "out/file/was/a/folder": "", "out/sub": "was a file",
	})
	tested := l.apply("clean", value.NewMap("__kwarg__", true, "test", true))["out"]
	comment, _ := tested["comment"].(string)
	for _, want := range []string{
		"Replacing @DIR@/out/sub with a directory", "Replacing directory @DIR@/out/file with a file", "@DIR@/out/old", "@DIR@/out/more/old",
	} {
		if !strings.Contains(comment, want) {
			t.Errorf("the test run does not name %q:\n%s", want, comment)
		}
	}
	if tested["result"] != nil || strings.Contains(comment, ".keep") {
		t.Errorf("test run: %v", tested)
	}
	if _, err := os.Stat(filepath.Join(l.dir, "out", "old")); err != nil {
		t.Errorf("the test run has changed something: %v", err)
	}

	done := l.apply("clean")["out"]
	changes, _ := done["changes"].(map[string]any)
	if d := cmp.Diff([]any{"@DIR@/out/old", "@DIR@/out/more/old"}, changes["removed"]); d != "" || done["result"] != true {
		t.Errorf("%v: %s", done, d)
	}
	var left []string
	if err := filepath.WalkDir(filepath.Join(l.dir, "out"), func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			left = append(left, strings.TrimPrefix(path, l.dir+"/out/"))
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	slices.Sort(left)
	if d := cmp.Diff([]string{"a.keep", "file", "more/kept", "one.txt", "sub/two.txt"}, left); d != "" {
		t.Error(d)
	}
	again := l.apply("clean")["out"]
	if again["comment"] != "The directory @DIR@/out is in the correct state" || again["result"] != true {
		t.Errorf("second run: %v", again)
	}
}

// TestManaged_BadTemplate: the error is the same as in Salt.
func TestManaged_BadTemplate(t *testing.T) {
	l := newLocal(t, map[string]string{
		"salt/bad.jinja": "{{ nowhere.at_all }}\n",
		"salt/bad.sls":   "bad:\n  file.managed:\n    - name: @DIR@/bad\n    - source: salt://bad.jinja\n    - template: jinja\n",
	})
	r := l.apply("bad")["bad"]
	if c, _ := r["comment"].(string); r["result"] != false || !strings.HasPrefix(c, "Unable to manage file: Jinja variable 'nowhere' is undefined") {
		t.Errorf("%v", r)
	}
}
