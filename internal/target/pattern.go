package target

import (
	"strings"

	"github.com/momtree/mom/salt/pyre"
)

// Pattern is a text by which Salt's lists of users, functions and tags mean
// names: as a glob, or as a regular expression of the whole name.
type Pattern struct {
	glob string
	re   Expr // nil: the text is none
}

// NewPattern reads a pattern that forbids or filters. Salt ends the text as it is
// with \Z, so that only the last of several alternatives has to reach the end.
func NewPattern(text string) Pattern { return Pattern{text, Expression(text + `\Z`)} }

// NewGrant reads a pattern that allows something: whatever the expression, it
// has to fit the whole name.
func NewGrant(text string) Pattern { return Pattern{text, WholeExpression(text)} }

// Expression is a regular expression that begins where the name begins, nil if it
// is not valid.
func Expression(text string) Expr {
	re, err := Parse(text, "pcre", Options{})
	if err != nil {
		return nil
	}
	return re
}

// WholeExpression is a regular expression that has to fit a whole name, nil if it is not
// valid.
func WholeExpression(text string) Expr {
	re, err := pyre.CompileWhole(text)
	if err != nil {
		return nil
	}
	return &pcreExpr{text, re}
}

// Match tells whether the pattern means a name.
func (p Pattern) Match(name string) bool {
	return Glob(p.glob, name) || p.re != nil && p.re.Match(ID(name))
}

// Fault tells why the text is not a regular expression and, since it has none of the signs of
// a glob either, hardly meant as it stands; nil: it is fine.
func (p Pattern) Fault() error {
	if p.re != nil || strings.ContainsAny(p.glob, "*?") {
		return nil
	}
	_, err := pyre.CompileWhole(p.glob)
	return err
}

// Patterns mean what one of them means.
type Patterns []Pattern

// NewPatterns reads patterns that forbid or filter.
func NewPatterns(texts []string) Patterns {
	out := make(Patterns, 0, len(texts))
	for _, t := range texts {
		out = append(out, NewPattern(t))
	}
	return out
}

// Match tells whether one of the patterns means a name.
func (ps Patterns) Match(name string) bool {
	for _, p := range ps {
		if p.Match(name) {
			return true
		}
	}
	return false
}
