package arguments

import (
	"slices"
	"strings"
	"unicode"

	"github.com/momtree/mom/internal/yaml11"
	"github.com/momtree/mom/value"
)

// Parse gives the arguments of a publication: the positional ones, and behind
// them one map with the keyword arguments, marked by __kwarg__, if there are any.
// The values of the keywords in noParse stay text.
func Parse(words, noParse []string) []any {
	args, kwargs := split(words, noParse)
	if kwargs.Len() > 0 {
		marked := value.NewMap("__kwarg__", true)
		kwargs.Range(func(k, v any) bool {
			marked.Set(k, v)
			return true
		})
		args = append(args, marked)
	}
	return args
}

// split gives positional and keyword arguments apart.
func split(words, noParse []string) (args []any, kwargs *value.Map) {
	args, kwargs = []any{}, value.NewMap()
	for _, w := range words {
		name, text, ok := keyword(w)
		switch {
		case !ok:
			args = append(args, yaml11.Word(w))
		case slices.Contains(noParse, name):
			kwargs.Set(name, text)
		default:
			kwargs.Set(name, yaml11.Word(text))
		}
	}
	return args, kwargs
}

// keyword takes name=value apart. A name begins with a letter or underscore and
// goes on with letters, digits, underscores, dots and dashes; a==b is no keyword,
// nor is text of several lines.
func keyword(word string) (name, value string, ok bool) {
	name, value, ok = strings.Cut(word, "=")
	if !ok || name == "" || strings.HasPrefix(value, "=") || strings.Contains(strings.TrimSuffix(value, "\n"), "\n") {
		return "", "", false
	}
	for i, r := range name {
		letter := unicode.IsLetter(r) || r == '_'
		if !letter && (i == 0 || (!unicode.IsDigit(r) && !unicode.IsNumber(r) && r != '.' && r != '-')) {
			return "", "", false
		}
	}
	return name, strings.TrimSuffix(value, "\n"), true
}

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
