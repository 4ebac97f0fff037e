package value

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"time"
)

// Map is a map that keeps the order its keys were first set in, as Python's
// does. Keys are text, ints, floats, bools, times or nil, else Set panics; a
// []byte key is taken as the text of the same bytes. A nil *Map reads as empty. It
// is not safe for concurrent change.
type Map struct {
	keys  []any
	vals  []any
	index map[any]int // only above indexFrom keys
}

const indexFrom = 8

// NewMap makes a map of alternating keys and values. It panics on an odd count.
func NewMap(kv ...any) *Map {
	if len(kv)%2 != 0 {
		panic("value.NewMap: a key without a value")
	}
	m := &Map{}
	for i := 0; i < len(kv); i += 2 {
		m.Set(kv[i], kv[i+1])
	}
	return m
}

// mapKey brings a key into the one form it is stored and found by.
func mapKey(k any) any {
	switch k := k.(type) {
	case nil, string, bool, int64, float64, time.Time:
		return k
	case []byte:
		return string(k)
	case int:
		return int64(k)
	case uint64:
		if k > math.MaxInt64 {
			return k
		}
		return int64(k)
	}
	switch v := reflect.ValueOf(k); v.Kind() {
	case reflect.String:
		return v.String()
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return v.Int()
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return mapKey(v.Uint())
	}
	panic(fmt.Sprintf("value.Map: %T cannot be a key", k))
}

// find returns the place of a key that mapKey has formed, or -1.
func (m *Map) find(key any) int {
	if m == nil {
		return -1
	}
	if m.index != nil {
		if i, ok := m.index[key]; ok {
			return i
		}
		return -1
	}
	for i, k := range m.keys {
		if k == key {
			return i
		}
	}
	return -1
}

// Sized makes a map with room for n keys.
func Sized(n int) *Map { return &Map{keys: make([]any, 0, n), vals: make([]any, 0, n)} }

// Set gives key the value val: in its old place if it has one, else at the end.
func (m *Map) Set(key, val any) {
	key = mapKey(key)
	if i := m.find(key); i >= 0 {
		m.vals[i] = val
		return
	}
	m.keys = append(m.keys, key)
	m.vals = append(m.vals, val)
	switch {
	case m.index != nil:
		m.index[key] = len(m.keys) - 1
	case len(m.keys) > indexFrom:
		m.reindex()
	}
}

func (m *Map) reindex() {
	m.index = nil
	if len(m.keys) <= indexFrom {
		return
	}
	m.index = make(map[any]int, len(m.keys))
	for i, k := range m.keys {
		m.index[k] = i
	}
}

// Get returns the value of a text key. Keys of other types: GetKey.
func (m *Map) Get(key string) (any, bool) { return m.GetKey(key) }

// GetKey returns the value of a key of any type.
func (m *Map) GetKey(key any) (any, bool) {
	if i := m.find(mapKey(key)); i >= 0 {
		return m.vals[i], true
	}
	return nil, false
}

// Has reports whether the text key is there, whatever its value.
func (m *Map) Has(key string) bool { return m.find(key) >= 0 }

// Delete removes key if it is there. It takes time linear in Len.
func (m *Map) Delete(key any) {
	i := m.find(mapKey(key))
	if i < 0 {
		return
	}
	m.keys = append(m.keys[:i], m.keys[i+1:]...)
	m.vals = append(m.vals[:i], m.vals[i+1:]...)
	m.reindex()
}

// Len returns the number of keys.
func (m *Map) Len() int {
	if m == nil {
		return 0
	}
	return len(m.keys)
}

// Keys returns a copy of the keys in order.
func (m *Map) Keys() []any {
	if m == nil {
		return nil
	}
	return append([]any(nil), m.keys...)
}

// Range calls fn for each pair in order until fn returns false. fn must not add
// or delete keys.
func (m *Map) Range(fn func(key, val any) bool) {
	if m == nil {
		return
	}
	for i := range m.keys {
		if !fn(m.keys[i], m.vals[i]) {
			return
		}
	}
}

// Clone returns a copy that shares the values.
func (m *Map) Clone() *Map {
	if m == nil {
		return nil
	}
	c := &Map{keys: append([]any(nil), m.keys...), vals: append([]any(nil), m.vals...)}
	c.reindex()
	return c
}

// GoString shows the map in its order, for test failures and debugging.
func (m *Map) GoString() string {
	var b strings.Builder
	b.WriteByte('{')
	for i, k := range m.Keys() {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%#v: %#v", k, m.vals[i])
	}
	b.WriteByte('}')
	return b.String()
}
