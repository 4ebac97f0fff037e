package pyfmt

import (
	"math"
	"slices"
	"testing"
)

func TestFields(t *testing.T) {
	if got := Fields("\x1ca\x1fb\u0085c\u00a0d\u3000e\u200bf "); !slices.Equal(got, []string{"a", "b", "c", "d", "e\u200bf"}) {
		t.Errorf("%q", got)
	}
}

func TestLower(t *testing.T) {
	for in, want := range map[string]string{
		"ABC": "abc", "ΟΔΟΣ": "οδος", "ΟΔΟΣ Σ": "οδος σ", "ΣΑ": "σα", "ΑΣ.Α": "ας.α", "İ": "i̇", "ẞ": "ß", "Σ": "σ",
	} {
		if in == "ΑΣ.Α" {
			want = "ασ.α" // a full stop is part of a word
		}
		if got := Lower(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestInt(t *testing.T) {
	for in, want := range map[string]int64{
		"1": 1, " -12\n": -12, "+3": 3, "1_000": 1000, "٣": 3, "007": 7, "99999999999999999999": math.MaxInt64, "-99999999999999999999": math.MinInt64,
	} {
		if got, ok := Int(in); !ok || got != want {
			t.Errorf("%q: %d, %v", in, got, ok)
		}
	}
	for _, in := range []string{"", "_1", "1_", "1__0", "--1", "1.0", "0x1", "- 1", "a"} {
		if n, ok := Int(in); ok {
			t.Errorf("%q: %d", in, n)
		}
	}
}
