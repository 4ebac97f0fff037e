package target

import "testing"

func TestWithin(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"web1", "web*", true},
		{"web*", "web*", true},
		{"web1*", "web*", true},
		{"web[12]*", "web*", true},
		{"we*", "web*", false},
		{"[w]eb*", "web*", false},
		{"*", "web*", false},
		{"*", "*", true},
		{"G@a:b", "*", true},
		{"L@web1,web2", "web*", true},
		{"L@web1,db2", "web*", false},
		{"web1", "G@a:b", false},
		{"G@a:b", "G@a:b", true},
		{"G@a:b", "G@a:c", false},
		{"P@a:b", "G@a:b", false},
		{"G@a:b", "I@a:b", false},
		{"E@web.*", "E@web.*", true},
		{"E@web.*", "web*", false},
		{"G@a:b and web*", "web*", true},
		{"web* and G@a:b", "web*", true},
		{"web* or G@a:b", "web*", false},
		{"web1 or web2*", "web*", true},
		{"web* and G@a:b", "web* and G@a:b", true},
		{"web1", "web* and not db*", true},
		{"web*", "web* and not db*", false},
		{"* and not db*", "* and not db*", true},
		{"* and not db*", "not db1*", true},
		{"* and not db1*", "not db*", false},
		{"web1", "not G@a:b", false},
		{"db* or web*", "web* or db*", true},
		{"web*", "G@a:b or web*", true},
		{"not db*", "web*", false},
	} {
		parse := func(text string) Expr {
			e, err := Parse(text, "compound", Options{})
			if err != nil {
				t.Fatal(err)
			}
			return e
		}
		if got := Within(parse(c.a), parse(c.b)); got != c.want {
			t.Errorf("%q within %q: %v", c.a, c.b, got)
		}
	}
	exact, err := Parse("a:b*", "pillar_exact", Options{})
	if err != nil {
		t.Fatal(err)
	}
	pattern, err := Parse("a:b*", "pillar", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !Within(exact, pattern) || Within(pattern, exact) {
		t.Error("an exact value is within its pattern, and the pattern not within it")
	}
}

// A target that is within another matches no minion that the other does not match.
func FuzzWithin(f *testing.F) {
	for _, s := range []string{"web*", "web1* and not *2", "not ( a* or b* )", "L@a,b or E@.*", "w?b[1-3]* and *"} {
		f.Add(s, "web* or a", "web1")
	}
	f.Fuzz(func(t *testing.T, a, b, id string) {
		x, err := Parse(a, "compound", Options{})
		if err != nil {
			return
		}
		y, err := Parse(b, "compound", Options{})
		if err != nil {
			return
		}
		if Within(x, y) && x.Certain(ID(id)) == Yes && y.Certain(ID(id)) == No {
			t.Errorf("%q is not within %q: %q", a, b, id)
		}
	})
}
