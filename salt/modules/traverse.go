package modules

import (
	"strconv"
	"strings"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

// defaultDelimiter separates the keys of a path into nested data.
const defaultDelimiter = ":"

// traverse follows a path such as "a:b:0" into nested maps and lists. In a list, a key is
// an index, or a key of a map in the list.
func traverse(data any, path, delimiter string) (any, bool) {
	at := data
	for _, key := range splitPath(path, delimiter) {
		var ok bool
		if at, ok = step(wire.Normal(at), key); !ok {
			return nil, false
		}
	}
	return at, true
}

func splitPath(path, delimiter string) []string {
	if delimiter == "" {
		return []string{path}
	}
	return strings.Split(path, delimiter)
}

func step(at any, key string) (any, bool) {
	switch at := at.(type) {
	case *value.Map:
		if at == nil {
			return nil, false
		}
		if v, ok := at.Get(key); ok {
			return v, true
		}
		if typed := pyfmt.YAMLWord(key); typed != any(key) {
			return mapGet(at, typed)
		}
	case []any:
		index, err := strconv.Atoi(key)
		var want any = key
		if err == nil {
			want = index
		}
		for _, e := range at {
			if m, ok := e.(*value.Map); ok {
				if v, found := mapGet(m, want); found {
					return v, true
				}
			}
		}
		if err == nil {
			// Python counts a negative index from the end.
			if index < 0 {
				index += len(at)
			}
			if index >= 0 && index < len(at) {
				return at[index], true
			}
		}
	}
	return nil, false
}

// mapGet returns the value of a key of any type.
func mapGet(m *value.Map, key any) (any, bool) {
	if s, ok := key.(string); ok {
		return m.Get(s)
	}
	switch key.(type) {
	case []any, *value.Map:
		return nil, false
	}
	var found any
	ok := false
	m.Range(func(k, v any) bool {
		if _, text := k.(string); !text && equal(k, key) {
			found, ok = v, true
		}
		return !ok
	})
	return found, ok
}

// deepCopy returns a value that shares no map or list with v.
func deepCopy(v any) any {
	switch v := wire.Normal(v).(type) {
	case *value.Map:
		m := value.NewMap()
		v.Range(func(k, e any) bool {
			m.Set(k, deepCopy(e))
			return true
		})
		return m
	case []any:
		l := make([]any, len(v))
		for i, e := range v {
			l[i] = deepCopy(e)
		}
		return l
	default:
		return v
	}
}

// mergeInto merges src into dst recursively. Lists are replaced, or joined if lists is
// true. src is not modified.
func mergeInto(dst, src *value.Map, lists bool) {
	src.Range(func(k, v any) bool {
		old, _ := mapGet(dst, k)
		v = wire.Normal(v)
		if om, ok := old.(*value.Map); ok {
			if vm, ok := v.(*value.Map); ok {
				mergeInto(om, vm, lists)
				return true
			}
		}
		if ol, ok := old.([]any); ok && lists {
			if vl, ok := v.([]any); ok {
				dst.Set(k, append(ol[:len(ol):len(ol)], deepCopy(vl).([]any)...))
				return true
			}
		}
		dst.Set(k, deepCopy(v))
		return true
	})
}

// Traverse returns the value at a path of keys; ok is false if it does not exist.
func Traverse(data any, path, delimiter string) (any, bool) { return traverse(data, path, delimiter) }
