package callargs

import (
	"slices"
	"strings"
	"unicode"

	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

// Parse returns the arguments of a publication: the positional ones, then, if there are any, one
// map with the keyword arguments, marked by __kwarg__. The values of the keywords in noParse stay
// text.
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

// split separates positional and keyword arguments.
func split(words, noParse []string) (args []any, kwargs *value.Map) {
	args, kwargs = []any{}, value.NewMap()
	for _, w := range words {
		name, text, ok := keyword(w)
		switch {
		case !ok:
			args = append(args, pyfmt.YAMLWord(w))
		case slices.Contains(noParse, name):
			kwargs.Set(name, text)
		default:
			kwargs.Set(name, pyfmt.YAMLWord(text))
		}
	}
	return args, kwargs
}

// keyword splits name=value. A name begins with a letter or underscore and continues with
// letters, digits, underscores, dots and dashes; neither a==b nor text of several lines is a
// keyword.
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

// ParseAny is [Parse] for arguments that may be values already, as a minion sends them. Values
// stay unchanged, except maps with __kwarg__: True, whose pairs are keyword arguments.
func ParseAny(values []any, noParse []string) []any {
	args, kwargs := []any{}, value.NewMap("__kwarg__", true)
	for _, v := range values {
		switch v := v.(type) {
		case string:
			own, named := split([]string{v}, noParse)
			args = append(args, own...)
			named.Range(func(k, x any) bool {
				kwargs.Set(k, x)
				return true
			})
		case *value.Map:
			if !v.Bool("__kwarg__") {
				args = append(args, v)
				continue
			}
			v.Range(func(k, x any) bool {
				kwargs.Set(k, x)
				return true
			})
		default:
			args = append(args, v)
		}
	}
	if kwargs.Len() > 1 {
		args = append(args, kwargs)
	}
	return args
}
