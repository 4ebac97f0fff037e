package modules

import (
	"math"
	"testing"
	"time"

	"github.com/momtree/mom/internal/wire"
)

// The texts are those of Python's repr.
func TestPyRepr(t *testing.T) {
	for _, tt := range []struct {
		v    any
		want string
	}{
		{nil, "None"},
		{true, "True"},
		{int64(-5), "-5"},
		{uint64(math.MaxUint64), "18446744073709551615"},
		{1.0, "1.0"},
		{0.1, "0.1"},
		{1e16, "1e+16"},
		{1e-5, "1e-05"},
		{123456789012345.0, "123456789012345.0"},
		{math.Inf(-1), "-inf"},
		{math.NaN(), "nan"},
		{"a", "'a'"},
		{"it's", `"it's"`},
		{`'"`, `'\'"'`},
		{"a\nb\t\\\x00\x7f", `'a\nb\t\\\x00\x7f'`},
		{"ä€😀", "'ä€😀'"},
		{"\u200b", `'\u200b'`},
		{"\xff", `'\udcff'`},
		{"\u00a0", `'\xa0'`},
		{[]byte("a\x00'"), `b"a\x00'"`},
		{[]any{int64(1), "x"}, "[1, 'x']"},
		{wire.NewMap("a", int64(1), int64(2), []any{}), "{'a': 1, 2: []}"},
	} {
		if got := PyRepr(tt.v); got != tt.want {
			t.Errorf("PyRepr(%#v) = %s, want %s", tt.v, got, tt.want)
		}
	}
}

func TestPyStr(t *testing.T) {
	for _, tt := range []struct {
		v    any
		want string
	}{
		{"it's", "it's"},
		{nil, "None"},
		{[]any{"a"}, "['a']"},
		{time.Date(2024, 1, 2, 3, 4, 5, 600000000, time.UTC), "2024-01-02 03:04:05.6"},
	} {
		if got := PyStr(tt.v); got != tt.want {
			t.Errorf("PyStr(%#v) = %s, want %s", tt.v, got, tt.want)
		}
	}
	if got := pyTuple([]any{"a"}); got != "('a',)" {
		t.Errorf("tuple of one = %s", got)
	}
}
