package mutants

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	m, err := parse("a", "protects: the door\nwhy: w\ntest: ./x TestX/sub\nat a: drop 3\n\n# a remark\nat a-2: x >= 1 => x > 1\nat a-3: f() =>\nat a-4: return nil, err\nat a-5: replace 2\n\tif x {\n\t\ty()\n\t}\nat a-6: negate\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []edit{
		{marker: "a", op: drop, count: 3},
		{marker: "a-2", op: substitute, count: 1, old: "x >= 1", new: "x > 1"},
		{marker: "a-3", op: substitute, count: 1, old: "f()"},
		{marker: "a-4", op: giveBack, count: 1, text: "nil, err"},
		{marker: "a-5", op: replace, count: 2, text: "if x {\n\ty()\n}\n"},
		{marker: "a-6", op: negate, count: 1},
	}
	if m.protects != "the door" || m.why != "w" || m.pkg != "./x" || m.test != "TestX/sub" || len(m.edits) != len(want) {
		t.Fatalf("read %+v", m)
	}
	for i := range want {
		if m.edits[i] != want[i] {
			t.Errorf("edit %d is %+v, want %+v", i+1, m.edits[i], want[i])
		}
	}
}

func TestParseRefuses(t *testing.T) {
	whole := "protects: p\nwhy: w\ntest: ./x TestX\nat a: drop\n"
	if _, err := parse("a", whole); err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string]string{
		"no title":          strings.Replace(whole, "protects: p\n", "", 1),
		"no why":            strings.Replace(whole, "why: w\n", "", 1),
		"no test":           strings.Replace(whole, " TestX", "", 1),
		"no edit":           strings.Replace(whole, "at a: drop\n", "", 1),
		"a typo":            strings.Replace(whole, "why:", "wyh:", 1),
		"an unknown edit":   strings.Replace(whole, "drop", "remove", 1),
		"a word too many":   strings.Replace(whole, "drop", "true indeed", 1),
		"a count of one":    strings.Replace(whole, "drop", "drop 1", 1),
		"nothing to change": strings.Replace(whole, "drop", " => x", 1),
		"no text":           strings.Replace(whole, "drop", "replace", 1),
		"stray text":        whole + "\tx()\n",
		"bare text":         whole + "more\n",
		"another name":      strings.Replace(whole, "at a:", "at b:", 1),
		"a second name":     whole + "at a: drop\n",
	} {
		if _, err := parse("a", text); err == nil {
			t.Errorf("%s is accepted", what)
		}
	}
}

func TestSelected(t *testing.T) {
	m := mutant{name: "cve2016-1866-clear", protects: "a published attack", pkg: "./minion"}
	for only, want := range map[string]bool{"": true, "CVE": true, "1866": true, "attack": true, "./minion": true, "git": false} {
		if m.selected(only) != want {
			t.Errorf("%q selects: %v, want %v", only, !want, want)
		}
	}
}
