package jinja

import (
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
func Equal(a, b any) bool { return equal(a, b, 0) }

func equal(a, b any, depth int) bool {
	if depth > maxNested {
		throw("maximum recursion depth exceeded in comparison")
	}
	if isNumber(a) && isNumber(b) {
		return orderNumbers(a, b) == 0
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
		return ok && x == y
	case Bytes:
		y, ok := b.(Bytes)
		return ok && string(x) == string(y)
	case *List:
		y, ok := b.(*List)
		return ok && equalItems(x.Items, y.Items, depth)
	case Tuple:
		y, ok := b.(Tuple)
		return ok && equalItems(x, y, depth)
	case *Dict:
		y, ok := b.(*Dict)
		if !ok || x.Len() != y.Len() {
			return false
		}
		if x.Ordered && y.Ordered && !equalItems(x.keys, y.keys, depth) {
			return false
		}
		for i, k := range x.keys {
			v, there := y.Get(k)
			if !there || !equal(x.at(i), v, depth+1) {
				return false
			}
		}
		return true
	case *Set:
		y, ok := b.(*Set)
		if !ok || x.d.Len() != y.d.Len() {
			return false
		}
		for _, k := range x.d.keys {
			if y.d.find(k) < 0 {
				return false
			}
		}
		return true
	case *DictView:
		if y, ok := b.(*DictView); ok {
			return x.kind == y.kind && equalItems(x.items(), y.items(), depth)
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

func equalItems(x, y []any, depth int) bool {
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if !equal(x[i], y[i], depth+1) {
			return false
		}
	}
	return true
}

func orderNumbers(a, b any) int {
	_, af := a.(float64)
	_, bf := b.(float64)
	if !af && !bf {
		x, _ := toInt(a)
		y, _ := toInt(b)
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
func order(op string, a, b any, depth int) int {
	failUndefined(a, b)
	if depth > maxNested {
		throw("maximum recursion depth exceeded in comparison")
	}
	if isNumber(a) && isNumber(b) {
		return orderNumbers(a, b)
	}
	var x, y []any
	switch a := a.(type) {
	case string:
		if b, ok := b.(string); ok {
			return strings.Compare(a, b)
		}
	case Bytes:
		if b, ok := b.(Bytes); ok {
			return strings.Compare(string(a), string(b))
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
		if !equal(x[i], y[i], depth+1) {
			return order(op, x[i], y[i], depth+1)
		}
	}
	return len(x) - len(y)
}

// bothEmpty tells of two lists or two tuples without elements.
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

// compare is one comparison of Jinja.
func (r *Run) compare(op string, a, b any) bool {
	switch op {
	case "==":
		return Equal(a, b)
	case "!=":
		return !Equal(a, b)
	case "in":
		return r.contains(b, a)
	case "not in":
		return !r.contains(b, a)
	}
	if x, ok := a.(*Set); ok {
		if y, ok := b.(*Set); ok {
			return compareSets(op, x, y)
		}
	}
	c := order(op, a, b, 0)
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

func subset(x, y *Set) bool {
	for _, k := range x.d.keys {
		if y.d.find(k) < 0 {
			return false
		}
	}
	return true
}

func compareSets(op string, x, y *Set) bool {
	switch op {
	case "<":
		return x.d.Len() < y.d.Len() && subset(x, y)
	case "<=":
		return subset(x, y)
	case ">":
		return y.d.Len() < x.d.Len() && subset(y, x)
	}
	return subset(y, x)
}

func setMinus(x, y *Set) *Set {
	out := &Set{}
	for _, k := range x.d.keys {
		if y.d.find(k) < 0 {
			out.d.Set(k, nil)
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
		return strings.Contains(v, s)
	case *Dict:
		return v.find(key) >= 0
	case *Set:
		return v.d.find(key) >= 0
	case *Undefined:
		if v.strict {
			v.fail()
		}
		return false
	case Container:
		return v.Contains(r, key)
	case Bytes:
		if s, ok := key.(Bytes); ok {
			return strings.Contains(string(v), string(s))
		}
	case nil, bool, int64, float64, *big.Int, *Func, *Method, *Macro, *Namespace:
		throw("argument of type '%s' is not iterable", typeName(v))
	}
	for _, e := range iterate(v) {
		if Equal(e, key) {
			return true
		}
	}
	return false
}
