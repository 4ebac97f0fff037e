package target

import "strings"

// Within reports whether every minion that a matches also matches b, whatever its grains and
// pillar. It compares only the form of the two, so false proves nothing.
func Within(a, b Expr) bool {
	switch b := b.(type) {
	case *andExpr:
		if Within(a, b.a) && Within(a, b.b) {
			return true
		}
	case *orExpr:
		if Within(a, b.a) || Within(a, b.b) {
			return true
		}
	}
	switch a := a.(type) {
	case *andExpr:
		return Within(a.a, b) || Within(a.b, b)
	case *orExpr:
		return Within(a.a, b) && Within(a.b, b)
	}
	if ids, ok := Exact(a); ok {
		for _, id := range ids {
			if b.Certain(ID(id)) != Yes {
				return false
			}
		}
		return true
	}
	return same(a, b) || globWithin(a, b)
}

// same reports whether two words are the same. [Within] handles compound expressions.
func same(a, b Expr) bool {
	switch a := a.(type) {
	case *globExpr:
		b, ok := b.(*globExpr)
		return ok && a.text == b.text
	case *pcreExpr:
		b, ok := b.(*pcreExpr)
		return ok && a.text == b.text
	case *resourceExpr:
		b, ok := b.(*resourceExpr)
		return ok && a.kind == b.kind && (b.id == "" || a.id == b.id)
	case *dataExpr:
		b, ok := b.(*dataExpr)
		return ok && a.text == b.text && (a.exact || !b.exact)
	case *notExpr: // a minion outside the wider target is outside the narrower one
		b, ok := b.(*notExpr)
		return ok && Within(b.x, a.x)
	}
	return false
}

// globWithin compares globs by their beginnings: web1* is within web*, and everything is within
// *.
func globWithin(a, b Expr) bool {
	wide, ok := b.(*globExpr)
	if !ok {
		return false
	}
	stem, ok := strings.CutSuffix(wide.text, "*")
	if !ok || strings.ContainsAny(stem, "*?[") {
		return false
	}
	if stem == "" {
		return true
	}
	narrow, ok := a.(*globExpr)
	if !ok {
		return false
	}
	begin, _, _ := strings.Cut(narrow.text, "*")
	if i := strings.IndexAny(begin, "?["); i >= 0 {
		begin = begin[:i]
	}
	return strings.HasPrefix(begin, stem)
}
