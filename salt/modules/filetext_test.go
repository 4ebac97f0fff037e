package modules

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// file writes a file for a test and returns its path.
func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
	return path
}

func fileHolds(t *testing.T, path, want string) {
	t.Helper()
	if data, err := os.ReadFile(path); err != nil || string(data) != want {
		t.Errorf("%s holds %q, %v; want %q", filepath.Base(path), data, err, want)
	}
}

// Functions that edit files write the edited text, keep a backup as requested, and return
// Salt's difference.
func TestFileEdits(t *testing.T) {
	env := newEnv()
	path := file(t, "f", "a\nb\n")
	calls(t, env, []callCase{
		{"file.line", []any{path, kw("content", "x", "mode", "ensure", "after", "^a")}, "--- \n+++ \n@@ -1,2 +1,3 @@\n a\n+x\n b\n"},
		{"file.line", []any{path, kw("content", "x", "mode", "ensure", "after", "^a")}, false},
		{"file.line", []any{path, kw("match", "x", "mode", "delete", "show_changes", false)}, true},
		{"file.line", []any{path, kw("content", "x")}, "ERROR: Mode was not defined. How to process the file?"},
		{"file.replace", []any{path, "b", `<\g<0>>`, kw("show_changes", false)}, true},
		{"file.replace", []any{path, "nope", "c", kw("append_if_not_found", true, "dry_run", true)}, "--- \n+++ \n@@ -1,2 +1,3 @@\n a\n <b>\n+c\n"},
		{"file.replace", []any{path, "b", "c", kw("search_only", true)}, true},
		{"file.replace", []any{path, "(", "c"}, "ERROR: regular expression '(': error parsing regexp: missing closing ) in `(`"},
		{"file.search", []any{path, "^<B>$", kw("flags", "IGNORECASE", "multiline", true)}, true},
		{"file.search", []any{path, "^<B>$"}, false},
		{"file.search", []any{path + "no", "x", kw("ignore_if_missing", true)}, false},
		{"file.search", []any{path + "no", "x"}, "ERROR executing 'file.search': File not found: " + path + "no"},
		{"file.blockreplace", []any{path, "#S", "#E", "in\n", kw("append_if_not_found", true, "show_changes", false)}, true},
		{"file.blockreplace", []any{path, "#X", "#E"}, "ERROR: Cannot edit marked block. Markers were not found in file."},
		{"file.comment", []any{path, "^a"}, "--- \n+++ \n@@ -1 +1 @@\n-a\n+#a\n"},
		{"file.comment", []any{path, "^zz"}, false},
		{"file.uncomment", []any{path, "a", kw("backup", false)}, "--- \n+++ \n@@ -1 +1 @@\n-#a\n+a\n"},
		{"file.append", []any{path, "l1", "l2"}, `Wrote 2 lines to "` + path + `"`},
		{"file.append", []any{path, kw("args", []any{"k=v"})}, `Wrote 1 lines to "` + path + `"`},
		{"file.append", []any{path, kw("arg", "k=v")}, "ERROR executing 'file.append': arg is not an argument of file.append; give lines in order, or as args"},
		{"file.prepend", []any{path, "top"}, `Prepended 1 lines to "` + path + `"`},
	})
	fileHolds(t, path, "top\na\n<b>\n#S\nin\n#E\nl1\nl2\nk=v\n")
	fileHolds(t, path+".bak", "a\n<b>\n#S\nin\n#E\n")
	if st, err := os.Stat(path); err != nil || st.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", st.Mode(), err)
	}
}

// An edit follows links, and changes the other names of a file by default.
func TestFileEdits_OfLinks(t *testing.T) {
	path := file(t, "f", "a\n")
	dir := filepath.Dir(path)
	link, other := filepath.Join(dir, "link"), filepath.Join(dir, "other")
	if err := os.Symlink("f", link); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(path, other); err != nil {
		t.Fatal(err)
	}
	result(t, newEnv(), "file.replace", link, "a", "b")
	fileHolds(t, other, "b\n")
	fileHolds(t, path+".bak", "a\n")
	if to, err := os.Readlink(link + ".bak"); err != nil || to != "f.bak" {
		t.Errorf("beside the link is %q, %v", to, err)
	}
	result(t, newEnv(), "file.replace", link, "b", "c", kw("preserve_inode", false))
	fileHolds(t, other, "b\n")
	fileHolds(t, path, "c\n")
	// A file in the place of the backup is replaced, never written through.
	secret := file(t, "secret", "secret")
	if err := os.Remove(path + ".bak"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, path+".bak"); err != nil {
		t.Fatal(err)
	}
	result(t, newEnv(), "file.replace", path, "c", "d")
	fileHolds(t, secret, "secret")
	fileHolds(t, path+".bak", "c\n")
}

// Paths that cannot be edited are an error: not a path, not a file, a pipe (reading it
// would block), a file larger than 16 MiB, and bytes that are not text.
func TestFileEdits_Refuse(t *testing.T) {
	env := newEnv()
	dir := t.TempDir()
	pipe, large, binary := filepath.Join(dir, "pipe"), filepath.Join(dir, "large"), filepath.Join(dir, "bin")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(large, []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, maxEdited+1); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(binary, []byte("a\xff\xfe\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		fun  string
		args []any
		want string
	}{
		{"file.replace", []any{"/tmp/a\x00b", "a", "b"}, "path is not a path: '/tmp/a\\x00b'"},
		{"file.append", []any{"", "x"}, "path is not a path: ''"},
		{"file.replace", []any{pipe, "a", "b"}, "is not a regular file"},
		{"file.append", []any{pipe, "x"}, "is not a regular file"},
		{"file.read", []any{pipe}, "is not a regular file"},
		{"file.contains", []any{pipe, "x"}, "is not a regular file"},
		{"file.write", []any{pipe, "x"}, "No such device or address"},
		{"file.line", []any{pipe, kw("mode", "delete", "match", "x")}, "does not exists or is not a file"},
		{"file.replace", []any{large, "a", "b"}, "has 16777217 bytes, more than 16777216"},
		{"file.blockreplace", []any{large, "a", "b"}, "bytes, more than 16777216"},
		{"file.prepend", []any{large, "b"}, "bytes, more than 16777216"},
		{"file.read", []any{large}, "bytes, more than 16777216"},
		{"file.seek_read", []any{large, maxEdited + 1, 0}, "size is from 0 to 16777216 bytes"},
		{"file.replace", []any{binary, "a", "b"}, "binary file"},
		{"file.blockreplace", []any{binary, "a", "b"}, "binary file"},
		{"file.comment_line", []any{binary, "a"}, "binary file"},
		{"file.line", []any{binary, kw("mode", "delete", "match", "a")}, "is not UTF-8"},
		{"file.read", []any{binary}, "is not UTF-8; read it with binary=True"},
		{"file.set_selinux_context", []any{large}, "is not supported"},
	} {
		r := run(t, env, c.fun, c.args...)
		if text, _ := r.Value.(string); r.Retcode == 0 || !strings.Contains(text, c.want) {
			t.Errorf("%s %q: %v", c.fun, c.args, r.Value)
		}
	}
	fileHolds(t, binary, "a\xff\xfe\n")
	if st, err := os.Stat(large); err != nil || st.Size() != maxEdited+1 {
		t.Errorf("%v %v", st.Size(), err)
	}
}

// A file larger than one piece is searched to its end, across the borders of pieces.
func TestFileContains(t *testing.T) {
	text := strings.Repeat("x", windowSize-3) + "needle" + strings.Repeat("y", windowSize) + "\ntail"
	path := file(t, "f", text)
	calls(t, newEnv(), []callCase{
		{"file.contains", []any{path, " needle\n"}, true},
		{"file.contains", []any{path, "tail"}, true},
		{"file.contains", []any{path, "needles"}, false},
		{"file.contains", []any{path + "no", "x"}, false},
		{"file.contains_regex", []any{path, "^tail$"}, true},
		{"file.contains_regex", []any{path, "^ail$", kw("lchar", "t")}, true},
		{"file.contains_regex", []any{path, "^ail$"}, false},
		{"file.contains_glob", []any{path, "*needle*"}, true},
		{"file.contains_glob", []any{path, "needle"}, false},
		{"file.seek_read", []any{path, 6, windowSize - 3}, "needle"},
		{"file.seek_write", []any{path, "NEE", windowSize - 3}, int64(3)},
		{"file.seek_read", []any{path, 6, windowSize - 3}, "NEEdle"},
	})
}

// Paths are split as in Python's os.path.
func TestFilePaths(t *testing.T) {
	calls(t, newEnv(), []callCase{
		{"file.dirname", []any{"/a/b/"}, "/a/b"},
		{"file.dirname", []any{"a"}, ""},
		{"file.dirname", []any{"//a"}, "//"},
		{"file.basename", []any{"/a/b/"}, ""},
		{"file.basename", []any{"a/b.c"}, "b.c"},
		{"file.normpath", []any{"//a/../b/./c"}, "//b/c"},
		{"file.normpath", []any{"a/b/../.."}, "."},
		{"file.normpath", []any{""}, "."},
		{"file.join", []any{"a", "/b", "c"}, "/b/c"},
		{"file.join", []any{"/", "usr", "", "bin"}, "/usr/bin"},
		{"file.pardir", nil, ".."},
	})
}

// Backups made by states are listed newest first, restored and deleted. A path cannot point
// outside of the backup folder.
func TestFileBackups(t *testing.T) {
	env := newEnv()
	cache := t.TempDir()
	env.options.Set("cachedir", cache)
	path := file(t, "f", "now\n")
	for i, text := range []string{"first\n", "second\n"} {
		if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
		if err := KeepBackup(cache, path, time.Date(2026, 11, 22, 10, 0, i, 123456000, time.UTC)); err != nil {
			t.Fatal(err)
		}
	}
	kept := filepath.Join(cache, "file_backup", filepath.Dir(path))
	if err := os.WriteFile(filepath.Join(kept, "f_of_another"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	second := m{"Backup Time": "Sun Nov 22 2026 10:00:01.123456", "Size": int64(7), "Location": kept + "/f_Sun_Nov_22_10:00:01_123456_2026"}
	calls(t, env, []callCase{
		{"file.list_backups", []any{path, kw("limit", 1)}, m{"0": second}},
		{"file.restore_backup", []any{path, "1"}, m{"result": true, "comment": "Successfully restored " + kept + "/f_Sun_Nov_22_10:00:00_123456_2026 to " + path}},
		{"file.restore_backup", []any{path, "x"}, m{"result": false, "comment": "Invalid backup_id 'x'"}},
		{"file.delete_backup", []any{path, "01"}, m{"result": false, "comment": "Invalid backup_id '01'"}},
		{"file.delete_backup", []any{path, "7"}, m{"result": false, "comment": "backup_id '7' does not exist for " + path}},
		{"file.list_backups", []any{"/../../" + path + "x"}, m{}},
	})
	fileHolds(t, path, "first\n")
}

// find has the same results as Salt's for each option and their combinations, and deletes
// nothing else.
func TestFileFind(t *testing.T) {
	env := newEnv()
	dir := t.TempDir()
	for name, text := range map[string]string{"a.txt": "alpha\n", "sub/b.bak": strings.Repeat("b", 3000), "sub/deep/C.TXT": "", "x y.txt": "quoted\n"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	old := time.Now().Add(-40 * 24 * time.Hour)
	if err := os.Chtimes(filepath.Join(dir, "sub/b.bak"), old, old); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("nowhere", filepath.Join(dir, "broken")); err != nil {
		t.Fatal(err)
	}
	in := func(names ...string) []any {
		out := []any{}
		for _, n := range names {
			out = append(out, filepath.Join(dir, n))
		}
		return out
	}
	calls(t, env, []callCase{
		{"file.find", []any{dir, kw("name", "*.txt")}, in("a.txt", "x y.txt")},
		{"file.find", []any{dir, kw("iname", "*.txt")}, in("a.txt", "sub/deep/C.TXT", "x y.txt")},
		{"file.find", []any{dir, kw("regex", "^[ab]")}, in("a.txt", "broken", "sub/b.bak")},
		{"file.find", []any{dir, kw("type", "l")}, in("broken")},
		{"file.find", []any{dir, kw("type", "f", "size", "+1k")}, in("sub/b.bak")},
		{"file.find", []any{dir, kw("type", "f", "mtime", "30d")}, in("sub/b.bak")},
		{"file.find", []any{dir, kw("grep", "al.ha")}, in("a.txt")},
		{"file.find", []any{dir, kw("mindepth", 3)}, in("sub/deep/C.TXT")},
		{"file.find", []any{dir, kw("maxdepth", 1, "type", "d")}, append([]any{dir}, in("sub")...)},
		{"file.find", []any{dir, kw("name", "a.txt", "print", "name,size,mode,type")}, []any{[]any{"a.txt", int64(6), int64(0o640), "f"}}},
		{"file.find", []any{dir, kw("name", "x y.txt", "exec", "printf [%s] {} '{}'")}, []any{"printf [%s] " + dir + "/x y.txt '" + dir + "/x y.txt':\n[" + dir + "/x y.txt][" + dir + "/x y.txt]\n\n"}},
		{"file.find", []any{dir, kw("bogus", "1")}, `error: invalid option "bogus"`},
		{"file.find", []any{dir, kw("type", "q")}, `error: invalid file type "q"`},
		{"file.find", []any{dir, kw("size", "x")}, `error: invalid size: "x"`},
		{"file.find", []any{dir, kw("mtime", "5y")}, "error: invalid time interval: '5y'"},
		{"file.find", []any{dir, kw("name", "")}, `error: missing value for "name" option`},
		{"file.find", []any{dir, kw("owner", "nosuchuser")}, `error: no such user "nosuchuser"`},
		{"file.find", []any{filepath.Join(dir, "nothing")}, []any{}},
		{"file.find", []any{dir, "delete", kw("name", "*.txt", "test", true)}, in("a.txt", "x y.txt")},
		{"file.find", []any{dir, "delete", kw("name", "*.txt")}, in("a.txt", "x y.txt")},
		{"file.find", []any{dir, kw("type", "f")}, in("sub/b.bak", "sub/deep/C.TXT")},
	})
	env.options.Set("cmd_blacklist_glob", []any{"touch *"})
	r := Execute(t.Context(), env, Invocation{Fun: "file.find", Direct: true, JID: "20261122000000000000", Args: []any{dir, kw("name", "b.bak", "exec", "touch {}")}})
	if text, _ := r.Value.(string); !strings.Contains(text, "is not permitted") {
		t.Errorf("a command of the blacklist: %v", r.Value)
	}
}

// grep, patch and get_diff return what Salt's return; an argument that looks like an option
// is not one.
func TestFileTools(t *testing.T) {
	env := newEnv()
	one, two := file(t, "one", "a\n-i\nb\n"), file(t, "two", "a\n2\nb\n")
	r := run(t, env, "file.grep", one, "-i")
	if out := plainValue(r.Value).(m); out["stdout"] != "-i" || out["retcode"] != int64(0) {
		t.Errorf("%v", out)
	}
	r = run(t, env, "file.grep", one, "zz", "-c")
	if out := plainValue(r.Value).(m); out["stdout"] != "0" || r.Retcode != 1 {
		t.Errorf("%v", out)
	}
	calls(t, env, []callCase{
		{"file.grep", []any{one, "a", "-i -B2"}, "ERROR executing 'file.grep': Passing multiple command line arguments in a single string is not supported, please pass the following arguments separately: -i -B2"},
		{"file.get_diff", []any{one, two}, "--- " + one + "\n+++ " + two + "\n@@ -1,3 +1,3 @@\n a\n--i\n+2\n b\n"},
		{"file.get_diff", []any{one, two, kw("show_changes", false)}, "<show_changes=False>"},
		{"file.get_diff", []any{one, one}, ""},
		{"file.get_diff", []any{one, one + "no"}, "ERROR: Failed to read " + one + "no: No such file or directory"},
		{"file.get_devmm", []any{"/dev/null"}, []any{int64(1), int64(3)}},
		{"file.get_devmm", []any{one}, []any{int64(0), int64(0)}},
	})
}
