package options

import (
	"slices"
	"strings"
)

// Values names the values that an option takes, for [Set.Complete].
func (s *Set) Values(name string, values ...string) { s.byName[name].values = values }

// Complete gives what the last word of a line, as far as it is written, may become
// behind the words before it: names of options, or the values of one that has a fixed
// set. free tells that a value of any text is asked for, such as a file.
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
