package value

import "fmt"

// Plain turns each [Map] inside v into a map[string]any, whose order is lost: for
// whoever works with Go's own types alone. Keys that are no text become the text
// that [fmt.Sprint] makes of them. What v holds is not changed.
func Plain(v any) any {
	switch v := v.(type) {
	case *Map:
		if v == nil {
			return nil
		}
		out := make(map[string]any, v.Len())
		v.Range(func(key, val any) bool {
			out[fmt.Sprint(key)] = Plain(val)
			return true
		})
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = Plain(e)
		}
		return out
	case Lazy:
		inner, err := v.Value()
		if err != nil {
			return nil
		}
		return Plain(inner)
	}
	return v
}
