package jinja

import (
	"unicode/utf8"
)

// maxRepr and maxRange bound what a single value may become as text or as elements,
// where no run is at hand to ask for its limits.
const (
	maxRepr  = 64 << 20
	maxRange = 1 << 20
)

// iterate gives the elements over which Python would walk. What is lazy is used up.
func iterate(v any) []any {
	switch v := v.(type) {
	case *List:
		return v.Items
	case Tuple:
		return v
	case *Dict:
		return v.keys
	case *Set:
		return v.d.keys
	case *DictView:
		return v.items()
	case string:
		out := make([]any, 0, len(v))
		for i, c := range v {
			if c == utf8.RuneError {
				_, n := utf8.DecodeRuneInString(v[i:])
				out = append(out, v[i:i+n])
				continue
			}
			out = append(out, string(c))
		}
		return out
	case Bytes:
		out := make([]any, len(v))
		for i, c := range v {
			out[i] = int64(c)
		}
		return out
	case *Range:
		if v.Len() > maxRange {
			throwKind(KindLimit, "a range of %d numbers is more than %d", v.Len(), maxRange)
		}
		out := make([]any, 0, v.Len())
		for n, i := v.Len(), v.Start; n > 0; n, i = n-1, i+v.Step {
			out = append(out, i)
		}
		return out
	case *Iter:
		var out []any
		for {
			e, ok := v.Next()
			if !ok {
				return out
			}
			if len(out) >= maxRange {
				throwKind(KindLimit, "%s gives more than %d elements", v.Type, maxRange)
			}
			out = append(out, e)
		}
	case *Undefined:
		if v.strict {
			v.fail()
		}
		return nil
	}
	throw("'%s' object is not iterable", typeName(v))
	return nil
}

// Iterate gives the elements over which Python would walk; what cannot be walked fails
// the run.
func Iterate(v any) []any { return iterate(v) }

// Iterable tells whether v can be walked.
func Iterable(v any) bool {
	switch v := v.(type) {
	case *List, Tuple, *Dict, *Set, *DictView, string, Bytes, *Range, *Iter:
		return true
	case *Undefined:
		return !v.strict
	}
	return false
}

// length is Python's len(v).
func length(v any) int {
	switch v := v.(type) {
	case string:
		return utf8.RuneCountInString(v)
	case Bytes:
		return len(v)
	case *List:
		return len(v.Items)
	case Tuple:
		return len(v)
	case *Dict:
		return v.Len()
	case *Set:
		return v.d.Len()
	case *DictView:
		return v.d.Len()
	case *Range:
		return int(v.Len())
	case *Loop:
		return v.length()
	case *Undefined:
		if v.strict {
			v.fail()
		}
		return 0
	}
	throw("object of type '%s' has no len()", typeName(v))
	return 0
}
