package target

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestClean(t *testing.T) {
	for _, c := range []struct {
		tgt  any
		kind string
		err  string
	}{
		{"web*", "glob", ""},
		{"ünï*", "glob", ""},
		{"web1\nor\tdb1\r\n", "compound", ""},
		{"web1\x1for\x1fdb1", "compound", "character 5 is the control character U+001F"},
		{"é\u0085", "compound", "character 2 is the control character U+0085"},
		{"web1\x0bor", "compound", "character 5 is"},
		{"web1\n", "glob", "character 5 is the control character U+000A"},
		{"web1,\nweb2", "list", "character 6 is"},
		{"(?x)\tweb", "pcre", "character 5 is"},
		{"\x7f", "grain", "character 1 is the control character U+007F"},
		{[]any{"web1", "a\x00"}, "list", "character 2 of entry 2 is the control character U+0000"},
		{[]any{"web1", "or", "G@a:b\nc"}, "compound", "character 6 of entry 3 is"},
		{[]any{"web1", int64(1)}, "list", ""},
	} {
		err := Clean(c.tgt, c.kind)
		if (err != nil) != (c.err != "") || !strings.Contains(fmt.Sprint(err), c.err) || err != nil && !errors.Is(err, ErrSyntax) {
			t.Errorf("%s %q: %v, want %q", c.kind, c.tgt, err, c.err)
		}
	}
}

func TestNarrowTo(t *testing.T) {
	ids := []string{"a", "b"}
	known := minion{"b", map[string]any{"os": "Debian"}}
	for _, c := range []struct {
		tgt             any
		kind, delimiter string
		newKind         string
		means           bool // b; never c
	}{
		{"os:Debian", "grain", "", "compound", true},
		{"os|Debian", "grain", "|", "compound", true},
		{"os:Suse", "grain", ":", "compound", false},
		{"os:D.*", "pillar_pcre", "", "compound", true},
		{"os:Deb*", "pillar_exact", "", "compound_pillar_exact", false},
		{"x or not G@os:Suse", "compound", "", "compound", true},
		{[]any{"G@os:Debian", "or", "*"}, "compound", "", "compound", true},
		{"a b", "pcre", "", "compound", false},
		{"os::Debian", "grain", "::", "", false},
		{"b", "glob", "", "", false},
	} {
		words, kind, err := NarrowTo(ids, c.tgt, c.kind, c.delimiter)
		if kind != c.newKind && err == nil || (err != nil) != (c.newKind == "") {
			t.Errorf("%v: %s, %v", c.tgt, kind, err)
		}
		if err != nil {
			continue
		}
		e := must(t, words, kind)
		if e.Match(known) != c.means || e.Match(minion{"c", known.data}) {
			t.Errorf("%v: b %v, c %v", words, e.Match(known), e.Match(minion{"c", known.data}))
		}
		if got := ListedIn(words[0].(string)); len(got) != 2 {
			t.Errorf("%v lists %q", words, got)
		}
	}
	if _, _, err := NarrowTo([]string{"a,b"}, "os:x", "grain", ""); err == nil {
		t.Error("a list holds an id with a comma")
	}
}
