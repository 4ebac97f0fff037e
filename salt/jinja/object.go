package jinja

import (
	"math/big"
)

// The values of a template are nil, bool, int64, *big.Int (beyond int64), float64, string,
// Bytes, *List, Tuple, *Dict, *Set, *Range, *Undefined, *Func, *Namespace, *Loop, *Macro,
// *Module, and values of a caller that implement [Object].

// Bytes is Python's bytes.
type Bytes []byte

// Tuple is Python's tuple. It must not be changed.
type Tuple []any

// List is Python's list: a reference type.
type List struct{ Items []any }

// NewList returns a list that owns items.
func NewList(items ...any) *List { return &List{Items: items} }

// Set is Python's set. It prints in insertion order.
type Set struct{ d Dict }

// Items returns the elements in insertion order.
func (s *Set) Items() []any { return s.d.Keys() }

// Range is Python's range.
type Range struct{ Start, Stop, Step int64 }

// Len returns the number of its elements.
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
	// TypeName returns the name of the type in Python's error messages: "dict object".
	TypeName() string
	// Attr returns obj.name; ok is false if it does not exist.
	Attr(r *Run, name string) (v any, ok bool)
	// Item returns obj[key]; ok is false if it does not exist.
	Item(r *Run, key any) (v any, ok bool)
}

// Container is an [Object] that implements "x in obj".
type Container interface {
	Contains(r *Run, key any) bool
}

// Func is a function that a template can call.
type Func struct {
	Name string
	Call func(r *Run, a *Args) any
	// Holds are the template's values that the function keeps; may be nil.
	Holds any
}

// Iter is the result of a lazy filter. It can be iterated once.
type Iter struct {
	// its name in Python's messages: "generator", "zip"
	Type  string
	items []any
}

// NewIter returns a lazy list, like Python's itertools and generators: it prints as an
// object and can be iterated once.
func NewIter(kind string, items []any) *Iter { return &Iter{Type: kind, items: items} }

// Undefined is the value of a name that is not defined.
type Undefined struct {
	text   string
	strict bool
}

// DictView is the result of keys(), values() or items().
type DictView struct {
	kind string // "dict_keys", "dict_values", "dict_items"
	d    *Dict
}

// viewItems returns the elements of a view.
func (r *Run) viewItems(v *DictView) []any {
	n := v.d.Len()
	r.Room(n)
	if v.kind == "dict_keys" {
		return v.d.Keys()
	}
	out := make([]any, n)
	if v.kind == "dict_items" {
		r.Alloc(n * (3*slotBytes + boxBytes)) // a tuple of two each
		pairs := make([]any, 2*n)
		for i := range out {
			pairs[2*i], pairs[2*i+1] = v.d.keys[i], v.d.at(i)
			out[i] = Tuple(pairs[2*i : 2*i+2 : 2*i+2])
		}
		return out
	}
	for i := range out {
		out[i] = v.d.at(i)
	}
	return out
}

// Int returns n as a number of a template.
func Int(n *big.Int) any {
	if n.IsInt64() {
		return n.Int64()
	}
	return n
}

// typeName returns Python's name of the type of v.
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

// objectName returns Jinja's name of an object in the message about an undefined attribute.
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

// TypeName returns Python's name of the type of v.
func TypeName(v any) string { return typeName(v) }
