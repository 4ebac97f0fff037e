package target

import "testing"

func TestPattern(t *testing.T) {
	for _, c := range []struct {
		text, name   string
		want, grants bool
	}{
		{"root", "root", true, true},
		{"root", "rooted", false, false},
		{"ro*", "root", true, true},
		{"ro.*", "root", true, true},
		{"ro|x", "root", true, false}, // only the last must match to the end
		{"x|root", "root", true, true},
		{"[", "x", false, false},
		{"[", "[", true, true},
	} {
		if got := NewPattern(c.text).Match(c.name); got != c.want {
			t.Errorf("%q means %q: %v", c.text, c.name, got)
		}
		if got := NewPatterns([]string{"nothing", c.text}).Match(c.name); got != c.want {
			t.Errorf("%q in a list means %q: %v", c.text, c.name, got)
		}
		if got := NewGrant(c.text).Match(c.name); got != c.grants {
			t.Errorf("%q grants %q: %v", c.text, c.name, got)
		}
	}
}
