package options

import (
	"errors"
	"slices"
	"strings"
)

// Parse parses the options in args and returns the other words. Its errors are of type *Error unless
// the function of an option returned another one.
func (s *Set) Parse(args []string) (words []string, err error) {
	for len(args) > 0 {
		word := args[0]
		args = args[1:]
		switch {
		case word == "--":
			return append(words, args...), nil
		case strings.HasPrefix(word, "--"):
			args, err = s.long(word, args)
		case strings.HasPrefix(word, "-") && len(word) > 1 && !numeral(word):
			args, err = s.short(word, args)
		default:
			words = append(words, word)
		}
		if err != nil {
			return nil, err
		}
	}
	return words, nil
}

// numeral reports whether a word with a dash is a number rather than an option.
func numeral(word string) bool {
	rest := strings.TrimPrefix(word[1:], ".")
	return rest != "" && rest[0] >= '0' && rest[0] <= '9'
}

func (s *Set) long(word string, args []string) ([]string, error) {
	name, value, has := strings.Cut(word, "=")
	name, err := s.whole(name)
	if err != nil {
		return nil, err
	}
	o := s.byName[name]
	if o.metavar == "" {
		if has {
			return nil, failf("%s option does not take a value", name)
		}
		return args, o.apply(name, "")
	}
	if !has {
		if len(args) == 0 {
			return nil, failf("%s option requires 1 argument", name)
		}
		value, args = args[0], args[1:]
	}
	return args, o.apply(name, value)
}

// whole returns the option that a name, possibly abbreviated, stands for.
func (s *Set) whole(name string) (string, error) {
	if s.byName[name] != nil {
		return name, nil
	}
	var found []string
	for n := range s.byName {
		if len(name) > 2 && strings.HasPrefix(n, name) {
			found = append(found, n)
		}
	}
	slices.Sort(found)
	switch {
	case len(found) == 0:
		return "", failf("no such option: %s", name)
	case s.same(found):
		return found[0], nil
	}
	return "", failf("ambiguous option: %s (%s?)", name, strings.Join(found, ", "))
}

// same reports whether all names belong to one option.
func (s *Set) same(names []string) bool {
	for _, n := range names {
		if s.byName[n] != s.byName[names[0]] {
			return false
		}
	}
	return true
}

func (s *Set) short(word string, args []string) ([]string, error) {
	letters := []rune(word[1:])
	for i, c := range letters {
		name := "-" + string(c)
		o := s.byName[name]
		if o == nil {
			return nil, failf("no such option: %s", name)
		}
		if o.metavar == "" {
			if err := o.apply(name, ""); err != nil {
				return nil, err
			}
			continue
		}
		value := string(letters[i+1:])
		if i+1 == len(letters) {
			if len(args) == 0 {
				return nil, failf("%s option requires 1 argument", name)
			}
			value, args = args[0], args[1:]
		}
		return args, o.apply(name, value)
	}
	return args, nil
}

func (o *option) apply(name, value string) error {
	err := o.set(value)
	if e := (*Error)(nil); errors.As(err, &e) {
		return failf("option %s: %s", name, e.Text)
	}
	return err
}
