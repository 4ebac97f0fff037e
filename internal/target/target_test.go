package target

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/internal/wire"
)

func must(t testing.TB, tgt any, kind string) Expr {
	t.Helper()
	e, err := Parse(tgt, kind, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestErrorsSayWhatIsWrong(t *testing.T) {
	groups := map[string]any{"a": "N@b", "b": []any{"N@a"}, "n": int64(3)}
	for _, c := range []struct {
		tgt  any
		kind string
		text string
		is   error
	}{
		{"x", "globb", `"globb" is no target type; use one of glob, pcre`, nil},
		{"a[", "pcre", `regular expression "a["`, nil},
		{"os", "grain", `"os" lacks the delimiter ":" between key and value`, nil},
		{"os:[", "grain_pcre", `regular expression "["`, nil},
		{"", "compound", "the compound target is empty", nil},
		{"a and", "compound", `ends after "and"; a target is missing`, nil},
		{"and a", "compound", `word 1: "and" has no target before it`, nil},
		{"a b", "compound", `word 2: "b" follows a target without and, or, not`, nil},
		{"( a", "compound", "word 1: the parenthesis is not closed", nil},
		{"a )", "compound", `word 2: ")" closes nothing`, nil},
		{"a and not not b", "compound", "word 4: not stands twice", nil},
		{"a or G@os", "compound", `word 3: "os" lacks the delimiter`, nil},
		{"R@x", "compound", "range", ErrRange},
		{"x", "range", "range", ErrRange},
		{"nope", "nodegroup", `unknown node group "nope"; known are a, b, n`, ErrUnknownNodegroup},
		{"N@nope or a", "compound", "unknown node group", ErrUnknownNodegroup},
		{"a", "nodegroup", "a -> b -> a", ErrNodegroupLoop},
		{"n", "nodegroup", `node group "n" is 3;`, nil},
		{"10.0.0.1/8", "ipcidr", "the address has bits behind the prefix; write 10.0.0.0/8", nil},
		{"10.0.0/8", "ipcidr", "is no address", nil},
		{"x", "ipcidr", "is no IP address and no network", nil},
		{[]any{"a"}, "glob", "a glob target is a text, not a list", nil},
		{[]any{"a", int64(1)}, "list", "entry 2 of the list is 1, not an id", nil},
		{nil, "list", "not nothing", nil},
		{int64(1), "compound", "not 1", nil},
		{strings.Repeat("a:", 100), "grain", "levels; at most", nil},
		{strings.Repeat("( ", 1000) + "a", "compound", "nested more than", nil},
	} {
		_, err := Parse(c.tgt, c.kind, Options{Nodegroups: groups})
		if !errors.Is(err, ErrSyntax) || !strings.Contains(fmt.Sprint(err), c.text) || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%s %v: %v, want %q", c.kind, c.tgt, err, c.text)
		}
	}
}

func TestCertain(t *testing.T) {
	known := minion{"web-01", map[string]any{"os": "Debian"}}
	for _, c := range []struct {
		tgt        string
		nothing    Tri // only the id is known
		debian     Tri
		match      bool // Match with the id alone
		needs      bool
		exactNames []string
	}{
		{"web*", Yes, Yes, true, false, nil},
		{"G@os:Debian", Unknown, Yes, false, true, nil},
		{"G@os:Suse", Unknown, No, false, true, nil},
		{"not G@os:Suse", Unknown, Yes, true, true, nil},
		{"web* and G@os:Debian", Unknown, Yes, false, true, nil},
		{"db* and G@os:Debian", No, No, false, true, nil},
		{"web* or G@os:Debian", Yes, Yes, true, true, nil},
		{"db* or G@os:Suse", Unknown, No, false, true, nil},
		{"S@10.0.0.1", Unknown, No, false, true, nil},
		{"L@web-01,b", Yes, Yes, true, false, []string{"web-01", "b"}},
		{"web-01", Yes, Yes, true, false, []string{"web-01"}},
	} {
		e := must(t, c.tgt, "compound")
		if got := e.Certain(ID("web-01")); got != c.nothing {
			t.Errorf("%s without data: %v, want %v", c.tgt, got, c.nothing)
		}
		if got := e.Certain(known); got != c.debian {
			t.Errorf("%s with data: %v, want %v", c.tgt, got, c.debian)
		}
		if e.Match(ID("web-01")) != c.match || e.NeedsData() != c.needs {
			t.Errorf("%s: Match %v NeedsData %v", c.tgt, e.Match(ID("web-01")), e.NeedsData())
		}
		if ids, ok := Exact(e); !cmp.Equal(ids, c.exactNames) || ok != (c.exactNames != nil) {
			t.Errorf("%s: Exact %v %v", c.tgt, ids, ok)
		}
	}
}

// A map as decoded by package wire, with keys that are not strings.
func TestWireMaps(t *testing.T) {
	grains := wire.NewMap("os", "Debian", int64(5), "five", "n", wire.NewMap(true, "yes"), "l", []any{wire.NewMap(int64(0), "zero")})
	for tgt, want := range map[string]bool{"os:deb*": true, "5:five": true, "n:true:yes": true, "n:1:yes": true, "n:2:yes": false, "l:0:zero": true, "6:five": false} {
		if got := must(t, tgt, "grain").Match(minion{"m", grains}); got != want {
			t.Errorf("%s: %v", tgt, got)
		}
	}
	if e := must(t, "os:x", "grain"); e.Certain(minion{"m", (*wire.Map)(nil)}) != Unknown {
		t.Error("a nil map counts as known")
	}
}

func TestListKeepsOrder(t *testing.T) {
	ids, _ := Exact(must(t, "c,a,,b,a", "list"))
	if !cmp.Equal(ids, []string{"c", "a", "b"}) {
		t.Errorf("%v", ids)
	}
}

func TestStringMeansTheSame(t *testing.T) {
	data, groups := saltSubject(t)
	for _, r := range saltRows(t) {
		if r.Kind != "compound" {
			continue
		}
		e, err := Parse(r.Tgt, "compound", Options{Nodegroups: groups})
		if err != nil {
			continue
		}
		again, err := Parse(e.String(), "compound", Options{})
		if err != nil {
			t.Errorf("%v became %q: %v", r.Tgt, e, err)
			continue
		}
		if m := (minion{r.ID, data}); again.Match(m) != e.Match(m) {
			t.Errorf("%v became %q, which differs on %s", r.Tgt, e, r.ID)
		}
	}
}

// The answer is unknown for a pattern that backtracks forever.
func TestBacktrackingIsBounded(t *testing.T) {
	e := must(t, `(?=a)(a+)+$x\1`, "pcre")
	for range 30 {
		if id := ID(strings.Repeat("a", 40)); e.Certain(id) != Unknown || e.Match(id) {
			t.Fatalf("%v", e.Certain(id))
		}
	}
}

// A target made to search the same data over and over terminates.
func TestDataWalkIsBounded(t *testing.T) {
	var data any = map[string]any{"a": "b", "c": "d"}
	for range 12 {
		data = map[string]any{"x": data, "y": data, "z": []any{data}}
	}
	p, err := compilePath(strings.Repeat("*:", 30)+"nothing", ":", byGlob)
	if err != nil {
		t.Fatal(err)
	}
	w := walk{left: maxSteps}
	if p.match(data) != Unknown || w.path(p, data) || w.left > 0 || w.left < -maxSteps {
		t.Errorf("matched, or ended with %d of %d steps left", w.left, maxSteps)
	}
}
