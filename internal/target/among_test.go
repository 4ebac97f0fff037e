package target

import (
	"slices"
	"testing"
)

func TestAmong(t *testing.T) {
	for _, c := range []struct {
		tgt, kind string
		want      []string
		ok        bool
	}{
		{"web-01", "glob", []string{"web-01"}, true},
		{"web-*", "glob", nil, false},
		{"a,b", "list", []string{"a", "b"}, true},
		{"L@a,b and G@os:x", "compound", []string{"a", "b"}, true},
		{"G@os:x and web-01", "compound", []string{"web-01"}, true},
		{"web-01 or L@a,b", "compound", []string{"web-01", "a", "b"}, true},
		{"web-01 or web-*", "compound", nil, false},
		{"web-* or web-01", "compound", nil, false},
		{"not web-01", "compound", nil, false},
		{"os:x", "grain", nil, false},
	} {
		e, err := Parse(c.tgt, c.kind, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if ids, ok := Among(e); ok != c.ok || ok && !slices.Equal(ids, c.want) {
			t.Errorf("%s: %v, %v", c.tgt, ids, ok)
		}
	}
}
