package jinja

import (
	"strings"
	"unicode/utf8"
)

// maxRange is the most numbers of one range.
const maxRange = 1 << 20

// characters are the strings of one ASCII character, as elements.
var characters = func() (all [utf8.RuneSelf]any) {
	for i := range all {
		all[i] = string(rune(i))
	}
	return all
}()

// iterate returns the elements that Python would iterate over. It consumes lazy values. It
// does not copy the elements of a list, tuple, dict or set.
func (r *Run) iterate(v any) []any {
	switch v := v.(type) {
	case *List:
		r.Walk(len(v.Items))
		return v.Items
	case Tuple:
		r.Walk(len(v))
		return v
	case *Dict:
		r.Walk(len(v.keys))
		return v.keys
	case *Set:
		r.Walk(len(v.d.keys))
		return v.d.keys
	case *DictView:
		return r.viewItems(v)
	case string:
		n := utf8.RuneCountInString(v)
		r.Alloc(n*slotBytes + (len(v)-n)*(2*boxBytes))
		r.Work(len(v) * visitWork)
		out := make([]any, 0, n)
		for i, c := range v {
			switch {
			case c < utf8.RuneSelf:
				out = append(out, characters[c])
			case c == utf8.RuneError:
				_, n := utf8.DecodeRuneInString(v[i:])
				out = append(out, strings.Clone(v[i:i+n]))
			default:
				out = append(out, string(c))
			}
		}
		return out
	case Bytes:
		r.Alloc(len(v) * slotBytes)
		r.Work(len(v) * visitWork)
		out := make([]any, len(v))
		for i, c := range v {
			out[i] = int64(c)
		}
		return out
	case *Range:
		if v.Len() > maxRange {
			throwKind(KindLimit, "a range of %d numbers is more than %d", v.Len(), maxRange)
		}
		r.Alloc(int(v.Len()) * (slotBytes + 8))
		r.Walk(int(v.Len()))
		out := make([]any, 0, v.Len())
		for n, i := v.Len(), v.Start; n > 0; n, i = n-1, i+v.Step {
			out = append(out, i)
		}
		return out
	case *Iter:
		items := v.items
		v.items = nil
		r.Walk(len(items))
		return items
	case *Undefined:
		if v.strict {
			v.fail()
		}
		return nil
	}
	throw("'%s' object is not iterable", typeName(v))
	return nil
}

// Iterate returns the elements that Python would iterate over. A value that is not iterable
// fails the run.
func (r *Run) Iterate(v any) []any { return r.iterate(v) }

// Iterable reports whether v can be iterated over.
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
func (r *Run) length(v any) int {
	switch v := v.(type) {
	case string:
		r.Work(len(v))
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
		return len(v.items)
	case *Undefined:
		if v.strict {
			v.fail()
		}
		return 0
	}
	throw("object of type '%s' has no len()", typeName(v))
	return 0
}
