package jinja

import (
	"math/big"
	"strings"
	"unicode"
)

var builtinTests map[string]Test

func init() {
	plain := func(f func(v any) bool) Test {
		return func(r *Run, v any, a *Args) bool { a.Bind("test", 0, ""); return f(v) }
	}
	cmp := func(op string) Test {
		return func(r *Run, v any, a *Args) bool { return r.compare(op, v, a.Bind("test", 1, "other").Any(0, nil)) }
	}
	divisible := func(r *Run, v any, n any) bool { return r.Equal(r.numericMod(v, n), int64(0)) }
	builtinTests = map[string]Test{
		"odd":  func(r *Run, v any, _ *Args) bool { return r.Equal(r.numericMod(v, int64(2)), int64(1)) },
		"even": func(r *Run, v any, _ *Args) bool { return r.Equal(r.numericMod(v, int64(2)), int64(0)) },
		"divisibleby": func(r *Run, v any, a *Args) bool {
			return divisible(r, v, a.Bind("divisibleby", 1, "num").Any(0, nil))
		},
		"defined":   plain(func(v any) bool { _, u := v.(*Undefined); return !u }),
		"undefined": plain(func(v any) bool { _, u := v.(*Undefined); return u }),
		"none":      plain(func(v any) bool { return v == nil }),
		"boolean":   plain(func(v any) bool { _, ok := v.(bool); return ok }),
		"false":     plain(func(v any) bool { return v == false }),
		"true":      plain(func(v any) bool { return v == true }),
		"integer": plain(func(v any) bool {
			switch v.(type) {
			case int64, *big.Int:
				return true
			}
			return false
		}),
		"float":    plain(func(v any) bool { _, ok := v.(float64); return ok }),
		"number":   plain(isNumber),
		"string":   plain(isText),
		"mapping":  plain(func(v any) bool { _, ok := v.(*Dict); return ok }),
		"callable": plain(callable),
		"sequence": plain(func(v any) bool {
			switch v.(type) {
			case *List, Tuple, string, *Dict, *Range, Bytes:
				return true
			}
			return false
		}),
		"iterable": plain(func(v any) bool { failStrict(v); return Iterable(v) }),
		"escaped":  plain(func(any) bool { return false }),
		"lower":    caseTest(unicode.IsLower, unicode.IsUpper),
		"upper":    caseTest(unicode.IsUpper, unicode.IsLower),
		"sameas":   func(r *Run, v any, a *Args) bool { return same(v, a.Bind("sameas", 1, "other").Any(0, nil)) },
		"filter": func(r *Run, v any, _ *Args) bool {
			s, ok := v.(string)
			return ok && r.env.Filters[s] != nil
		},
		"test": func(r *Run, v any, _ *Args) bool { s, ok := v.(string); return ok && r.env.Tests[s] != nil },
		"in":   func(r *Run, v any, a *Args) bool { return r.contains(a.Bind("in", 1, "seq").Any(0, nil), v) },
	}
	for names, op := range map[string]string{
		"eq equalto ==": "==", "ne !=": "!=", "lt lessthan <": "<", "le <=": "<=", "gt greaterthan >": ">", "ge >=": ">=",
	} {
		for name := range strings.FieldsSeq(names) {
			builtinTests[name] = cmp(op)
		}
	}
}

func caseTest(want, other func(rune) bool) Test {
	return func(r *Run, v any, a *Args) bool {
		a.Bind("test", 0, "")
		s := r.Str(v)
		r.Work(4 * len(s))
		return cased(s, want, other)
	}
}

func failStrict(v any) {
	if u, ok := v.(*Undefined); ok && u.strict {
		u.fail()
	}
}

// numericMod returns v % n for numbers.
func (r *Run) numericMod(v, n any) any {
	failUndefined(v, n)
	if !isNumber(v) || !isNumber(n) {
		if isText(v) {
			throw("not all arguments converted during string formatting")
		}
		badOperands("%", v, n)
	}
	return r.numeric("%", v, n)
}

// same is Python's "is".
func same(a, b any) bool {
	switch x := a.(type) {
	case Tuple:
		y, ok := b.(Tuple)
		return ok && len(x) == len(y) && (len(x) == 0 || &x[0] == &y[0])
	case Bytes:
		y, ok := b.(Bytes)
		return ok && len(x) == len(y) && (len(x) == 0 || &x[0] == &y[0])
	}
	switch b.(type) {
	case Tuple, Bytes:
		return false
	}
	return a == b
}
