package terminal

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Mark stands for each character that a terminal would obey; Salt's nested
// outputter prints it for the escape character.
const Mark = '?'

// Obeyed tells whether a terminal would do something else with r than show it: the
// control characters of ASCII and of ISO 6429 (C1), line end and tab excepted, and
// the characters that turn the direction of what follows.
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

// Text is s, of several lines perhaps, with a [Mark] for whatever a terminal would
// obey and U+FFFD for what is no UTF-8.
func Text(s string) string {
	return tame(s, Obeyed)
}

// Line is [Text] for what has to stay on its line: line ends are marked too,
// so that a name cannot pretend to be the line of another.
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

// plain tells whether all bytes of s are printable ASCII: most texts are, and need
// no copy.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return true
}
