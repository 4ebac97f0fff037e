package external

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/momtree/mom/value"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// program writes a shell script into the folder of modules.
func program(t *testing.T, dir, file, text string) string {
	t.Helper()
	path := filepath.Join(dir, file)
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func folder(t *testing.T, o Options) (*Modules, string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	o.Dirs = append(o.Dirs, dir)
	return New(o), dir
}

var example = regexp.MustCompile("(?s)<!-- file: (\\S+) -->\n```\\w+\n(.*?)```")

// The examples of the page run as it says.
func TestExamplesOfThePage(t *testing.T) {
	page, err := os.ReadFile("../../docs/guide/external-modules.md")
	if err != nil {
		t.Fatal(err)
	}
	m, dir := folder(t, Options{})
	for _, e := range example.FindAllStringSubmatch(string(page), -1) {
		program(t, dir, e[1], e[2])
	}
	if d := cmp.Diff([]string{"greet", "words"}, m.Names()); d != "" {
		t.Fatal(d)
	}
	about, err := m.Describe(t.Context(), "greet")
	if err != nil || len(about.Functions) != 1 || about.Functions[0].Args[0].Default != "you" {
		t.Errorf("%+v, %v", about, err)
	}
	v, _, err := m.Run(t.Context(), Call{Module: "greet", Function: "hello", Args: value.NewMap("who", "you; rm -rf /")})
	if err != nil || v != "hello you; rm -rf /" {
		t.Errorf("%v, %v", v, err)
	}
	var failure *Failure
	if _, _, err := m.Run(t.Context(), Call{Module: "greet", Function: "hello", Args: value.NewMap("who", `a"b`)}); !errors.As(err, &failure) {
		t.Errorf("err = %v", err)
	}
	if _, err := exec.LookPath("python3"); err != nil {
		t.Log("python3 is not on this host: its example was not run")
		return
	}
	v, _, err = m.Run(t.Context(), Call{Module: "words", Function: "count", Args: value.NewMap("text", "one two x", "least", int64(2))})
	want := map[string]any{"count": int64(2), "words": []any{"one", "two"}}
	if d := cmp.Diff(want, value.Plain(v)); d != "" || err != nil {
		t.Errorf("%v %s", err, d)
	}
}

// A fault of a program is an error that names the program, without delay.
func TestBadPrograms(t *testing.T) {
	m, dir := folder(t, Options{Limit: 300 * time.Millisecond, MaxOutput: 2000, Taken: func(n string) bool { return n == "test" }})
	describe := `read -r q; case $q in *describe*) echo '{"functions": {"f": {}}}'; exit;; esac; `
	for name, c := range map[string]struct{ text, want string }{
		"exits":   {describe + "echo no disk >&2; exit 3", "exit status 3: no disk"},
		"late":    {describe + "sleep 30 & wait", "it took too long"},
		"chatty":  {describe + "head -c 100000 /dev/zero", "it wrote more than 2000 bytes"},
		"garbled": {describe + "echo '{\"return\": '", "its answer is not JSON"},
		"mute":    {describe + "echo '{}'", "neither return nor error"},
		"nobody":  {"echo '{}'", "it describes no function"},
		"odd":     {`echo '{"functions": {"a.b": {}}}'`, "must consist of"},
		"order":   {`echo '{"functions": {"f": {"args": [{"name": "a", "default": 1}, "b"]}}}'`, "follows one that has"},
		"test":    {describe, "has a built-in module"},
	} {
		path := program(t, dir, name, "#!/bin/sh\n"+c.text+"\n")
		start := time.Now()
		_, _, err := m.Run(t.Context(), Call{Module: name, Function: "f"})
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
		if took := time.Since(start); took > 8*time.Second {
			t.Errorf("%s took %v", name, took)
		}
	}
	if _, _, err := m.Run(t.Context(), Call{Module: "none", Function: "f"}); !errors.Is(err, ErrNone) {
		t.Errorf("err = %v", err)
	}
}

// A program does not see the minion's environment variables, and sees the pillar only if it
// asks for it.
func TestCleanEnvironment(t *testing.T) {
	t.Setenv("SECRET_TOKEN", "s3cret")
	m, dir := folder(t, Options{})
	program(t, dir, "env.sh", "#!/bin/sh\nread -r q; case $q in *describe*) echo '{\"functions\": {\"f\": {}}}'; exit;; esac\n"+
		"printf '{\"return\": \"%s %s\"}' \"$SECRET_TOKEN\" \"$(printf '%s' \"$q\" | grep -c hidden)\"\n")
	v, _, err := m.Run(t.Context(), Call{Module: "env", Function: "f", Pillar: value.NewMap("k", "hidden")})
	if err != nil || v != " 0" {
		t.Errorf("%q, %v", v, err)
	}
}

// A program that others may write is not run.
func TestWritableByOthers(t *testing.T) {
	m, dir := folder(t, Options{})
	mark := filepath.Join(t.TempDir(), "ran")
	path := program(t, dir, "open", "#!/bin/sh\ntouch "+mark+"\necho '{\"functions\": {\"f\": {}}}'\n")
	for _, open := range []string{path, dir} {
		if err := os.Chmod(open, 0o777); err != nil {
			t.Fatal(err)
		}
		_, _, err := m.Run(t.Context(), Call{Module: "open", Function: "f"})
		if err == nil || !strings.Contains(err.Error(), "can be written by others") {
			t.Errorf("%s: %v", open, err)
		}
		if err := os.Chmod(open, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(dir, "linked")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if _, _, err := m.Run(t.Context(), Call{Module: "linked", Function: "f"}); err == nil || !strings.Contains(err.Error(), "is a link") {
		t.Errorf("err = %v", err)
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("the program was run")
	}
}

// A program is described again when its file has changed.
func TestChangedProgram(t *testing.T) {
	m, dir := folder(t, Options{})
	for _, name := range []string{"one", "three"} {
		program(t, dir, "m", "#!/bin/sh\necho '{\"functions\": {\""+name+"\": {}}}'\n")
		about, err := m.Describe(t.Context(), "m")
		if err != nil || about.Functions[0].Name != name {
			t.Errorf("%+v, %v", about, err)
		}
	}
}

func FuzzAnswers(f *testing.F) {
	f.Add([]byte(`{"functions": {"f": {"doc": "d", "args": ["a", {"name": "b", "default": null}], "kwargs": true}}, "needs": ["grains"]}`))
	f.Add([]byte(`{"return": 1, "retcode": 2}`))
	f.Fuzz(func(t *testing.T, out []byte) {
		if d, err := parseDescription(out); err == nil && len(d.Functions) == 0 {
			t.Error("a module without functions")
		}
		_, _, _ = parseReturn(out)
	})
}
