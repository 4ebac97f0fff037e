package grains

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

func TestPython(t *testing.T) {
	for _, c := range []struct {
		link string
		want any
	}{
		{"python3.11", []any{int64(3), int64(11)}},
		{"/usr/local/bin/python3.9", []any{int64(3), int64(9)}},
		{"python3-config", nil},
		{"python99999999999999999999.1", nil},
		{"", nil},
	} {
		root := t.TempDir()
		if err := os.MkdirAll(filepath.Join(root, "usr/bin"), 0o755); err != nil {
			t.Fatal(err)
		}
		if c.link != "" {
			if err := os.Symlink(c.link, filepath.Join(root, pythonLink)); err != nil {
				t.Fatal(err)
			}
		}
		g := (&collector{tree: tree(root)}).python()
		if got, _ := g.Get("pythonversion"); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: %v, want %v", c.link, got, c.want)
		}
		if exe := g.Has("pythonexecutable"); exe != (c.want != nil) {
			t.Errorf("%q: pythonexecutable is there: %v", c.link, exe)
		}
	}
}
