package callargs

import (
	"strings"
)

// Parse gives the arguments of a publication: the positional ones, and behind
// them one map with the keyword arguments, marked by __kwarg__, if there are any.
// The values of the keywords in noParse stay text.
func Parse(words, noParse []string) []any { return Parse(words, noParse) }

// Groups takes the words of a compound call apart: one group of words for each
// of the n functions. A separator is a word of its own; when there are not as
// many of these as needed, separators inside words count as well.
func Groups(words []string, n int, separator string) [][]string {
	alone := 0
	for _, w := range words {
		if w == separator {
			alone++
		}
	}
	groups := [][]string{nil}
	for _, w := range words {
		parts := []string{w}
		switch {
		case alone == n-1 && w == separator:
			parts = []string{"", ""}
		case alone != n-1 && separator != "":
			parts = strings.Split(w, separator)
		}
		for i, p := range parts {
			if i > 0 {
				groups = append(groups, nil)
			}
			if p != "" || len(parts) == 1 {
				groups[len(groups)-1] = append(groups[len(groups)-1], p)
			}
		}
	}
	return groups
}
