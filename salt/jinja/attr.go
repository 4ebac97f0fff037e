package jinja

import (
	"math/big"
	"strings"
	"unicode/utf8"
)

// Method is a method bound to a value.
type Method struct {
	self any
	name string
	fn   methodFunc
}

type methodFunc func(r *Run, self any, a *Args) any

// methodOf returns a method of a value.
func methodOf(v any, name string) (any, bool) {
	var table map[string]methodFunc
	switch v.(type) {
	case string:
		table = strMethods
	case *List:
		table = listMethods
	case *Dict:
		table = dictMethods
	case Tuple:
		table = tupleMethods
	case *Set:
		table = setMethods
	case Bytes:
		table = bytesMethods
	case bool, int64, *big.Int, float64:
		table = numberMethods
	}
	if fn := table[name]; fn != nil {
		return &Method{self: v, name: name, fn: fn}, true
	}
	return nil, false
}

// getattr is Python's getattr(v, name).
func (r *Run) getattr(v any, name string) (any, bool) {
	switch v := v.(type) {
	case *Loop:
		return v.attr(r, name)
	case *Macro:
		return v.attr(name)
	case *Module:
		return v.attr(name)
	case *Namespace:
		return v.d.Get(name)
	case *Undefined:
		v.fail()
	case Object:
		return v.Attr(r, name)
	}
	return methodOf(v, name)
}

// attr returns v.name.
func (r *Run) attr(v any, name string) any {
	if strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__") {
		if d, ok := v.(*Dict); ok {
			if e, ok := d.Get(name); ok {
				return e
			}
		}
		failUndefined(v)
		//mutant:render-sandbox
		throwKind(KindSyntax, "access to attribute %s of %s object is unsafe.", Repr(name), Repr(typeName(v)))
	}
	if e, ok := r.getattr(v, name); ok {
		return e
	}
	switch v := v.(type) {
	case *Dict:
		if e, ok := v.Get(name); ok {
			return e
		}
	case Object:
		if e, ok := v.Item(r, name); ok {
			return e
		}
	}
	return r.undefinedAttr(v, name)
}

// item returns v[key].
func (r *Run) item(v, key any) any {
	switch c := v.(type) {
	case *Dict:
		if e, ok := r.lookupItem(c, key); ok {
			return e
		}
	case *Undefined:
		c.fail()
	case Object:
		if e, ok := c.Item(r, key); ok {
			return e
		}
	default:
		if i, ok := smallInt(key); ok {
			if e, ok := r.index(v, i); ok {
				return e
			}
			return r.undefinedAttr(v, key)
		}
	}
	if name, ok := key.(string); ok {
		if strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__") {
			return r.attr(v, name)
		}
		if e, ok := r.getattr(v, name); ok {
			return e
		}
	}
	failUndefined(key)
	return r.undefinedAttr(v, key)
}

// lookupItem is Get, but an unhashable key is missing.
func (r *Run) lookupItem(d *Dict, key any) (any, bool) {
	switch key.(type) {
	case *List, *Dict, *Set:
		return nil, false
	}
	return r.Get(d, key)
}

// index returns v[i] of a sequence.
func (r *Run) index(v any, i int64) (any, bool) {
	var items []any
	switch v := v.(type) {
	case *List:
		items = v.Items
	case Tuple:
		items = v
	case string:
		return r.character(v, i)
	case Bytes:
		if i < 0 {
			i += int64(len(v))
		}
		if i < 0 || i >= int64(len(v)) {
			return nil, false
		}
		return int64(v[i]), true
	case *Range:
		n := v.Len()
		if i < 0 {
			i += n
		}
		return v.Start + i*v.Step, i >= 0 && i < n
	default:
		return nil, false
	}
	if i < 0 {
		i += int64(len(items))
	}
	if i < 0 || i >= int64(len(items)) {
		return nil, false
	}
	return items[i], true
}

// character returns one character of s.
func (r *Run) character(s string, i int64) (any, bool) {
	r.Work(len(s) / 4)
	if !isASCII(s) {
		n := int64(utf8.RuneCountInString(s))
		if i < 0 {
			i += n
		}
		if i < 0 || i >= n {
			return nil, false
		}
		for at := range s {
			if i == 0 {
				_, size := utf8.DecodeRuneInString(s[at:])
				return strings.Clone(s[at : at+size]), true
			}
			i--
		}
	}
	if i < 0 {
		i += int64(len(s))
	}
	if i < 0 || i >= int64(len(s)) {
		return nil, false
	}
	return characters[s[i]], true
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// slice returns v[a:b:c].
func (r *Run) slice(v any, n *sliceNode, s *scope) any {
	part := func(x expr) any {
		if x == nil {
			return nil
		}
		return r.eval(x, s)
	}
	start, stop, step := part(n.start), part(n.stop), part(n.step)
	r.touch(v)
	switch c := v.(type) {
	case string:
		if step == nil && isASCII(c) {
			from, to, _ := bounds(len(c), start, stop, step)
			return r.part(c, c[from:max(from, to)])
		}
		runes := r.runes(c)
		from, to, by := bounds(len(runes), start, stop, step)
		r.text(4 * steps(from, to, by))
		var b strings.Builder
		for i := from; by > 0 && i < to || by < 0 && i > to; i += by {
			b.WriteRune(runes[i])
		}
		return b.String()
	case *List:
		return &List{Items: r.sliceItems(c.Items, start, stop, step)}
	case Tuple:
		return Tuple(r.sliceItems(c, start, stop, step))
	case *Range:
		return &List{Items: r.sliceItems(r.iterate(c), start, stop, step)}
	case Bytes:
		from, to, by := bounds(len(c), start, stop, step)
		r.text(steps(from, to, by))
		out := Bytes{}
		for i := from; by > 0 && i < to || by < 0 && i > to; i += by {
			out = append(out, c[i])
		}
		return out
	}
	failUndefined(v)
	return r.undefined("%s has no element slice(%s, %s, %s)", objectName(v), Repr(start), Repr(stop), Repr(step))
}

// bounds returns the bounds of a slice in a sequence of n elements.
func bounds(n int, start, stop, step any) (from, to, by int) {
	num := func(v any, def int) int {
		switch v := v.(type) {
		case nil:
			return def
		case int64:
			return int(max(min(v, 1<<40), -1<<40))
		case bool:
			i, _ := smallInt(v)
			return int(i)
		}
		failUndefined(v)
		throw("slice indices must be integers or None or have an __index__ method")
		return 0
	}
	by = num(step, 1)
	if by == 0 {
		throw("slice step cannot be zero")
	}
	low, high := 0, n
	if by < 0 {
		low, high = -1, n-1
	}
	clamp := func(i int) int {
		if i < 0 {
			i += n
		}
		return max(low, min(i, high))
	}
	if from = low; by < 0 {
		from = high
	}
	if start != nil {
		from = clamp(num(start, 0))
	}
	if to = high; by < 0 {
		to = low
	}
	if stop != nil {
		to = clamp(num(stop, 0))
	}
	return from, to, by
}

// steps returns the number of elements of a slice with these bounds.
func steps(from, to, by int) int {
	switch {
	case by > 0 && from < to:
		return (to-from-1)/by + 1
	case by < 0 && from > to:
		return (from-to-1)/-by + 1
	}
	return 0
}

func (r *Run) sliceItems(items []any, start, stop, step any) []any {
	from, to, by := bounds(len(items), start, stop, step)
	n := steps(from, to, by)
	//mutant:template-slice
	r.Room(n)
	out := make([]any, 0, n)
	for i := from; by > 0 && i < to || by < 0 && i > to; i += by {
		out = append(out, items[i])
	}
	return out
}
