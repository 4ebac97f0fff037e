package publish

import "testing"

func TestNamed(t *testing.T) {
	for _, c := range []struct {
		tgt  any
		kind string
		want int
	}{
		{"web-1", "glob", 1},
		{"web-*", "glob", 0},
		{"web-[12]", "glob", 0},
		{[]any{"a", "b", "a"}, "list", 2},
		{"a,b", "list", 2},
		{"os:Debian", "grain", 0},
	} {
		if got := countNamed(c.tgt, c.kind); got != c.want {
			t.Errorf("%v (%s) names %d, want %d", c.tgt, c.kind, got, c.want)
		}
	}
}
