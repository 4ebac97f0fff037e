package upstream

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	kept    = "testdata/results.json"
	reasons = "reasons.tsv"
	page    = "../../docs/reference/upstream.md"
)

func read(t *testing.T) (Results, []Reason) {
	t.Helper()
	r, err := ReadResults(kept)
	if err != nil {
		t.Fatal(err)
	}
	why, err := ReadReasons(reasons)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Runs) == 0 || len(why) == 0 {
		t.Fatalf("%d runs, %d reasons", len(r.Runs), len(why))
	}
	return r, why
}

func TestEveryFailureHasAReason(t *testing.T) {
	r, why := read(t)
	used := map[Reason]bool{}
	for _, run := range r.Runs {
		for _, test := range run.Tests {
			if test.Outcome != Failed {
				continue
			}
			reason, ok := Find(why, run.Cast, test.Name)
			if !ok {
				t.Errorf("%s: %s fails without a reason: %s", run.Cast, test.Name, test.Text)
			}
			used[reason] = true
		}
	}
	for _, reason := range why {
		if !used[reason] {
			t.Errorf("no test fails for the reason of %s (%s)", reason.Tests, reason.Cast)
		}
	}
}

func TestPage(t *testing.T) {
	r, why := read(t)
	var want bytes.Buffer
	if err := WritePage(&want, r, why); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Error("docs/reference/upstream.md is not what the results give: momlab upstream --page-only")
	}
}

func TestHideFolders(t *testing.T) {
	tests := []Test{{Text: "no /tmp/a/conf in /opt/b/salt/minion.py"}, {Name: "passed"}}
	hideFolders(tests, "/tmp/a", "DIR", "/opt/b", "SALT")
	if want := "no DIR/conf in SALT/salt/minion.py"; tests[0].Text != want || tests[1].Text != "" {
		t.Errorf("got %q, want %q", tests, want)
	}
}

func TestParseJUnit(t *testing.T) {
	got, err := ParseJUnit([]byte(`<testsuites><testsuite>
<testcase classname="opt.salt.3006.27.tests.pytests.integration.cli.test_x" name="test_a"/>
<testcase classname="tests.pytests.integration.cli.test_x" name="test_b[1]"><failure message="assert 1 == 2&#10;more">trace</failure></testcase>
<testcase classname="tests.pytests.integration.cli.test_x" name="test_c"><skipped message="not here"/></testcase>
<testcase classname="tests.pytests.integration.cli.test_x" name="test_a"><error message="tear-down"/></testcase>
<testcase classname="opt.salt.3006.27.tests.integration.modules.test_y.YTest" name="test_d"/>
</testsuite></testsuites>`))
	want := []Test{
		{"integration.cli.test_x::test_a", Failed, "tear-down"},
		{"integration.cli.test_x::test_b[1]", Failed, "assert 1 == 2"},
		{"integration.cli.test_x::test_c", Skipped, "not here"},
		{"old.integration.modules.test_y.YTest::test_d", Passed, ""},
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := ParseJUnit([]byte("<a")); err == nil {
		t.Error("half a file is taken")
	}
}

func TestReasons(t *testing.T) {
	file := filepath.Join(t.TempDir(), "reasons")
	for text, bad := range map[string]bool{
		"a*::b[1]\t*\tfails with Salt too\tw": false, "# c\n\n": false, "a\t*\twhy\tw": true, "a\t*\tdiffers by design": true,
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		why, err := ReadReasons(file)
		if (err != nil) != bad {
			t.Errorf("%q: %v", text, err)
		}
		if len(why) == 1 {
			if _, ok := Find(why, "all mom", "axx::b[1]"); !ok {
				t.Error("a name with brackets is not found")
			}
			if _, ok := Find(why, "all mom", "axx::b1"); ok {
				t.Error("brackets are read as a set")
			}
		}
	}
}

// Each program runs what its cast says, with the words that it is given.
func TestWriteScripts(t *testing.T) {
	dir := t.TempDir()
	salt := filepath.Join(dir, "salt")
	if err := os.Mkdir(salt, 0o700); err != nil {
		t.Fatal(err)
	}
	program := func(path, says string) {
		t.Helper()
		if err := os.WriteFile(path, []byte("#!/bin/sh\necho "+says+" \"$(basename \"$0\")\" \"$@\"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	mom := filepath.Join(dir, "mom")
	program(mom, "mom")
	eighth := filepath.Join(dir, "eighth")
	if err := os.Mkdir(eighth, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		program(filepath.Join(salt, n), "salt")
		program(filepath.Join(eighth, n), "3008")
	}
	for _, c := range Casts() {
		to := filepath.Join(dir, "casts", c.Name)
		if err := c.WriteScripts(to, mom, salt, eighth, []string{"true"}); err != nil {
			t.Fatal(err)
		}
		for _, n := range []string{"salt-syndic", "salt-call"} { // of each kind one: Python starts slowly
			out, err := exec.Command(filepath.Join(to, n), "a b").CombinedOutput()
			want := "salt " + n + " a b\n"
			if slices.Contains(c.Ours, n) {
				want = strings.Join(append([]string{"mom", n}, append(slices.Clone(alone[n]), "a b")...), " ") + "\n"
			}
			if slices.Contains(c.Eighth, n) {
				want = "3008 " + n + " a b\n"
			}
			if err != nil || string(out) != want {
				t.Errorf("%s: %s: %q, %v, want %q", c.Name, n, out, err, want)
			}
		}
	}
}
