package target

import (
	"strings"

	"github.com/momtree/mom/salt/pyre"
)

// Pattern is an entry of Salt's lists of users, functions and tags: a glob, or a regular
// expression for the whole name.
type Pattern struct {
	glob string
	re   Expr // nil if the text is not a valid expression
}

// NewPattern returns a pattern that forbids or filters. Salt appends \Z to the text, so only
// the last of several alternatives must match to the end.
func NewPattern(text string) Pattern { return Pattern{text, Expression(text + `\Z`)} }

// NewGrant returns a pattern that allows something: the expression must match the whole name,
// whatever its alternatives.
func NewGrant(text string) Pattern { return Pattern{text, WholeExpression(text)} }

// Expression compiles a regular expression that is anchored at the start of the name. It
// returns nil if the text is not valid.
func Expression(text string) Expr {
	re, err := Parse(text, "pcre", Options{})
	if err != nil {
		return nil
	}
	return re
}

// WholeExpression compiles a regular expression that must match the whole name. It returns nil
// if the text is not valid.
func WholeExpression(text string) Expr {
	re, err := pyre.CompileWhole(text)
	if err != nil {
		return nil
	}
	return &pcreExpr{text, re}
}

// Match reports whether the pattern matches a name.
func (p Pattern) Match(name string) bool {
	return Glob(p.glob, name) || p.re != nil && p.re.Match(ID(name))
}

// Fault returns an error if the text is neither a valid regular expression nor recognizable as
// a glob, so that it is probably a mistake.
func (p Pattern) Fault() error {
	if p.re != nil || strings.ContainsAny(p.glob, "*?") {
		return nil
	}
	_, err := pyre.CompileWhole(p.glob)
	return err
}

// Patterns match a name if one of them does.
type Patterns []Pattern

// NewPatterns returns patterns that forbid or filter.
func NewPatterns(texts []string) Patterns {
	out := make(Patterns, 0, len(texts))
	for _, t := range texts {
		out = append(out, NewPattern(t))
	}
	return out
}

// Match reports whether one of the patterns matches a name.
func (ps Patterns) Match(name string) bool {
	for _, p := range ps {
		if p.Match(name) {
			return true
		}
	}
	return false
}
