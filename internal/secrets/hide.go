package secrets

import "github.com/momtree/mom/internal/wire"

// Hidden replaces a string that is hidden, as in Salt 3008.
const Hidden = "**********"

// Hide replaces all strings in maps and lists by [Hidden]. Numbers, booleans, bytes, empty
// strings and the keys of maps stay.
func Hide(v any) any {
	switch v := wire.Normal(v).(type) {
	case *wire.Map:
		m := wire.NewMap()
		v.Range(func(k, e any) bool {
			m.Set(k, Hide(e))
			return true
		})
		return m
	case []any:
		l := make([]any, len(v))
		for i, e := range v {
			l[i] = Hide(e)
		}
		return l
	case string:
		if v != "" {
			return Hidden
		}
	}
	return v
}
