package pyfmt

import (
	"strings"
	"unicode"
)

// IsSpace reports whether Python's str.isspace is true for r. The separators \x1c to \x1f
// are blanks too.
//
//mutant:target-compound-blanks,hostile-target-blanks-3
func IsSpace(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }

// Fields splits s like Python's str.split().
func Fields(s string) []string { return strings.FieldsFunc(s, IsSpace) }

// Lower returns s in lower case like Python's str.lower(): a capital sigma at the end of a
// word becomes ς, and İ becomes an i with a dot above.
func Lower(s string) string {
	if !strings.ContainsAny(s, "Σİ") {
		return strings.ToLower(s)
	}
	in := []rune(s)
	var b strings.Builder
	for i, r := range in {
		switch {
		case r == 'İ':
			b.WriteString("i̇")
		case r == 'Σ' && endsWord(in, i):
			b.WriteRune('ς')
		default:
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

// endsWord reports whether position i has letters before it and none after it.
func endsWord(in []rune, i int) bool {
	before, after := i-1, i+1
	for before >= 0 && ignorable(in[before]) {
		before--
	}
	for after < len(in) && ignorable(in[after]) {
		after++
	}
	return before >= 0 && cased(in[before]) && (after == len(in) || !cased(in[after]))
}

func cased(r rune) bool {
	return unicode.In(r, unicode.Lu, unicode.Ll, unicode.Lt, unicode.Other_Lowercase, unicode.Other_Uppercase)
}

func ignorable(r rune) bool {
	return unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk) || strings.ContainsRune("'.:·՟״‘’․﹒＇．：", r)
}
