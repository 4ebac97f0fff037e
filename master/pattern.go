package master

import "github.com/momtree/mom/internal/target"

// pattern is a text by which Salt's lists mean names: as a glob, or as a regular
// expression of the whole name.
type pattern struct {
	glob string
	re   target.Expr // nil: the text is none
}

// newPattern reads a pattern that forbids or filters. Salt ends the text as it is
// with \Z, so that only the last of several alternatives has to reach the end.
func newPattern(text string) pattern { return pattern{text, expression(text + `\Z`)} }

// newGrant reads a pattern that allows something: whatever the expression, it
// has to fit the whole name.
func newGrant(text string) pattern { return pattern{text, expression(`(?:` + text + `)\Z`)} }

// expression is a regular expression that begins where the name begins, nil if it
// is not valid.
func expression(text string) target.Expr {
	re, err := target.Parse(text, "pcre", target.Options{})
	if err != nil {
		return nil
	}
	return re
}

func (p pattern) match(name string) bool {
	return target.Glob(p.glob, name) || p.re != nil && p.re.Match(label(name))
}

// anyOf reports whether one of the patterns means the name.
func anyOf(ps []pattern, name string) bool {
	for _, p := range ps {
		if p.match(name) {
			return true
		}
	}
	return false
}

func patterns(texts []string) []pattern {
	out := make([]pattern, 0, len(texts))
	for _, t := range texts {
		out = append(out, newPattern(t))
	}
	return out
}

// label lets an expression look at a name.
type label string

func (n label) ID() string { return string(n) }
func (label) Grains() any  { return nil }
func (label) Pillar() any  { return nil }
