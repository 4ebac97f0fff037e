package modules

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The results are those of Salt 3006.27 for the same archives.
func TestArchiveList(t *testing.T) {
	dir, err := filepath.Abs("state/testdata/functions/more/archives")
	if err != nil {
		t.Fatal(err)
	}
	type m = map[string]any
	app := m{
		"dirs": []any{"app-1.0/", "app-1.0/bin/"}, "files": []any{"app-1.0/README", "app-1.0/bin/run"}, "links": []any{"app-1.0/go"},
		"top_level_dirs": []any{"app-1.0/"}, "top_level_files": []any{}, "top_level_links": []any{},
	}
	calls(t, newEnv(), []callCase{
		{"archive.list", []any{dir + "/app.tar.gz", kw("verbose", true)}, app},
		{"archive.list", []any{dir + "/app.tar.xz", kw("verbose", true)}, app},
		{"archive.list", []any{dir + "/app.zip", kw("verbose", true)}, app},
		{"archive.list", []any{dir + "/flat.tar"}, []any{"app-1.0/", "app-1.0/README", "app-1.0/bin/", "app-1.0/bin/run", "app-1.0/go", "top"}},
		{"archive.list", []any{dir + "/app.tar.gz", kw("strip_components", int64(1))}, []any{"README", "bin/", "bin/run", "go"}},
		{"archive.list", []any{dir + "/nodirs.zip"}, []any{"app-1.0/", "app-1.0/README", "app-1.0/bin/", "app-1.0/bin/run"}},
		{"archive.list", []any{dir + "/plain"}, "ERROR: Unable to guess archive format, please pass an 'archive_format' argument. Additional info follows:\n\narchive location:\n    " + dir + "/plain"},
		{"archive.list", []any{"/nosuch.tar"}, "ERROR: Failed to list contents of /nosuch.tar: [Errno 2] No such file or directory: '/nosuch.tar'. Additional info follows:\n\narchive location:\n    /nosuch.tar"},
		{"archive.is_encrypted", []any{dir + "/enc.zip"}, true},
		{"archive.is_encrypted", []any{dir + "/app.zip"}, false},
		{"archive.unzip", []any{dir + "/app.zip", t.TempDir()}, []any{"app-1.0/", "app-1.0/go", "app-1.0/README", "app-1.0/bin/", "app-1.0/bin/run"}},
		{"archive.unzip", []any{dir + "/app.zip", t.TempDir(), kw("trim_output", int64(1))}, []any{"app-1.0/"}},
		{"archive.tar", []any{"", "x"}, "ERROR executing 'archive.tar': Tar options can not be empty"},
	})
	out := t.TempDir()
	if err := os.WriteFile(filepath.Join(out, "f"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := run(t, newEnv(), "archive.tar", "cf", filepath.Join(out, "f.tar"), []any{"f"}, kw("cwd", out)); r.Err != nil {
		t.Fatal(r.Err)
	}
	if r := run(t, newEnv(), "archive.list", filepath.Join(out, "f.tar")); !strings.Contains(PyStr(r.Value), "'f'") {
		t.Error(r.Value)
	}
}
