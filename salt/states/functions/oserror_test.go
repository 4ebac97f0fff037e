package functions

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

// outcome runs a state. An error of the function becomes the comment, as in a run.
func (h host) outcome(fun, name string, args ...any) (result any, comment string, changes *value.Map) {
	h.t.Helper()
	fn, ok := Lookup(fun)
	if !ok {
		h.t.Fatalf("no state %s", fun)
	}
	all, rest := value.NewMap("name", name), value.NewMap()
	for _, a := range fn.Args {
		if a.Name != "name" {
			all.Set(a.Name, a.Default)
		}
	}
	for i := 0; i < len(args); i += 2 {
		into := rest
		if all.Has(args[i].(string)) {
			into = all
		}
		into.Set(args[i], args[i+1])
	}
	r, err := Set{Env: h}.Run(context.Background(), &states.Call{Fun: fun, Args: all, Kwargs: rest, Saltenv: "base"})
	if err != nil {
		return false, "exception: " + err.Error(), value.NewMap()
	}
	return r.Result, r.Comment, r.Changes
}

// TestReplace_NoFolder copies below a file.
func TestReplace_NoFolder(t *testing.T) {
	h := newHost(t, value.NewMap(), nil)
	h.put("f", "file\n", 0o600)
	source, dest := filepath.Join(h.dir, "f"), filepath.Join(h.dir, "f", "x")
	if err := (&Call{}).replace(source, dest, ""); err == nil || err.Error() != "[Errno 2] No such file or directory: "+dest {
		t.Error(err)
	}
}

// TestOSErrors passes states paths that the system rejects. The texts are Salt's.
func TestOSErrors(t *testing.T) {
	h := newHost(t, value.NewMap(), nil)
	h.put("f", "file\n", 0o600)
	h.put("src", "source\n", 0o600)
	if err := os.Mkdir(filepath.Join(h.dir, "d"), 0o700); err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{"loop": "loop", "dangling": "/nowhere/x"} {
		if err := os.Symlink(to, filepath.Join(h.dir, from)); err != nil {
			t.Fatal(err)
		}
	}
	long := strings.Repeat("n", 300)
	const notDir, exists, tooLong = "exception: [Errno 20] Not a directory: ", "exception: [Errno 17] File exists: ", "exception: [Errno 36] File name too long: "
	made := []any{"makedirs", true}
	for _, c := range []struct {
		fun, path string
		args      []any
		want      string
	}{
		{"file.directory", "f/x", nil, "No directory to create DIR/f/x in"},
		{"file.directory", "f/x", made, notDir + "'DIR/f/x'"},
		{"file.directory", "f/x/y", made, exists + "'DIR/f'"},
		{"file.directory", long, nil, tooLong + "'DIR/LONG'"},
		{"file.directory", "loop", nil, exists + "'DIR/loop'"},
		{"file.directory", "dangling", nil, exists + "'DIR/dangling'"},
		{"file.decode", "f/x", []any{"encoded_data", "aGk="}, notDir + "'DIR/f/x'"},
		{"file.decode", "d", []any{"encoded_data", "aGk="}, "exception: [Errno 21] Is a directory: 'DIR/d'"},
		{"file.managed", "f/x", append([]any{"contents", "hi"}, made...), "Unable to manage file: Not a directory"},
		{"file.managed", "f/x/y", append([]any{"contents", "hi"}, made...), "Unable to manage file: [Errno 17] File exists: 'DIR/f'"},
		{"file.serialize", "f/x", append([]any{"dataset", "x", "serializer", "json"}, made...), "exception: Not a directory"},
		{"file.serialize", "f/x/y", append([]any{"dataset", "x", "serializer", "json"}, made...), exists + "'DIR/f'"},
		{"file.symlink", "f/x", append([]any{"target", "/etc"}, made...), "Unable to create new symlink DIR/f/x -> /etc: Could not create 'DIR/f/x'"},
		{"file.symlink", "f/x/y", append([]any{"target", "/etc"}, made...), exists + "'DIR/f'"},
		{"file.hardlink", "f/x", append([]any{"target", "DIR/src"}, made...), "Unable to create new hard link DIR/f/x -> DIR/src: Could not create 'DIR/f/x': " +
			"[Errno 20] Not a directory: 'DIR/src' -> 'DIR/f/x'"},
		{"file.hardlink", "f/x/y", append([]any{"target", "DIR/src"}, made...), exists + "'DIR/f'"},
		{"file.touch", "f/x/y", made, exists + "'DIR/f'"},
		{"file.touch", long, nil, "exception: File name too long"},
		{"file.append", "f/x", append([]any{"text", "hi"}, made...), "The following files will be changed:\nDIR/f: directory - new\n"},
		{"file.prepend", "f/x/y", append([]any{"text", "hi"}, made...), exists + "'DIR/f'"},
		{"file.append", long, []any{"text", "hi"}, "exception: File name too long"},
		{"file.prepend", "d", []any{"text", "hi"}, "exception: [Errno 21] Is a directory: 'DIR/d'"},
		{"file.copy", "f/x/y", []any{"source", "DIR/src", "makedirs", true}, exists + "'DIR/f'"},
		{"file.rename", "f/x/y", []any{"source", "DIR/src", "makedirs", true}, exists + "'DIR/f'"},
		{
			"ini.options_present", "f/x",
			[]any{"sections", value.NewMap("a", value.NewMap("b", "c"))},
			"exception: Unable to write file 'DIR/f/x'. Exception: [Errno 20] Not a directory: 'DIR/f/x'",
		},
	} {
		args := make([]any, len(c.args))
		for i, a := range c.args {
			if s, ok := a.(string); ok {
				a = strings.ReplaceAll(s, "DIR", h.dir)
			}
			args[i] = a
		}
		result, comment, _ := h.outcome(c.fun, filepath.Join(h.dir, c.path), args...)
		got := strings.ReplaceAll(strings.ReplaceAll(comment, h.dir, "DIR"), long, "LONG")
		if result != false || got != c.want {
			t.Errorf("%s %s: %v %q, want %q", c.fun, c.path[:min(len(c.path), 9)], result, got, c.want)
		}
	}
}
