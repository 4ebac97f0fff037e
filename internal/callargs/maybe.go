package callargs

import (
	"strings"
	"unicode"
)

// MayBeKeyword reports whether a minion may read a text as name=value: a mom minion if the
// function has such a parameter, Salt's also for functions with free keywords.
func MayBeKeyword(text string) (name string, ok bool) {
	name, value, ok := strings.Cut(text, "=")
	if !ok || name == "" || strings.HasPrefix(value, "=") || strings.Contains(strings.TrimSuffix(value, "\n"), "\n") {
		return "", false
	}
	for i, r := range name { // Python's [^\d\W][\w.-]*
		switch {
		case r == '_' || unicode.IsLetter(r):
		//mutant:access-keyword-names
		case unicode.IsNumber(r) && (i > 0 || !unicode.IsDigit(r)):
		case i > 0 && (r == '.' || r == '-'):
		default:
			return "", false
		}
	}
	return name, true
}
