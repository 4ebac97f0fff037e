package pyfmt

import (
	"errors"
	"strings"
)

var (
	errNoQuotation = errors.New("No closing quotation")
	errNoEscaped   = errors.New("No escaped character")
)

// SplitCommand parts a command line into words by the rules of a POSIX shell, as
// Python's shlex does: quotes group, a backslash takes the next character as it
// is (between double quotes only before ", \ and nothing else). No expansion,
// no comments.
func SplitCommand(s string) ([]string, error) {
	var (
		words   []string
		word    strings.Builder
		started bool // quotes make a word, even an empty one
	)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case ' ', '\t', '\r', '\n':
			if started {
				words = append(words, word.String())
				word.Reset()
				started = false
			}
		case '\'':
			end := strings.IndexByte(s[i+1:], '\'')
			if end < 0 {
				return nil, errNoQuotation
			}
			word.WriteString(s[i+1 : i+1+end])
			i += end + 1
			started = true
		case '"':
			n, err := doubleQuoted(&word, s[i+1:])
			if err != nil {
				return nil, err
			}
			i += n
			started = true
		case '\\':
			if i++; i >= len(s) {
				return nil, errNoEscaped
			}
			word.WriteByte(s[i])
			started = true
		default:
			word.WriteByte(c)
			started = true
		}
	}
	if started {
		words = append(words, word.String())
	}
	return words, nil
}

// doubleQuoted reads up to and with the closing quote and returns its length.
func doubleQuoted(word *strings.Builder, s string) (int, error) {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '"':
			return i + 1, nil
		case '\\':
			if i++; i >= len(s) {
				return 0, errNoEscaped
			}
			if s[i] != '"' && s[i] != '\\' {
				word.WriteByte('\\')
			}
			word.WriteByte(s[i])
		default:
			word.WriteByte(c)
		}
	}
	return 0, errNoQuotation
}
