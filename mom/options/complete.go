package options

import (
	"slices"
	"strings"
)

// Values names the values of an option, for [Set.Complete].
func (s *Set) Values(name string, values ...string) { s.byName[name].values = values }

// Complete returns the completions of the last word of a line, given the words before it: names of
// options, or the values of an option with a fixed set. free reports that any value is allowed, such
// as a file.
func (s *Set) Complete(before []string, word string) (found []string, free bool) {
	if slices.Contains(before, "--") {
		return nil, false
	}
	if len(before) > 0 {
		if o := s.byName[before[len(before)-1]]; o != nil && o.metavar != "" {
			return begin(o.values, word), len(o.values) == 0
		}
	}
	if name, value, ok := strings.Cut(word, "="); ok && strings.HasPrefix(name, "--") {
		if o := s.byName[name]; o != nil && o.metavar != "" {
			return begin(o.values, value), len(o.values) == 0
		}
		return nil, false
	}
	if strings.HasPrefix(word, "-") {
		for name := range s.byName {
			if strings.HasPrefix(name, word) {
				found = append(found, name)
			}
		}
		slices.Sort(found)
	}
	return found, false
}

func begin(values []string, with string) (out []string) {
	for _, v := range values {
		if strings.HasPrefix(v, with) {
			out = append(out, v)
		}
	}
	return out
}
