package files

import "testing"

// TestShown: names, globs, and expressions that match the whole name; the blacklist wins.
func TestShown(t *testing.T) {
	for _, c := range []struct {
		white, black []string
		name         string
		want         bool
	}{
		{nil, nil, "any", true},
		{[]string{"dev"}, nil, "dev", true},
		{[]string{"dev"}, nil, "devel", false},
		{[]string{"v1.*"}, nil, "v1.2", true},
		{[]string{`v\d+`}, nil, "v12", true},
		{[]string{`v\d+`}, nil, "v12x", false},
		{[]string{"*"}, []string{"secret*"}, "secret-1", false},
		{nil, []string{"("}, "(", false},
		{nil, []string{"("}, "x", true},
	} {
		if got := NewNameLists(c.white, c.black).Shown(c.name); got != c.want {
			t.Errorf("%v, %v: %s: %v", c.white, c.black, c.name, got)
		}
	}
}
