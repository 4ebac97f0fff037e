package terminal

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Mark replaces each character that a terminal would execute; Salt's nested outputter prints it
// for the escape character.
const Mark = '?'

// Obeyed reports whether a terminal would execute r instead of showing it: the control
// characters of ASCII and of ISO 6429 (C1), except line end and tab, and the characters that
// change the direction of text.
func Obeyed(r rune) bool {
	switch {
	case r == '\n', r == '\t':
		return false
	case unicode.IsControl(r):
		return true
	case r == '\u061c', r == '\u200e', r == '\u200f', r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069':
		return true
	}
	return false
}

// Text returns s, which may have several lines, with a [Mark] for each character that a
// terminal would execute and U+FFFD for invalid UTF-8.
func Text(s string) string {
	return tame(s, Obeyed)
}

// Line is [Text] for text that must stay on one line: it also marks line ends, so that a name
// cannot imitate the line of another.
func Line(s string) string {
	return tame(s, func(r rune) bool { return r == '\n' || r == '\u2028' || r == '\u2029' || Obeyed(r) })
}

func tame(s string, obeyed func(rune) bool) string {
	if plain(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if obeyed(r) {
			return Mark
		}
		return r
	}, strings.ToValidUTF8(s, string(utf8.RuneError)))
}

// plain reports whether all bytes of s are printable ASCII, as in most texts, so that no copy
// is needed.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return true
}
