package target

import (
	"strings"
	"testing"
)

func FuzzGlob(f *testing.F) {
	for _, s := range []string{"*", "web-0[12]", "[!a-z]*", "a[", "[]-]", "**?*", "[z-a-c]", "\xff*", "[!]"} {
		f.Add(s, "web-01")
	}
	f.Fuzz(func(t *testing.T, pattern, s string) {
		got := Glob(pattern, s)
		if Glob("*"+pattern+"*", s) != true && got {
			t.Errorf("%q matches %q but *%q* does not", pattern, s, pattern)
		}
		if !strings.ContainsAny(pattern, "*?[") && strings.ToValidUTF8(pattern, "") == pattern && got != (pattern == s) {
			t.Errorf("%q on %q: %v", pattern, s, got)
		}
	})
}

func FuzzParse(f *testing.F) {
	data, groups := saltSubject(f)
	for _, r := range saltRows(f) {
		if s, ok := r.Tgt.(string); ok && r.Kind != "glob" && r.Kind != "expand" {
			f.Add(s, r.Kind, r.Delim)
		}
	}
	f.Fuzz(func(t *testing.T, tgt, kind, delim string) {
		e, err := Parse(tgt, kind, Options{Delimiter: delim, Nodegroups: groups})
		if err != nil {
			return
		}
		for _, s := range []Subject{minion{"web-01", data}, ID("db1")} {
			m, c := e.Match(s), e.Certain(s)
			if c == Yes && !m && !e.NeedsData() || c == No && m && !e.NeedsData() {
				t.Errorf("%s %q: Match %v, Certain %v", kind, tgt, m, c)
			}
		}
		_ = e.String()
	})
}
