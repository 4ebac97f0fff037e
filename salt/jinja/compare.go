package jinja

import (
	"bytes"
	"cmp"
	"math/big"
	"strings"
)

// Truth is Python's bool(v).
func Truth(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case int64:
		return v != 0
	case *big.Int:
		return v.Sign() != 0
	case float64:
		return v != 0
	case string:
		return v != ""
	case Bytes:
		return len(v) > 0
	case *List:
		return len(v.Items) > 0
	case Tuple:
		return len(v) > 0
	case *Dict:
		return v.Len() > 0
	case *Set:
		return v.d.Len() > 0
	case *DictView:
		return v.d.Len() > 0
	case *Range:
		return v.Len() > 0
	case *Undefined:
		if v.strict {
			v.fail()
		}
		return false
	}
	return true
}

// Equal is Python's a == b.
func (r *Run) Equal(a, b any) bool { return r.equal(a, b, 0) }

func (r *Run) equal(a, b any, depth int) bool {
	if depth > maxNested {
		throw("maximum recursion depth exceeded in comparison")
	}
	//mutant:template-in
	r.Work(visitWork)
	if isNumber(a) && isNumber(b) {
		return r.orderNumbers(a, b) == 0
	}
	switch x := a.(type) {
	case nil:
		if u, ok := b.(*Undefined); ok && u.strict {
			u.fail()
		}
		return b == nil
	case string:
		y, ok := b.(string)
		if u, undef := b.(*Undefined); undef && u.strict {
			u.fail()
		}
		r.Work(min(len(x), len(y)) / 8)
		return ok && x == y
	case Bytes:
		y, ok := b.(Bytes)
		r.Work(len(x) / 8)
		return ok && string(x) == string(y)
	case *List:
		y, ok := b.(*List)
		return ok && r.equalItems(x.Items, y.Items, depth)
	case Tuple:
		y, ok := b.(Tuple)
		return ok && r.equalItems(x, y, depth)
	case *Dict:
		y, ok := b.(*Dict)
		return ok && r.equalDicts(x, y, depth)
	case *Set:
		y, ok := b.(*Set)
		return ok && x.d.Len() == y.d.Len() && r.subset(x, y)
	case *DictView:
		if y, ok := b.(*DictView); ok {
			return x.kind == y.kind && r.equalItems(r.viewItems(x), r.viewItems(y), depth)
		}
		return false
	case *Range:
		y, ok := b.(*Range)
		return ok && *x == *y
	case *Undefined:
		if x.strict {
			x.fail()
		}
		_, ok := b.(*Undefined)
		return ok
	}
	if u, ok := b.(*Undefined); ok && u.strict {
		u.fail()
	}
	switch b.(type) {
	case Tuple, Bytes:
		return false // these cannot be compared in Go
	}
	return a == b
}

func (r *Run) equalDicts(x, y *Dict, depth int) bool {
	if x.Len() != y.Len() {
		return false
	}
	if x.Ordered && y.Ordered && !r.equalItems(x.keys, y.keys, depth) {
		return false
	}
	for i, k := range x.keys {
		v, there := r.Get(y, k)
		if !there || !r.equal(x.at(i), v, depth+1) {
			return false
		}
	}
	return true
}

func (r *Run) equalItems(x, y []any, depth int) bool {
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if !r.equal(x[i], y[i], depth+1) {
			return false
		}
	}
	return true
}

func (r *Run) orderNumbers(a, b any) int {
	_, af := a.(float64)
	_, bf := b.(float64)
	if !af && !bf {
		if x, ok := a.(int64); ok {
			if y, ok := b.(int64); ok {
				return cmp.Compare(x, y)
			}
		}
		x, _ := toInt(a)
		y, _ := toInt(b)
		r.Work((x.BitLen() + y.BitLen()) / 8)
		return x.Cmp(y)
	}
	x, _ := toFloat(a)
	y, _ := toFloat(b)
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	case x == y:
		return 0
	}
	return 2 // NaN is neither less, nor more, nor equal
}

// order compares a and b as Python's < does; op names the operator in an error.
func (r *Run) order(op string, a, b any, depth int) int {
	failUndefined(a, b)
	if depth > maxNested {
		throw("maximum recursion depth exceeded in comparison")
	}
	r.Work(visitWork)
	if isNumber(a) && isNumber(b) {
		return r.orderNumbers(a, b)
	}
	var x, y []any
	switch a := a.(type) {
	case string:
		if b, ok := b.(string); ok {
			r.Work(min(len(a), len(b)) / 8)
			return strings.Compare(a, b)
		}
	case Bytes:
		if b, ok := b.(Bytes); ok {
			r.Work(min(len(a), len(b)) / 8)
			return bytes.Compare(a, b)
		}
	case *List:
		if l, ok := b.(*List); ok {
			x, y = a.Items, l.Items
		}
	case Tuple:
		if t, ok := b.(Tuple); ok {
			x, y = a, t
		}
	}
	if x == nil && y == nil && !bothEmpty(a, b) {
		throw("'%s' not supported between instances of '%s' and '%s'", op, typeName(a), typeName(b))
	}
	for i := range min(len(x), len(y)) {
		if !r.equal(x[i], y[i], depth+1) {
			return r.order(op, x[i], y[i], depth+1)
		}
	}
	return len(x) - len(y)
}

// bothEmpty reports whether both values are empty lists or both empty tuples.
func bothEmpty(a, b any) bool {
	switch a.(type) {
	case *List:
		_, ok := b.(*List)
		return ok
	case Tuple:
		_, ok := b.(Tuple)
		return ok
	}
	return false
}

// compare evaluates one comparison of Jinja.
func (r *Run) compare(op string, a, b any) bool {
	switch op {
	case "==":
		return r.Equal(a, b)
	case "!=":
		return !r.Equal(a, b)
	case "in":
		return r.contains(b, a)
	case "not in":
		return !r.contains(b, a)
	}
	if x, ok := a.(*Set); ok {
		if y, ok := b.(*Set); ok {
			return r.compareSets(op, x, y)
		}
	}
	c := r.order(op, a, b, 0)
	if c == 2 && (isNumber(a) && isNumber(b)) {
		return false
	}
	switch op {
	case "<":
		return c < 0
	case "<=":
		return c <= 0
	case ">":
		return c > 0
	}
	return c >= 0
}

func (r *Run) subset(x, y *Set) bool {
	for _, k := range x.d.keys {
		if !r.has(&y.d, k) {
			return false
		}
	}
	return true
}

func (r *Run) compareSets(op string, x, y *Set) bool {
	switch op {
	case "<":
		return x.d.Len() < y.d.Len() && r.subset(x, y)
	case "<=":
		return r.subset(x, y)
	case ">":
		return y.d.Len() < x.d.Len() && r.subset(y, x)
	}
	return r.subset(y, x)
}

func (r *Run) setMinus(x, y *Set) *Set {
	out := &Set{}
	for _, k := range x.d.keys {
		if !r.has(&y.d, k) {
			r.Set(&out.d, k, nil)
		}
	}
	return out
}

// contains is "key in v".
func (r *Run) contains(v, key any) bool {
	switch v := v.(type) {
	case string:
		s, ok := key.(string)
		if !ok {
			failUndefined(key)
			throw("'in <string>' requires string as left operand, not %s", typeName(key))
		}
		r.touch(v)
		return strings.Contains(v, s)
	case *Dict:
		return r.has(v, key)
	case *Set:
		return r.has(&v.d, key)
	case *Undefined:
		if v.strict {
			v.fail()
		}
		return false
	case Container:
		return v.Contains(r, key)
	case Bytes:
		if s, ok := key.(Bytes); ok {
			r.touch(v)
			return bytes.Contains(v, s)
		}
	case nil, bool, int64, float64, *big.Int, *Func, *Method, *Macro, *Namespace:
		throw("argument of type '%s' is not iterable", typeName(v))
	}
	for _, e := range r.iterate(v) {
		if r.Equal(e, key) {
			return true
		}
	}
	return false
}
