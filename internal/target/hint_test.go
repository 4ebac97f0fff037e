package target

import (
	"strings"
	"testing"
)

func TestHint(t *testing.T) {
	for _, c := range []struct {
		tgt  any
		kind string
		want string // the word as it should be written; empty for no hint
	}{
		{"G@os:Debian and (web*", "compound", `"( web*"`},
		{"(a* or b*) and not c", "compound", `"( a*"`},
		{"a* or b*)", "compound", `"b* )"`},
		{"((a or b))", "compound", `"( ( a"`},
		{"a and not(b)", "compound", `"not ( b )"`},
		{"(G@os:Debian or x", "compound", `"( G@os:Debian"`},
		{"()", "compound", `"( )"`},
		{"( a or b ) and not c", "compound", ""},
		{"E@(web|db)-.* and P@os:(Debian|Ubuntu)", "compound", ""},
		{"G@note:(old)", "compound", ""},
		{"(web*", "glob", ""},
		{[]any{"a", "or", "(b"}, "compound_pillar_exact", `"( b"`},
		{"", "compound", ""},
		{1, "compound", ""},
	} {
		got := Hint(c.tgt, c.kind)
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%v: %q, want %s", c.tgt, got, c.want)
		}
	}
}
