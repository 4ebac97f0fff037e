package states

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

// copied returns a deep copy of maps and lists.
func copied(v any) any {
	switch v := v.(type) {
	case *value.Map:
		if v == nil {
			return v
		}
		out := value.Sized(v.Len())
		v.Range(func(k, e any) bool {
			out.Set(k, copied(e))
			return true
		})
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = copied(e)
		}
		return out
	}
	return v
}

// same compares two values of one type as Python does; the order of map keys does not
// matter.
func same(a, b any) bool {
	switch a := a.(type) {
	case *value.Map:
		b, ok := b.(*value.Map)
		if !ok || a.Len() != b.Len() {
			return false
		}
		equal := true
		a.Range(func(k, v any) bool {
			w, there := b.GetKey(k)
			equal = there && same(v, w)
			return equal
		})
		return equal
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !same(a[i], b[i]) {
				return false
			}
		}
		return true
	}
	if x, ok := pyfmt.Number(a); ok {
		y, ok := pyfmt.Number(b)
		return ok && x == y
	}
	return reflect.DeepEqual(a, b)
}

// glob is Python's fnmatch.
func glob(pattern, s string) bool {
	if !strings.ContainsAny(pattern, "*?[") {
		return pattern == s
	}
	return target.Glob(pattern, s)
}

// filter is fnmatch.filter: the names that the pattern matches.
func filter(names []string, pattern string) []string {
	var out []string
	for _, n := range names {
		if glob(pattern, n) {
			out = append(out, n)
		}
	}
	return out
}

// str is Python's str(v).
func str(v any) string { return pyfmt.Str(v) }

// typeName is Python's type(v).__name__.
func typeName(v any) string {
	switch v.(type) {
	case nil:
		return "NoneType"
	case bool:
		return "bool"
	case int, int64, uint64:
		return "int"
	case float64:
		return "float"
	case string:
		return "str"
	case []byte:
		return "bytes"
	case []any:
		return "list"
	case *value.Map:
		return "dict"
	}
	return strings.TrimPrefix(fmt.Sprintf("%T", v), "*")
}

// hidden reports whether a key, such as __sls__, is not a state.
func hidden(key any) bool {
	s, ok := key.(string)
	return ok && strings.HasPrefix(s, "__")
}

// appendTo appends to the list of key.
func appendTo(m *value.Map, key string, vs ...any) {
	m.Set(key, append(m.List(key), vs...))
}

// isNumber reports whether v is an int or a float.
func isNumber(v any) bool {
	switch v.(type) {
	case int, int64, uint64, float64:
		return true
	}
	return false
}

// Copy returns a deep copy of a map, for a run that may modify it.
func Copy(m *value.Map) *value.Map { return copied(m).(*value.Map) }

// Same compares two values as Python does.
func Same(a, b any) bool { return same(a, b) }

// Has reports whether a list contains a value.
func Has(list []any, v any) bool { return has(list, v) }
