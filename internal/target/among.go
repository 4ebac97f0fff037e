package target

import "slices"

// Among returns ids of which a minion must have one for the expression to match it, so that a
// caller need not try all minions: those of [Exact], and those of compound expressions of such
// with "and" and "or". The expression may still not match all of them. ok is false for any
// other expression.
func Among(e Expr) (ids []string, ok bool) {
	switch e := e.(type) {
	case *andExpr:
		if ids, ok = Among(e.a); ok {
			return ids, true
		}
		return Among(e.b)
	case *orExpr:
		a, ok := Among(e.a)
		if !ok {
			return nil, false
		}
		b, ok := Among(e.b)
		return slices.Concat(a, b), ok
	}
	//mutant:named-ids-are-looked-up
	return Exact(e)
}
