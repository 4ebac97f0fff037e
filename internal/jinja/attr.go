package jinja

import (
	"math/big"
	"strings"
	"unicode/utf8"
)

// Method is a method of a value, bound to it.
type Method struct {
	self any
	name string
	fn   methodFunc
}

type methodFunc func(r *Run, self any, a *Args) any

// methodOf finds a method of a value.
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

// attr is v.name.
func (r *Run) attr(v any, name string) any {
	if strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__") {
		if d, ok := v.(*Dict); ok {
			if e, ok := d.Get(name); ok {
				return e
			}
		}
		failUndefined(v)
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

// item is v[key].
func (r *Run) item(v, key any) any {
	switch c := v.(type) {
	case *Dict:
		if e, ok := c.lookup(key); ok {
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
			if e, ok := index(v, i); ok {
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

// lookup is Get where a key that cannot be hashed is not there.
func (d *Dict) lookup(key any) (any, bool) {
	switch key.(type) {
	case *List, *Dict, *Set:
		return nil, false
	}
	return d.Get(key)
}

// index is v[i] of a sequence.
func index(v any, i int64) (any, bool) {
	var items []any
	switch v := v.(type) {
	case *List:
		items = v.Items
	case Tuple:
		items = v
	case string:
		if i >= 0 && i < int64(len(v)) && isASCII(v) {
			return v[i : i+1], true
		}
		items = iterate(v)
	case Bytes:
		items = iterate(v)
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

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// slice is v[a:b:c].
func (r *Run) slice(v any, n *sliceNode, s *scope) any {
	part := func(x expr) any {
		if x == nil {
			return nil
		}
		return r.eval(x, s)
	}
	start, stop, step := part(n.start), part(n.stop), part(n.step)
	switch c := v.(type) {
	case string:
		if step == nil && isASCII(c) {
			from, to, _ := bounds(len(c), start, stop, step)
			return c[from:max(from, to)]
		}
		var b strings.Builder
		for _, e := range sliceItems(iterate(c), start, stop, step) {
			b.WriteString(e.(string))
		}
		r.charge(b.Len())
		return b.String()
	case *List:
		return &List{Items: sliceItems(c.Items, start, stop, step)}
	case Tuple:
		return Tuple(sliceItems(c, start, stop, step))
	case *Range:
		return &List{Items: sliceItems(iterate(c), start, stop, step)}
	case Bytes:
		out := Bytes{}
		for _, e := range sliceItems(iterate(c), start, stop, step) {
			out = append(out, byte(e.(int64)))
		}
		return out
	}
	failUndefined(v)
	return r.undefined("%s has no element slice(%s, %s, %s)", objectName(v), Repr(start), Repr(stop), Repr(step))
}

// bounds are a slice's in a sequence of n elements.
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

func sliceItems(items []any, start, stop, step any) []any {
	from, to, by := bounds(len(items), start, stop, step)
	out := []any{}
	for i := from; by > 0 && i < to || by < 0 && i > to; i += by {
		out = append(out, items[i])
	}
	return out
}
