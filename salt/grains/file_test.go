package grains

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/value"
)

func TestFile_RoundTrip(t *testing.T) {
	dir := t.TempDir()
	g := value.NewMap("role", "web", "yes", "yes", "n", int64(3), "nest", value.NewMap("tags", []any{"a", int64(1), nil}),
		"text", "a: b\n# c\n", "empty", "", "number", "010", "list", []any{}, "map", value.NewMap(),
		"float", 2.0, "big", 1e300, "small", -1.5e-9, "digits", "99999999999999999999", "bytes", "\xff\x00")
	if err := WriteFile(dir, g); err != nil {
		t.Fatal(err)
	}
	got, err := ReadFile(dir)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(value.Plain(g), value.Plain(got)); d != "" {
		t.Errorf("read back (-want +got):\n%s", d)
	}
	if d := cmp.Diff(g.Keys(), got.Keys()); d != "" {
		t.Errorf("order (-want +got):\n%s", d)
	}
}

func TestFile_WriteLeavesNoOtherFileAndKeepsMode(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, FileName)
	if err := os.WriteFile(path, []byte("a: 1\n"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(dir, value.NewMap("b", int64(2))); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 {
		t.Errorf("folder holds %v, want the file alone", entries)
	}
	st, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if st.Mode().Perm() != 0o640 {
		t.Errorf("mode = %v, want 0640", st.Mode())
	}
}

func TestFile_Errors(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"bad yaml": {"a: [", "grains"},
		"a list":   {"- a\n", "not hold a map"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, FileName), []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := ReadFile(dir); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("err = %v, want one about %q", err, tt.want)
			}
		})
	}
	if err := WriteFile(filepath.Join(t.TempDir(), "none"), value.NewMap()); err == nil {
		t.Error("write into a missing folder gave no error")
	}
}

func TestFile_AbsentIsEmpty(t *testing.T) {
	if g, err := ReadFile(t.TempDir()); err != nil || g.Len() != 0 {
		t.Errorf("ReadFile = %v, %v; want an empty map", g, err)
	}
}
