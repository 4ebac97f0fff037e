package files

import (
	"regexp"
	"slices"

	"github.com/momtree/mom/internal/target"
)

// NameLists is a whitelist and a blacklist of names.
type NameLists struct{ shown, hidden []namePattern }

type namePattern struct {
	glob string
	re   *regexp.Regexp // nil if the text is not a valid expression
}

// NewNameLists returns lists of patterns. An empty whitelist allows all names; the blacklist wins.
func NewNameLists(white, black []string) NameLists {
	return NameLists{namePatterns(white), namePatterns(black)}
}

func namePatterns(list []string) []namePattern {
	var out []namePattern
	for _, text := range list {
		re, _ := regexp.Compile(`\A(?:` + text + `)\z`) // "*" is valid only as a glob
		out = append(out, namePattern{text, re})
	}
	return out
}

func (p namePattern) match(name string) bool {
	return p.glob == name || target.Glob(p.glob, name) || p.re != nil && p.re.MatchString(name)
}

// Shown reports whether a name is whitelisted and not blacklisted.
func (l NameLists) Shown(name string) bool {
	has := func(list []namePattern) bool {
		return slices.ContainsFunc(list, func(p namePattern) bool { return p.match(name) })
	}
	return (len(l.shown) == 0 || has(l.shown)) && !has(l.hidden)
}
