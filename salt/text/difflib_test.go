package text

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The cases of testdata/python.json hold what Python's difflib.unified_diff gave.
func TestUnified_AsPython(t *testing.T) {
	data, err := os.ReadFile("testdata/python.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct{ A, B, Diff string }
	if err := json.Unmarshal(data, &cases); err != nil || len(cases) < 50 {
		t.Fatal(len(cases), err)
	}
	for i, c := range cases {
		if d := cmp.Diff(c.Diff, Diff(c.A, c.B)); d != "" {
			t.Errorf("case %d: %s", i, d)
		}
	}
}

// What a difference says can be carried out: it makes b of a.
func FuzzUnified(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nc\nd")
	f.Add("", "x")
	f.Fuzz(func(t *testing.T, a, b string) {
		diff := UnifiedDiff(DiffLines(a), DiffLines(b))
		if (len(diff) == 0) != (a == b) {
			t.Fatalf("%q and %q: %q", a, b, diff)
		}
		var from, to strings.Builder
		for _, l := range diff {
			switch {
			case strings.HasPrefix(l, "--- ") || strings.HasPrefix(l, "+++ ") || strings.HasPrefix(l, "@@ "):
			case l[0] == '-':
				from.WriteString(l[1:])
			case l[0] == '+':
				to.WriteString(l[1:])
			default:
				from.WriteString(l[1:])
				to.WriteString(l[1:])
			}
		}
		if len(DiffLines(a)) < 4 && len(DiffLines(b)) < 4 && len(diff) > 0 && !strings.Contains(a+b, "-- ") && !strings.Contains(a+b, "++ ") &&
			(from.String() != a || to.String() != b) {
			t.Fatalf("%q to %q gave %q", a, b, diff)
		}
	})
}
