package pyfmt

import (
	"math"
	"math/big"
	"strings"
	"unicode"
)

// Int is Python's int() of a string. It accepts surrounding blanks, a sign, and single
// underscores between digits of any script. It returns the largest or smallest int64 for a
// number out of range.
func Int(s string) (n int64, ok bool) {
	s = strings.TrimFunc(s, IsSpace)
	digits := strings.TrimLeft(s, "+-")
	if len(s)-len(digits) > 1 {
		return 0, false
	}
	var b strings.Builder
	before := '_'
	for _, r := range digits {
		switch {
		case r == '_' && before != '_':
		case unicode.Is(unicode.Nd, r):
			b.WriteByte('0' + digit(r))
		default:
			return 0, false
		}
		before = r
	}
	if before == '_' {
		return 0, false
	}
	v, _ := new(big.Int).SetString(b.String(), 10)
	if strings.HasPrefix(s, "-") {
		v.Neg(v)
	}
	switch {
	case v.IsInt64():
		return v.Int64(), true
	case v.Sign() < 0:
		return math.MinInt64, true
	}
	return math.MaxInt64, true
}

// digit returns the value of a decimal digit: the digits of a script are ten consecutive
// characters.
func digit(r rune) byte {
	for _, t := range unicode.Nd.R16 {
		if rune(t.Lo) <= r && r <= rune(t.Hi) {
			return byte((r - rune(t.Lo)) % 10)
		}
	}
	for _, t := range unicode.Nd.R32 {
		if rune(t.Lo) <= r && r <= rune(t.Hi) {
			return byte((r - rune(t.Lo)) % 10)
		}
	}
	return 0
}
