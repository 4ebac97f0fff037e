package files

import (
	"regexp"
	"slices"

	"github.com/momtree/mom/internal/target"
)

// NameLists are names that are shown and names that are hidden.
type NameLists struct{ shown, hidden []namePattern }

type namePattern struct {
	glob string
	re   *regexp.Regexp // nil: it is none
}

// NewNameLists reads a whitelist, of which none means all names, and a blacklist, which wins.
func NewNameLists(white, black []string) NameLists {
	return NameLists{namePatterns(white), namePatterns(black)}
}

func namePatterns(list []string) []namePattern {
	var out []namePattern
	for _, text := range list {
		re, _ := regexp.Compile(`\A(?:` + text + `)\z`) // "*" is a glob alone
		out = append(out, namePattern{text, re})
	}
	return out
}

func (p namePattern) match(name string) bool {
	return p.glob == name || target.Glob(p.glob, name) || p.re != nil && p.re.MatchString(name)
}

// Shown tells whether a name is shown and not hidden.
func (l NameLists) Shown(name string) bool {
	has := func(list []namePattern) bool {
		return slices.ContainsFunc(list, func(p namePattern) bool { return p.match(name) })
	}
	return (len(l.shown) == 0 || has(l.shown)) && !has(l.hidden)
}
