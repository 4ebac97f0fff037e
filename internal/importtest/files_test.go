package importtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// References between files are functions, types and values of the package, but not fields or
// local names.
func TestFileRefs(t *testing.T) {
	for name, c := range map[string]struct {
		files  map[string]string
		cycle  string
		strays int
	}{
		"down":    {map[string]string{"a.go": "func a() { b() }", "b.go": "func b() {}"}, "", 0},
		"circle":  {map[string]string{"a.go": "func a() { b() }", "b.go": "var x = a\nfunc b() {}"}, "a.go → b.go → a.go", 0},
		"long":    {map[string]string{"a.go": "type A struct{ b B }", "b.go": "type B struct{ c *C }", "c.go": "type C []A"}, "a.go → b.go → c.go → a.go", 0},
		"hidden":  {map[string]string{"a.go": "func a() { b(); c := 1; _ = c }", "b.go": "func b() { a := 1; _ = a }", "c.go": "func c() {}"}, "", 0},
		"field":   {map[string]string{"a.go": "type A struct{ b int }\nfunc a() A { return A{b: 1} }", "b.go": "func b() { a() }"}, "", 0},
		"stray":   {map[string]string{"a.go": "type A struct{}", "b.go": "func (*A) m() {}"}, "", 1},
		"generic": {map[string]string{"a.go": "type A[T any] struct{}\nfunc (A[T]) m() {}"}, "", 0},
		"tests":   {map[string]string{"a.go": "func a() {}", "b_test.go": "func (*X) m() {}"}, "", 0},
	} {
		dir := t.TempDir()
		for file, text := range c.files {
			if err := os.WriteFile(filepath.Join(dir, file), []byte("package p\n\n"+text+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		refs, strays := fileRefs(t, dir)
		if got := strings.Join(findCycle(refs), " → "); got != c.cycle {
			t.Errorf("%s: cycle %q, want %q", name, got, c.cycle)
		}
		if len(strays) != c.strays {
			t.Errorf("%s: strays %v", name, strays)
		}
	}
}
