package jinja

import (
	"math/big"
)

// The values of a template are nil, bool, int64, *big.Int (beyond int64), float64,
// string, Bytes, *List, Tuple, *Dict, *Set, *Range, *Undefined, *Func, *Namespace,
// *Loop, *Macro, *Module and what a caller gives that is an [Object].

// Bytes is Python's bytes.
type Bytes []byte

// Tuple is Python's tuple. It must not be changed.
type Tuple []any

// List is Python's list: everyone who holds it sees its changes.
type List struct{ Items []any }

// NewList makes a list that owns items.
func NewList(items ...any) *List { return &List{Items: items} }

// Set is Python's set; it is printed in the order in which its elements came.
type Set struct{ d Dict }

// NewSet makes a set. Elements that cannot be hashed fail the run.
func NewSet(items []any) *Set {
	s := &Set{}
	for _, e := range items {
		s.d.Set(e, nil)
	}
	return s
}

// Items are the elements in order.
func (s *Set) Items() []any { return s.d.Keys() }

// Range is Python's range.
type Range struct{ Start, Stop, Step int64 }

// Len counts its numbers.
func (r *Range) Len() int64 {
	switch {
	case r.Step > 0 && r.Start < r.Stop:
		return (r.Stop-r.Start-1)/r.Step + 1
	case r.Step < 0 && r.Start > r.Stop:
		return (r.Start-r.Stop-1)/(-r.Step) + 1
	}
	return 0
}

// Object is a value with attributes and items of its own.
type Object interface {
	// TypeName is what Python's error texts call it: "dict object".
	TypeName() string
	// Attr is obj.name; ok is false when there is none.
	Attr(r *Run, name string) (v any, ok bool)
	// Item is obj[key]; ok is false when there is none.
	Item(r *Run, key any) (v any, ok bool)
}

// Container is an [Object] that knows what is in it: "x in obj".
type Container interface {
	Contains(r *Run, key any) bool
}

// Func is a function that a template can call.
type Func struct {
	Name string
	Call func(r *Run, a *Args) any
}

// Iter is what lazy filters give: it is walked once.
type Iter struct {
	// Type is its name in Python's texts: "generator", "zip".
	Type string
	// Next gives the next element; ok is false after the last.
	Next func() (v any, ok bool)
}

// iterOf makes an Iter over a slice.
func iterOf(kind string, items []any) *Iter {
	i := 0
	return &Iter{Type: kind, Next: func() (any, bool) {
		if i >= len(items) {
			return nil, false
		}
		i++
		return items[i-1], true
	}}
}

// NewIter is a lazy list, as Python's itertools and generators are: it prints as an
// object and is walked once.
func NewIter(kind string, items []any) *Iter { return iterOf(kind, items) }

// Undefined is what a name stands for that is not there.
type Undefined struct {
	text   string
	strict bool
}

// DictView is what keys(), values() and items() give.
type DictView struct {
	kind string // "dict_keys", "dict_values", "dict_items"
	d    *Dict
}

func (v *DictView) items() []any {
	switch v.kind {
	case "dict_keys":
		return v.d.Keys()
	case "dict_values":
		out := make([]any, v.d.Len())
		for i := range out {
			out[i] = v.d.at(i)
		}
		return out
	}
	out := make([]any, v.d.Len())
	for i := range out {
		out[i] = Tuple{v.d.keys[i], v.d.at(i)}
	}
	return out
}

// Int is n as a template's number.
func Int(n *big.Int) any {
	if n.IsInt64() {
		return n.Int64()
	}
	return n
}

// typeName is Python's name of the type of v.
func typeName(v any) string {
	switch v := v.(type) {
	case nil:
		return "NoneType"
	case bool:
		return "bool"
	case int64, *big.Int:
		return "int"
	case float64:
		return "float"
	case string:
		return "str"
	case Bytes:
		return "bytes"
	case *List:
		return "list"
	case Tuple:
		return "tuple"
	case *Dict:
		if v.Ordered {
			return "OrderedDict"
		}
		return "dict"
	case *Set:
		return "set"
	case *Range:
		return "range"
	case *Func:
		return "function"
	case *Method:
		return "builtin_function_or_method"
	case *Undefined:
		if v.strict {
			return "StrictUndefined"
		}
		return "Undefined"
	case *DictView:
		return v.kind
	case *Iter:
		return v.Type
	case *Namespace:
		return "Namespace"
	case *Macro:
		return "Macro"
	case *Module:
		return "TemplateModule"
	case *Loop:
		return "LoopContext"
	case Object:
		return v.TypeName()
	}
	return "object"
}

// objectName is what Jinja calls an object in the text of an undefined attribute.
func objectName(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case *Dict:
		if v.Ordered {
			return "collections.OrderedDict object"
		}
	case *Namespace:
		return "jinja2.utils.Namespace object"
	case *Macro:
		return "jinja2.runtime.Macro object"
	case *Module:
		return "jinja2.environment.TemplateModule object"
	case *Loop:
		return "jinja2.runtime.LoopContext object"
	}
	return typeName(v) + " object"
}

// TypeName is Python's name of the type of v.
func TypeName(v any) string { return typeName(v) }
