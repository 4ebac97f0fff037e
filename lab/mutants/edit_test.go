package mutants

import (
	"go/format"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Each edit changes the marked node, and nothing else of the file.
func TestEdit(t *testing.T) {
	for what, c := range map[string]struct{ source, edit, want string }{
		"drop a statement":         {"func f() {\n\ta()\n\t//mutant:m\n\tb()\n\tc()\n}", "drop", "func f() {\n\ta()\n\t//mutant:m\n\tc()\n}"},
		"drop several":             {"func f() {\n\t//mutant:m\n\ta()\n\tb()\n\tc()\n}", "drop 2", "func f() {\n\t//mutant:m\n\tc()\n}"},
		"drop a case":              {"func f() {\n\tswitch {\n\t//mutant:m\n\tcase a:\n\t\tb()\n\tcase c:\n\t}\n}", "drop", "func f() {\n\tswitch {\n\t//mutant:m\n\tcase c:\n\t}\n}"},
		"drop an element":          {"var x = []int{\n\t//mutant:m\n\t1,\n\t2,\n}", "drop", "var x = []int{\n\t//mutant:m\n\t2,\n}"},
		"drop a key":               {"var x = T{\n\t//mutant:m\n\tA: 1,\n\tB: 2,\n}", "drop", "var x = T{\n\t//mutant:m\n\tB: 2,\n}"},
		"drop a field":             {"type x struct {\n\t//mutant:m\n\ta int\n\tb int\n}", "drop", "type x struct {\n\t//mutant:m\n\tb int\n}"},
		"drop a constant":          {"const (\n\t//mutant:m\n\ta = 1\n\tb = 2\n)", "drop", "const (\n\t//mutant:m\n\tb = 2\n)"},
		"true":                     {"func f() {\n\t//mutant:m\n\tif a := g(); a > b {\n\t\tc()\n\t}\n}", "true", "func f() {\n\t//mutant:m\n\tif a := g(); true {\n\t\tc()\n\t}\n}"},
		"false of a loop":          {"func f() {\n\t//mutant:m\n\tfor a < b {\n\t}\n}", "false", "func f() {\n\t//mutant:m\n\tfor false {\n\t}\n}"},
		"negate":                   {"func f() {\n\t//mutant:m\n\tif a || b {\n\t}\n}", "negate", "func f() {\n\t//mutant:m\n\tif !(a || b) {\n\t}\n}"},
		"negate a case":            {"func f() {\n\tswitch {\n\t//mutant:m\n\tcase a:\n\t}\n}", "negate", "func f() {\n\tswitch {\n\t//mutant:m\n\tcase !(a):\n\t}\n}"},
		"return from a function":   {"// F is f.\n//\n//mutant:m\nfunc F() error {\n\ta()\n\treturn b()\n}", "return nil", "// F is f.\n//\n//mutant:m\nfunc F() error {\n\treturn nil\n}"},
		"return at a statement":    {"func f() {\n\t//mutant:m\n\tif a {\n\t\tb()\n\t}\n\tc()\n}", "return", "func f() {\n\t//mutant:m\n\treturn\n\tc()\n}"},
		"text in a statement":      {"func f() {\n\ta(1)\n\t//mutant:m\n\ta(1)\n}", "1 => 2", "func f() {\n\ta(1)\n\t//mutant:m\n\ta(2)\n}"},
		"no text in a statement":   {"func f() {\n\t//mutant:m\n\ta(1, b)\n}", ", b =>", "func f() {\n\t//mutant:m\n\ta(1)\n}"},
		"text in a tag":            {"type x struct {\n\t//mutant:m\n\ta int `max:\"1\"`\n}", "max:\"1\" => max:\"9\"", "type x struct {\n\t//mutant:m\n\ta int `max:\"9\"`\n}"},
		"replace":                  {"func f() {\n\t//mutant:m\n\ta()\n\tb()\n}", "replace\n\t_ = a\n\tc()", "func f() {\n\t//mutant:m\n\t_ = a\n\tc()\n\tb()\n}"},
		"replace several":          {"func f() {\n\t//mutant:m\n\ta()\n\tb()\n}", "replace 2\n\tc()", "func f() {\n\t//mutant:m\n\tc()\n}"},
		"before":                   {"func f() {\n\t//mutant:m\n\ta()\n}", "before\n\tb()", "func f() {\n\t//mutant:m\n\tb()\n\ta()\n}"},
		"after":                    {"func f() {\n\t//mutant:m\n\ta()\n\tc()\n}", "after\n\tb()", "func f() {\n\t//mutant:m\n\ta()\n\tb()\n\tc()\n}"},
		"a name among others":      {"func f() {\n\t//mutant:l,m,n\n\ta()\n}", "drop", "func f() {\n\t//mutant:l,m,n\n}"},
		"a comment between":        {"func f() {\n\t//mutant:m\n\t// A remark.\n\ta()\n\tb()\n}", "drop", "func f() {\n\t//mutant:m\n\t// A remark.\n\tb()\n}"},
		"a marker in the node":     {"func f() {\n\t//mutant:m\n\tif a {\n\t\t//mutant:n\n\t\tb()\n\t}\n}", "b() => c()", "func f() {\n\t//mutant:m\n\tif a {\n\t\t//mutant:n\n\t\tc()\n\t}\n}"},
		"an import that goes":      {"import \"x/b\"\n\nfunc f() {\n\t//mutant:m\n\tb.A()\n}", "drop", "import _ \"x/b\"\n\nfunc f() {\n\t//mutant:m\n}"},
		"an import with a name":    {"import c \"x/b\"\n\nfunc f() {\n\t//mutant:m\n\tc.A()\n}", "drop", "import _ \"x/b\"\n\nfunc f() {\n\t//mutant:m\n}"},
		"an import that comes":     {"func f() {\n\t//mutant:m\n\ta()\n}", "a() => os.Exit(1)", "import \"os\"\n\nfunc f() {\n\t//mutant:m\n\tos.Exit(1)\n}"},
		"an import of another use": {"import \"x/b\"\n\nfunc f() {\n\t//mutant:m\n\tb.A()\n\tb.B()\n}", "drop", "import \"x/b\"\n\nfunc f() {\n\t//mutant:m\n\tb.B()\n}"},
	} {
		got, err := applied(t, c.source, c.edit)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		text, err := format.Source([]byte(got))
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if got, want := squeeze(strings.Replace(string(text), "; import", "\n\nimport", 1)), squeeze("package x\n\n"+c.want+"\n"); got != want {
			t.Errorf("%s gives\n%s\nwants\n%s", what, got, want)
		}
	}
}

// squeeze removes empty lines.
func squeeze(s string) string {
	for strings.Contains(s, "\n\n") {
		s = strings.ReplaceAll(s, "\n\n", "\n")
	}
	return s
}

func TestEditRefuses(t *testing.T) {
	for what, c := range map[string]struct{ source, edit, want string }{
		"no marker":              {"func f() {\n\ta()\n}", "drop", "no marker //mutant:m"},
		"nothing behind it":      {"func f() {\n\ta()\n\t//mutant:m\n}", "drop", "begins behind the marker"},
		"the end of a block":     {"func f() {\n\t{\n\t\t//mutant:m\n\t}\n\ta()\n}", "drop", "begins behind the marker"},
		"too few to drop":        {"func f() {\n\t//mutant:m\n\ta()\n}\n\nfunc g() {}", "drop 2", "fewer than 2"},
		"no condition":           {"func f() {\n\t//mutant:m\n\ta()\n}", "true", "has no condition"},
		"a case of two":          {"func f() {\n\tswitch {\n\t//mutant:m\n\tcase a, b:\n\t}\n}", "true", "has no condition"},
		"text that is not there": {"func f() {\n\t//mutant:m\n\ta()\n\tb()\n}", "b => c", "stands 0 times"},
		"text that stands twice": {"func f() {\n\t//mutant:m\n\ta(a)\n}", "a => b", "stands 2 times"},
		"what does not parse":    {"func f() {\n\t//mutant:m\n\ta()\n}", "a() => a(", "expected"},
		"a marker twice":         {"func f() {\n\t//mutant:m\n\ta()\n\t//mutant:m\n\ta()\n}", "drop", "stands in x.go and in x.go"},
		"a name in capitals":     {"func f() {\n\t//mutant:M\n\ta()\n}", "drop", "not in lower case"},
	} {
		if _, err := applied(t, c.source, c.edit); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", what, err, c.want)
		}
	}
}

// Edits of one mutant may lie in each other, the inner first.
func TestEdit_Nested(t *testing.T) {
	got, err := applied(t, "func f() {\n\t//mutant:m-2\n\tif a {\n\t\t//mutant:m\n\t\tb()\n\t}\n}", "b => c\nat m-2: negate")
	if err != nil || !strings.Contains(got, "!(a)") || !strings.Contains(got, "c()") {
		t.Errorf("gives %q, %v", got, err)
	}
	if _, err = applied(t, "func f() {\n\t//mutant:m\n\tif a {\n\t\t//mutant:m-2\n\t\tb()\n\t}\n}", "drop\nat m-2: drop"); err == nil || !strings.Contains(err.Error(), "earlier edit") {
		t.Errorf("error %v", err)
	}
}

// Markers are found in every module, and not in test data or in strings.
func TestFindMarkers(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.go":            "package a\n\n//mutant:one\nvar x = `\n//mutant:text\n`\n",
		"lab/b/b_test.go": "package b\n\n//mutant:two,three\nvar x int\n",
		"testdata/c.go":   "not Go //mutant:four",
		"d.txt":           "//mutant:five\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	at, err := findMarkers(dir)
	if want := (markers{"one": "a.go", "two": "lab/b/b_test.go", "three": "lab/b/b_test.go"}); err != nil || !maps.Equal(at, want) {
		t.Errorf("found %v, %v, want %v", at, err, want)
	}
}

// applied returns source as package x with the edit made at the marker m.
func applied(t *testing.T, source, edit string) (string, error) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x.go"), []byte("package x\n\n"+source+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := parse("m", "protects: p\nwhy: w\ntest: ./x TestX\nat m: "+edit+"\n")
	if err != nil {
		t.Fatal(err)
	}
	at, err := findMarkers(dir)
	if err != nil {
		return "", err
	}
	out, err := m.apply(dir, at)
	return out["x.go"], err
}
