package postgres

import (
	"testing"
	"unicode/utf8"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners/returnertest"
)

func TestToJSONB(t *testing.T) {
	for in, want := range map[string]string{
		`{"a": [1, -2, 0.5, true, null]}`:        `{"a": [1, -2, 0.5, true, null]}`,
		`[NaN, Infinity, -Infinity]`:             `["NaN", "Infinity", "-Infinity"]`,
		`{"x": 1e+16, "y": 1e-05, "z": 2.5e+20}`: `{"x": 10000000000000000.0, "y": 0.00001, "z": 250000000000000000000.0}`,
		`"a\u0000b\u001a\"\\u0000"`:              "\"a\uf700b\\u001a\\\"\\\\u0000\"",
		`"latin \udce9 end"`:                     "\"latin \uf7e9 end\"",
		"\"\uf7e9 é 😀\"":                         "\"\uf7ef\uf79f\uf7a9 é 😀\"",
		`"N 1e5 I"`:                              `"N 1e5 I"`,
	} {
		if got := string(toJSONB([]byte(in))); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

// Another program may have written a character of the range that stands for no byte.
func TestFromJSONB_OfOthers(t *testing.T) {
	const text = "\"key \uf741\""
	if got := string(fromJSONB([]byte(text))); got != text {
		t.Errorf("%s became %s", text, got)
	}
}

func FuzzJSONB(f *testing.F) {
	for _, s := range []string{"", "a", "\x00", "\xff\xfe", "é", "\uf700", "\uf7ff", "\uf6ff\uf800", "\xef\x9c", "\\u0000\"", "\u2028"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		raw := returnertest.Encode(t, string(b))
		js, err := wire.ToJSON(raw)
		if err != nil {
			t.Fatal(err)
		}
		kept := toJSONB(js)
		if !utf8.Valid(kept) {
			t.Errorf("%q became %q, which is not UTF-8", b, kept)
		}
		back, err := wire.FromJSON(fromJSONB(kept))
		if err != nil {
			t.Fatalf("%q: %v", kept, err)
		}
		if got, err := wire.Str(back); err != nil || got != string(b) {
			t.Errorf("%q came back as %q, %v", b, got, err)
		}
	})
}
