package mutants

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const root = "../.."

// Every mutant still applies, once, and its package has a test that it names; so a
// file that was moved is noticed in the ordinary test run, not in the next long one.
func TestMutantsApply(t *testing.T) {
	all, err := load(".", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		if _, err := m.apply(root); err != nil {
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
}

// Each test of an attack that docs/design/security.md names has a mutant that it kills.
func TestEachAttackHasAMutant(t *testing.T) {
	all, err := load(".", "")
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
	file("door.go", "package door\n\nfunc Enter(name string) bool {\n\treturn name == \"friend\"\n}\n")
	file("door_test.go", "package door\n\nimport \"testing\"\n\n"+
		"func TestStranger(t *testing.T) {\n\tif Enter(\"foe\") {\n\t\tt.Error(\"a foe is let in\")\n\t}\n}\n\n"+
		"func TestHollow(t *testing.T) {\n\tif !Enter(\"friend\") {\n\t\tt.Error(\"a friend is kept out\")\n\t}\n}\n")
	for name, c := range map[string]struct{ test, old, new string }{
		"A-true":    {"TestStranger", "name == \"friend\"", "name != \"\""},
		"B-hollow":  {"TestHollow", "name == \"friend\"", "name != \"\""},
		"C-gone":    {"TestStranger", "name == \"stranger\"", "true"},
		"D-syntax":  {"TestStranger", "name == \"friend\"", "name =="},
		"E-no-test": {"TestNobody", "name == \"friend\"", "name != \"\""},
	} {
		file("lab/mutants/"+name+".txt", "row: X\nwhy: strangers stay outside\ntest: . "+c.test+"\nfile: door.go\n-- old --\n\treturn "+c.old+"\n-- new --\n\treturn "+c.new+"\n-- end --\n")
	}
	var out bytes.Buffer
	if err := Play(t.Context(), &out, dir, "", false); err == nil {
		t.Error("a survivor does not fail the run")
	}
	for _, want := range []string{"killed    A-true", "door_test.go:7: a foe is let in", "SURVIVED  B-hollow", "BROKEN    C-gone", "stands 0 times", "BROKEN    D-syntax", "BROKEN    E-no-test", "5 mutants: 1 killed, 1 survived, 3 broken"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("does not say %q:\n%s", want, out.String())
		}
	}
	out.Reset()
	if err := Play(t.Context(), &out, dir, "A", true); err != nil {
		t.Errorf("%v\n%s", err, out.String())
	}
}

func TestParseRefuses(t *testing.T) {
	whole := "row: A1\nwhy: w\ntest: ./x TestX\nfile: x.go\n-- old --\na\n-- new --\nb\n-- end --\n"
	if _, err := parse(whole); err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string]string{
		"no end":    strings.Replace(whole, "-- end --\n", "", 1),
		"no row":    strings.Replace(whole, "row: A1\n", "", 1),
		"no test":   strings.Replace(whole, " TestX", "", 1),
		"no file":   strings.Replace(whole, "file: x.go\n", "", 1),
		"no old":    strings.Replace(whole, "a\n", "", 1),
		"a typo":    strings.Replace(whole, "why:", "wyh:", 1),
		"no edit":   "row: A1\nwhy: w\ntest: ./x TestX\n",
		"bare text": whole + "more\n",
	} {
		if _, err := parse(text); err == nil {
			t.Errorf("%s is taken", what)
		}
	}
}
