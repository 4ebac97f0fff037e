package sqlrows

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStatements(t *testing.T) {
	const script = "-- a remark\nCREATE TABLE a (\n  b text -- its column; really\n);\n\n-- only two\nCREATE INDEX i;\n-- only one\nCREATE INDEX j;\n;\n"
	for returner, want := range map[string][]string{
		"one": {"CREATE TABLE a (\n  b text -- its column; really\n)", "CREATE INDEX j"},
		"two": {"CREATE TABLE a (\n  b text -- its column; really\n)", "CREATE INDEX i"},
	} {
		if diff := cmp.Diff(want, Statements(script, returner)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", returner, diff)
		}
	}
}

func TestFirst(t *testing.T) {
	if got := First("SELECT 1"); got != "SELECT 1" {
		t.Errorf("a short statement: %q", got)
	}
	if got := First(strings.Repeat("x", 500)); got != strings.Repeat("x", 200)+"…" {
		t.Errorf("a long statement: %q", got)
	}
}
