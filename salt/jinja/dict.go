package jinja

import (
	"fmt"
	"math"
	"math/big"
	"strings"

	"github.com/momtree/mom/value"
)

// Bounds on a tuple as a key: each lookup walks its elements.
const (
	maxKeyParts = 1024
	maxKeyBytes = 64 << 10
)

// Dict is Python's dict: it keeps the order of its keys, and 1, 1.0 and True are the same
// key. Values from outside are converted on first access, so that a large pillar costs
// nothing until it is read.
//
// Its methods do not count towards the limits. A run uses [Run.Get] and [Run.Set] for keys
// and values chosen by the template.
type Dict struct {
	// Ordered makes Python's repr show an OrderedDict.
	Ordered bool

	keys  []any
	vals  []any
	index map[any]int
}

// NewDict returns a dict of alternating keys and values.
func NewDict(kv ...any) *Dict {
	d := &Dict{}
	for i := 0; i+1 < len(kv); i += 2 {
		d.Set(kv[i], kv[i+1])
	}
	return d
}

// hashKey returns the Go map key of a Python key.
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
		return "\x00i" + string(k.Append(nil, 62))
	case Bytes:
		return "\x00b" + string(k)
	case Tuple:
		t := tupleKey{left: maxKeyParts}
		t.b.WriteString("\x00t")
		t.tuple(k, 0)
		return t.b.String()
	case *Undefined:
		k.fail()
		return nil
	case *List, *Dict, *Set, *value.Map, []any:
		throw("unhashable type: '%s'", typeName(take(k)))
	}
	return k
}

// tupleKey writes the Go map key of a tuple. A tuple may hold another one many times, so
// the total number of parts is bounded, not only the length.
type tupleKey struct {
	b    strings.Builder
	left int
}

func (t *tupleKey) tuple(k Tuple, depth int) {
	if depth > maxNested {
		throw("maximum recursion depth exceeded while hashing a tuple")
	}
	t.b.WriteByte('(')
	for _, e := range k {
		//mutant:template-hash
		if t.left--; t.left < 0 || t.b.Len() > maxKeyBytes {
			throwKind(KindLimit, "a tuple with more than %d parts or %d bytes cannot be a key", maxKeyParts, maxKeyBytes)
		}
		switch e := e.(type) {
		case Tuple:
			t.tuple(e, depth+1)
			continue
		case string:
			t.part("s", e)
			continue
		case Bytes:
			t.part("b", string(e[:min(len(e), maxKeyBytes+1)]))
			continue
		}
		h := hashKey(e)
		t.part(fmt.Sprintf("%T", h), fmt.Sprint(h))
	}
	t.b.WriteByte(')')
}

func (t *tupleKey) part(kind, s string) {
	fmt.Fprintf(&t.b, "%s%d:", kind, len(s))
	t.b.WriteString(s[:min(len(s), maxKeyBytes+1)])
}

// key counts the lookup of a key.
func (r *Run) key(k any) {
	r.Work(4 * visitWork)
	switch k := k.(type) {
	case string:
		r.Work(len(k) / 4)
	case Bytes:
		r.Alloc(len(k))
		r.Work(len(k))
	case Tuple:
		n := maxKeyParts
		parts(k, &n, 0)
		r.Work((maxKeyParts - n) * 16 * visitWork)
		r.Alloc((maxKeyParts - n) * maxKeyBytes / maxKeyParts)
	case *big.Int:
		r.Work(k.BitLen() * 4)
		r.Alloc(k.BitLen() / 4)
	}
}

// parts subtracts the parts of a tuple from n, stopping at zero.
func parts(k Tuple, n *int, depth int) {
	for _, e := range k {
		if *n--; *n <= 0 || depth > maxNested {
			return
		}
		switch e := e.(type) {
		case Tuple:
			parts(e, n, depth+1)
		case string:
			*n = max(*n-len(e)*maxKeyParts/maxKeyBytes, 0)
		}
	}
}

// Get returns the value of a key chosen by a template.
func (r *Run) Get(d *Dict, key any) (any, bool) {
	r.key(key)
	return d.Get(key)
}

// has reports whether a dict has a key.
func (r *Run) has(d *Dict, key any) bool {
	r.key(key)
	return d.find(key) >= 0
}

// Set sets the value of a key.
func (r *Run) Set(d *Dict, key, v any) {
	r.key(key)
	n := d.Len()
	if n >= r.limits.Values {
		r.Fits(n + 1)
	}
	r.Alloc(pairBytes)
	r.Work(12 * visitWork)
	d.Set(key, v)
}

// Clone returns a copy of a dict that shares the values.
func (r *Run) Clone(d *Dict) *Dict {
	r.roomDict(d.Len())
	return d.Clone()
}

// roomDict counts a new dict of n keys.
func (r *Run) roomDict(n int) {
	r.Fits(n)
	r.Alloc(n*pairBytes + smallBytes)
	r.Work(n * 8 * visitWork)
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

// Len returns the number of keys.
func (d *Dict) Len() int { return len(d.keys) }

// Keys returns a copy of the keys in order.
func (d *Dict) Keys() []any { return append([]any(nil), d.keys...) }

// at returns the value at index i.
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

// Get returns the value of key.
func (d *Dict) Get(key any) (any, bool) {
	i := d.find(key)
	if i < 0 {
		return nil, false
	}
	return d.at(i), true
}

// Set sets the value of key; an existing key keeps its position.
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

// Delete removes key and reports whether it existed.
func (d *Dict) Delete(key any) bool {
	i := d.find(key)
	if i < 0 {
		return false
	}
	gone := hashKey(d.keys[i])
	d.keys = append(d.keys[:i:i], d.keys[i+1:]...)
	d.vals = append(d.vals[:i:i], d.vals[i+1:]...)
	delete(d.index, gone)
	for k, at := range d.index {
		if at > i {
			d.index[k] = at - 1
		}
	}
	return true
}

// Delete removes a key chosen by a template.
func (r *Run) Delete(d *Dict, key any) bool {
	r.key(key)
	r.Alloc(d.Len() * 2 * slotBytes)
	r.Work(d.Len() * 4 * visitWork)
	return d.Delete(key)
}

// Clone returns a copy that shares the values.
func (d *Dict) Clone() *Dict {
	for i := range d.vals {
		d.at(i) // both share nested values, so convert them now
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
