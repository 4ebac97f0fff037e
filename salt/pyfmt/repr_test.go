package pyfmt

import (
	"math"
	"math/big"
	"testing"
	"time"

	"github.com/momtree/mom/value"
)

func TestReprAndStr(t *testing.T) {
	huge, _ := new(big.Int).SetString("123456789012345678901", 10)
	when := time.Date(2024, 1, 2, 3, 4, 5, 678_901_000, time.UTC)
	for _, c := range []struct {
		v         any
		repr, str string // str "" means the same as repr
	}{
		{nil, "None", ""},
		{true, "True", ""},
		{false, "False", ""},
		{int64(-3), "-3", ""},
		{uint64(math.MaxUint64), "18446744073709551615", ""},
		{huge, "123456789012345678901", ""},
		{1.0, "1.0", ""},
		{0.1, "0.1", ""},
		{1e16, "1e+16", ""},
		{1e15, "1000000000000000.0", ""},
		{1e-7, "1e-07", ""},
		{0.0001, "0.0001", ""},
		{math.Inf(-1), "-inf", ""},
		{math.NaN(), "nan", ""},
		{math.Copysign(0, -1), "-0.0", ""},
		{"it", "'it'", "it"},
		{"it's", `"it's"`, "it's"},
		{`it's "so"`, `'it\'s "so"'`, `it's "so"`},
		{"a\\b\n\t\r\x00\x7f", `'a\\b\n\t\r\x00\x7f'`, "a\\b\n\t\r\x00\x7f"},
		{"é日🙂", "'é日🙂'", "é日🙂"},
		{"\u00a0\u2028\u200b\U000e0001", `'\xa0\u2028\u200b\U000e0001'`, "\u00a0\u2028\u200b\U000e0001"},
		{[]byte("a'\xff\n"), `b"a'\xff\n"`, ""},
		{"\xff'\"", `b'\xff\'"'`, "\xff'\""},
		{[]any{int64(1), "a", []any{}}, "[1, 'a', []]", ""},
		{[]string{"a"}, "['a']", ""},
		{value.NewMap("b", int64(1), int64(2), value.NewMap()), "{'b': 1, 2: {}}", ""},
		{map[string]any{"b": nil, "a": true}, "{'a': True, 'b': None}", ""},
		{when, "datetime.datetime(2024, 1, 2, 3, 4, 5, 678901)", "2024-01-02 03:04:05.678901"},
		{when.Truncate(time.Minute), "datetime.datetime(2024, 1, 2, 3, 4)", "2024-01-02 03:04:00"},
	} {
		if got := Repr(c.v); got != c.repr {
			t.Errorf("repr %#v: %s, want %s", c.v, got, c.repr)
		}
		want := c.str
		if want == "" {
			want = c.repr
		}
		if got := Str(c.v); got != want {
			t.Errorf("str %#v: %s, want %s", c.v, got, want)
		}
	}
}

func TestPrinter_Surrogates(t *testing.T) {
	p := Printer{Surrogates: true}
	for s, want := range map[string]string{
		"\xff":             `'\udcff'`,
		"it's \xef\xbf":    `"it's \udcef\udcbf"`,
		"\ufffd é\u200b\n": "'\ufffd é\\u200b\\n'",
	} {
		if got := p.Repr([]any{s}); got != "["+want+"]" {
			t.Errorf("repr %q: %s, want %s", s, got, want)
		}
		if got := p.Str(s); got != s {
			t.Errorf("str %q: %q", s, got)
		}
	}
}

func TestYAMLFloat(t *testing.T) {
	for f, want := range map[float64]string{
		0: "0.0", 1: "1.0", -2.5: "-2.5", 1e6: "1000000.0", 1e16: "1.0e+16", 1.5e300: "1.5e+300", 1e-5: "1.0e-05",
		math.Inf(1): ".inf", math.Inf(-1): "-.inf",
	} {
		if got := YAMLFloat(f); got != want {
			t.Errorf("%v is written %s, want %s", f, got, want)
		}
	}
	if got := YAMLFloat(math.NaN()); got != ".nan" {
		t.Errorf("NaN is written %s", got)
	}
}
