package mutants

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const root = "../.."

// Every mutant has its markers, applies and still parses, its package has the test that
// it names, and every marker has a mutant. So the ordinary test run notices a statement
// that changed, not the next long one.
func TestMutantsApply(t *testing.T) {
	all, err := load(root, "")
	if err != nil {
		t.Fatal(err)
	}
	at, err := findMarkers(root)
	if err != nil {
		t.Fatal(err)
	}
	unused := maps.Clone(at)
	for _, m := range all {
		for _, e := range m.edits {
			delete(unused, e.marker)
		}
		if _, err := m.apply(root, at); err != nil {
			t.Errorf("%s: %v", m.name, err)
		}
		out, err := exec.Command("grep", "-rhoE", "^func Test[A-Za-z0-9_]*", "--include=*_test.go", filepath.Join(root, m.pkg)).Output()
		if err != nil {
			t.Errorf("%s: there are no tests in %s", m.name, m.pkg)
			continue
		}
		run, _, _ := strings.Cut(m.test, "/")
		re, err := regexp.Compile(run)
		if err != nil {
			t.Errorf("%s: %v", m.name, err)
			continue
		}
		found := false
		for name := range strings.Lines(string(out)) {
			found = found || re.MatchString(strings.TrimPrefix(strings.TrimSpace(name), "func "))
		}
		if !found {
			t.Errorf("%s: %s has no test %s", m.name, m.pkg, m.test)
		}
	}
	for name, file := range unused {
		t.Errorf("%s: the marker //mutant:%s has no mutant", file, name)
	}
}

// Each test of an attack that docs/design/security.md names has a mutant that it kills.
func TestEachAttackHasAMutant(t *testing.T) {
	all, err := load(root, "")
	if err != nil {
		t.Fatal(err)
	}
	has := map[string]bool{}
	for _, m := range all {
		has[m.test] = true
	}
	page, err := os.ReadFile(filepath.Join(root, "docs", "design", "security.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("(?m)^\\| .* \\| `(Test\\w+)` \\|$").FindAllSubmatch(page, -1)
	if len(rows) == 0 {
		t.Fatal("the page names no test")
	}
	for _, row := range rows {
		if name := string(row[1]); !has[name] {
			t.Errorf("%s has no mutant", name)
		}
	}
}

// A small module with one protection: the true test kills its mutant, a hollow one
// lets it live, and what does not apply or compile is called broken.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file("go.mod", "module door\n\ngo 1.22\n")
	file("door.go", "package door\n\nfunc Enter(name string) bool {\n\t//mutant:true,hollow,moved,untyped,no-test\n\treturn name == \"friend\"\n}\n")
	file("door_test.go", "package door\n\nimport \"testing\"\n\n"+
		"func TestStranger(t *testing.T) {\n\tif Enter(\"foe\") {\n\t\tt.Error(\"a foe is let in\")\n\t}\n}\n\n"+
		"func TestHollow(t *testing.T) {\n\tif !Enter(\"friend\") {\n\t\tt.Error(\"a friend is kept out\")\n\t}\n}\n")
	for name, c := range map[string]struct{ test, edit string }{
		"true":     {"TestStranger", "== \"friend\" => != \"\""},
		"hollow":   {"TestHollow", "return name != \"\""},
		"moved":    {"TestStranger", "\"stranger\" => \"\""},
		"unmarked": {"TestStranger", "drop"},
		"untyped":  {"TestStranger", "return name"},
		"no-test":  {"TestNobody", "return true"},
	} {
		file("lab/mutants/"+name+".txt", "protects: the door\nwhy: strangers stay outside\ntest: . "+c.test+"\nat "+name+": "+c.edit+"\n")
	}
	var out bytes.Buffer
	if err := Play(t.Context(), &out, dir, "", false); err == nil {
		t.Error("a survivor does not fail the run")
	}
	for _, want := range []string{
		"killed    true", "door_test.go:7: a foe is let in", "SURVIVED  hollow", "BROKEN    moved", "stands 0 times", "BROKEN    unmarked", "no marker",
		"BROKEN    untyped", "does not compile", "BROKEN    no-test", "6 mutants: 1 killed, 1 survived, 4 broken",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("does not say %q:\n%s", want, out.String())
		}
	}
	out.Reset()
	if err := Play(t.Context(), &out, dir, "TRUE", true); err != nil {
		t.Errorf("%v\n%s", err, out.String())
	}
}
