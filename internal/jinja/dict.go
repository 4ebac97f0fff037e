package jinja

import (
	"fmt"
	"math"
	"math/big"
	"strings"

	"github.com/momtree/mom/value"
)

// Dict is Python's dict: it keeps the order of its keys, and 1, 1.0 and True are the
// same key. Values that came from outside are taken over when somebody looks at them,
// so that a large pillar costs nothing until it is read.
type Dict struct {
	// Ordered dicts are OrderedDict to Python's repr.
	Ordered bool

	keys  []any
	vals  []any
	index map[any]int
}

// NewDict makes a dict of alternating keys and values.
func NewDict(kv ...any) *Dict {
	d := &Dict{}
	for i := 0; i+1 < len(kv); i += 2 {
		d.Set(kv[i], kv[i+1])
	}
	return d
}

// hashKey is the Go key by which a Python key is found.
func hashKey(k any) any {
	switch k := k.(type) {
	case nil, int64, string:
		return k
	case bool:
		if k {
			return int64(1)
		}
		return int64(0)
	case float64:
		if k == math.Trunc(k) && math.Abs(k) < 1<<62 {
			return int64(k)
		}
		return k
	case *big.Int:
		return "\x00i" + k.String()
	case Bytes:
		return "\x00b" + string(k)
	case Tuple:
		var b strings.Builder
		b.WriteString("\x00t")
		for _, e := range k {
			h := hashKey(e)
			s := fmt.Sprintf("%T:%v", h, h)
			fmt.Fprintf(&b, "%d:%s", len(s), s)
		}
		return b.String()
	case *Undefined:
		k.fail()
		return nil
	case *List, *Dict, *Set, *value.Map, []any:
		throw("unhashable type: '%s'", typeName(take(k)))
	}
	return k
}

func (d *Dict) find(key any) int {
	h := hashKey(key)
	if d.index != nil {
		if i, ok := d.index[h]; ok {
			return i
		}
		return -1
	}
	for i, k := range d.keys {
		if hashKey(k) == h {
			return i
		}
	}
	return -1
}

// Len counts the keys.
func (d *Dict) Len() int { return len(d.keys) }

// Keys is a copy of the keys in order.
func (d *Dict) Keys() []any { return append([]any(nil), d.keys...) }

// at is the value in place i.
func (d *Dict) at(i int) any {
	switch v := d.vals[i].(type) {
	case nil, string, int64, bool, *List, *Dict:
		return v
	default:
		t := take(v)
		d.vals[i] = t
		return t
	}
}

// Get is the value of key.
func (d *Dict) Get(key any) (any, bool) {
	i := d.find(key)
	if i < 0 {
		return nil, false
	}
	return d.at(i), true
}

// Set gives key a value, in its old place if it has one.
func (d *Dict) Set(key, v any) {
	if i := d.find(key); i >= 0 {
		d.vals[i] = v
		return
	}
	d.keys = append(d.keys, key)
	d.vals = append(d.vals, v)
	switch {
	case d.index != nil:
		d.index[hashKey(key)] = len(d.keys) - 1
	case len(d.keys) > 8:
		d.reindex()
	}
}

func (d *Dict) reindex() {
	d.index = nil
	if len(d.keys) <= 8 {
		return
	}
	d.index = make(map[any]int, len(d.keys))
	for i, k := range d.keys {
		d.index[hashKey(k)] = i
	}
}

// Delete removes key and tells whether it was there.
func (d *Dict) Delete(key any) bool {
	i := d.find(key)
	if i < 0 {
		return false
	}
	d.keys = append(d.keys[:i:i], d.keys[i+1:]...)
	d.vals = append(d.vals[:i:i], d.vals[i+1:]...)
	d.reindex()
	return true
}

// Clone is a copy that shares the values.
func (d *Dict) Clone() *Dict {
	for i := range d.vals {
		d.at(i) // nested values are shared by both, so they are taken over now
	}
	c := &Dict{Ordered: d.Ordered, keys: append([]any(nil), d.keys...), vals: append([]any(nil), d.vals...)}
	c.reindex()
	return c
}

// Range calls fn for each pair in order until it returns false. fn must not add or
// remove keys.
func (d *Dict) Range(fn func(k, v any) bool) {
	for i := range len(d.keys) {
		if !fn(d.keys[i], d.at(i)) {
			return
		}
	}
}
