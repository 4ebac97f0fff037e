package target

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestExpandPlaces(t *testing.T) {
	where := func(letter, pattern string) ([]string, error) {
		switch pattern {
		case "nobody":
			return nil, nil
		case "nosuch":
			return nil, errors.New("there is no such node")
		case "comma":
			return []string{"a,b"}, nil
		}
		return []string{letter + "1", letter + "2"}, nil
	}
	for _, c := range []struct {
		tgt  any
		kind string
		want any
		err  string
	}{
		{"B@eu and G@os:Debian", "compound", "L@B1,B2 and G@os:Debian", ""},
		{"not ( B@eu or D@2- )", "compound", "not ( L@B1,B2 or L@D1,D2 )", ""},
		{"B@nobody or web-01", "compound", "L@, or web-01", ""},
		{[]any{"B@eu", "and", "G@city:New York"}, "compound", []any{"L@B1,B2", "and", "G@city:New York"}, ""},
		{"web-01 or L@a", "compound", "web-01 or L@a", ""},
		{"B@eu", "glob", "B@eu", ""},
		{"B@eu", "compound_pillar_exact", "L@B1,B2", ""},
		{"B@", "compound", "B@", ""},
		{"web-01 and B@nosuch", "compound", nil, "word 3: B@nosuch: there is no such node"},
		{"B@comma", "compound", nil, `B@comma means "a,b"`},
	} {
		got, err := ExpandPlaces(c.tgt, c.kind, where)
		if d := cmp.Diff(c.want, got); d != "" || (err != nil) != (c.err != "") || !strings.Contains(fmt.Sprint(err), c.err) {
			t.Errorf("%v: %v\n%s", c.tgt, err, d)
		}
		if c.err != "" && !errors.Is(err, ErrSyntax) {
			t.Errorf("%v: %v is no ErrSyntax", c.tgt, err)
		}
		if has := HasPlaces(c.tgt, c.kind); has != (c.err != "" || !cmp.Equal(c.tgt, c.want)) {
			t.Errorf("%v: HasPlaces %v", c.tgt, has)
		}
	}
	// The empty list matches nobody, in this program and, by the same words, in Salt.
	if e := must(t, "L@, or web-01", "compound"); e.Match(ID("")) || e.Match(ID(",")) || !e.Match(ID("web-01")) {
		t.Error("L@, means somebody")
	}
	// An unresolved word is treated as a glob, as in Salt.
	if e := must(t, "B@eu", "compound"); e.Match(ID("eu")) || !e.Match(ID("B@eu")) {
		t.Error("B@eu is more than a glob where it was not resolved")
	}
}
