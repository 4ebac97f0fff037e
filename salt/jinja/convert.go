package jinja

import (
	"fmt"
	"math/big"
	"reflect"

	"github.com/momtree/mom/value"
)

// maxNested is the deepest nesting of values that is walked.
const maxNested = 200

// take converts a value from outside to a template's value. It copies one level of lists
// and maps: the caller does not see changes by the template.
func take(v any) any {
	switch v := v.(type) {
	case nil, bool, int64, float64, string, *List, *Dict, Tuple:
		return v
	case int:
		return int64(v)
	case uint64:
		return Int(new(big.Int).SetUint64(v))
	case []byte:
		return Bytes(v)
	case *value.Map:
		if v == nil {
			return nil
		}
		d := &Dict{keys: make([]any, 0, v.Len()), vals: make([]any, 0, v.Len())}
		v.Range(func(k, e any) bool {
			d.keys = append(d.keys, takeKey(k))
			d.vals = append(d.vals, e)
			return true
		})
		d.reindex()
		return d
	case []any:
		//mutant:render-callers-values
		l := &List{Items: make([]any, len(v))}
		for i, e := range v {
			l.Items[i] = take(e)
		}
		return l
	case []string:
		l := &List{Items: make([]any, len(v))}
		for i, e := range v {
			l.Items[i] = e
		}
		return l
	case map[string]any:
		d := &Dict{}
		for _, k := range sortedKeys(v) {
			d.Set(k, v[k])
		}
		return d
	case value.Lazy:
		inner, err := v.Value()
		if err != nil {
			Throw(fmt.Errorf("read value: %w", err))
		}
		return take(inner)
	case value.Const:
		return take(v.Value)
	}
	switch rv := reflect.ValueOf(v); rv.Kind() {
	case reflect.Int8, reflect.Int16, reflect.Int32:
		return rv.Int()
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32:
		return take(rv.Uint())
	case reflect.Float32:
		return rv.Float()
	}
	return v
}

func takeKey(k any) any {
	switch k := k.(type) {
	case uint64:
		return Int(new(big.Int).SetUint64(k))
	case int:
		return int64(k)
	}
	return k
}

// Take converts a value of package value to a template's value. It counts nothing.
func Take(v any) any { return take(v) }

// Take converts the result of a function to a template's value, and counts all of it.
func (r *Run) Take(v any) any {
	r.weigh(v, 0)
	return take(v)
}

// weigh counts a value from outside.
func (r *Run) weigh(v any, depth int) {
	if depth > maxNested {
		return // walking it fails
	}
	r.Work(visitWork)
	switch v := v.(type) {
	case string:
		r.Alloc(len(v) + boxBytes)
	case []byte:
		r.Alloc(len(v) + boxBytes)
	case []any:
		r.Room(2 * len(v))
		for _, e := range v {
			r.weigh(e, depth+1)
		}
	case []string:
		r.Room(2 * len(v))
	case *value.Map:
		if v != nil {
			r.roomDict(v.Len())
			v.Range(func(k, e any) bool {
				r.weigh(k, depth+1)
				r.weigh(e, depth+1)
				return true
			})
		}
	case map[string]any:
		r.roomDict(len(v))
		for _, e := range v {
			r.weigh(e, depth+1)
		}
	}
}

// Give converts a template's value to one of package value: tuples and sets become lists,
// and numbers beyond 64 bits text. It returns an error for undefined and non-data values.
func (r *Run) Give(v any) (out any, err error) {
	defer catch(&err)
	return r.give(v, 0), nil
}

func (r *Run) give(v any, depth int) any {
	if depth > maxNested {
		throw("values are nested more than %d deep", maxNested)
	}
	r.Work(visitWork)
	list := func(items []any) any {
		r.Room(len(items))
		out := make([]any, len(items))
		for i, e := range items {
			out[i] = r.give(e, depth+1)
		}
		return out
	}
	switch v := v.(type) {
	case nil, bool, int64, float64, string:
		return v
	case Bytes:
		return []byte(v)
	case *big.Int:
		if v.IsUint64() {
			return v.Uint64()
		}
		r.decimal(v)
		return v
	case *List:
		return list(v.Items)
	case Tuple:
		return list(v)
	case *Set:
		return list(v.d.keys)
	case *DictView:
		return list(r.viewItems(v))
	case *Range, *Iter:
		return list(r.iterate(v))
	case *Dict:
		r.roomDict(v.Len())
		m := value.Sized(v.Len())
		v.Range(func(k, e any) bool {
			m.Set(r.giveKey(k), r.give(e, depth+1))
			return true
		})
		return m
	case *Undefined:
		v.fail()
		return nil
	case *Func, *Method, *Macro, *Module, *Namespace, *Loop:
		throw("a %s cannot be used outside of the template", typeName(v))
	case Object:
		throw("a %s cannot be used outside of the template", v.TypeName())
	}
	return v
}

func (r *Run) giveKey(k any) any {
	switch k := k.(type) {
	case nil, bool, int64, float64, string:
		return k
	case *big.Int:
		if k.IsUint64() {
			return k.Uint64()
		}
		r.decimal(k)
		return k.String()
	}
	return r.Repr(k)
}
