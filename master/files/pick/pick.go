// Package pick tells which names options of the file server mean: minions of minionfs,
// environments of gitfs. An entry is the name itself, a glob, or an expression that matches
// all of it.
package pick

import (
	"regexp"
	"slices"

	"github.com/momtree/mom/internal/target"
)

// Lists are names that are shown and names that are hidden.
type Lists struct{ shown, hidden []pattern }

type pattern struct {
	glob string
	re   *regexp.Regexp // nil: it is none
}

// New reads a whitelist, of which none means all names, and a blacklist, which wins.
func New(white, black []string) Lists { return Lists{patterns(white), patterns(black)} }

func patterns(list []string) []pattern {
	var out []pattern
	for _, text := range list {
		re, _ := regexp.Compile(`\A(?:` + text + `)\z`) // "*" is a glob alone
		out = append(out, pattern{text, re})
	}
	return out
}

func (p pattern) match(name string) bool {
	return p.glob == name || target.Glob(p.glob, name) || p.re != nil && p.re.MatchString(name)
}

// Shown tells whether a name is shown and not hidden.
func (l Lists) Shown(name string) bool {
	has := func(list []pattern) bool {
		return slices.ContainsFunc(list, func(p pattern) bool { return p.match(name) })
	}
	return (len(l.shown) == 0 || has(l.shown)) && !has(l.hidden)
}
