package callargs

import "github.com/momtree/mom/value"

// Separate splits a list that [Parse] returned into positional and keyword arguments. The
// keywords are in a map with __kwarg__: True at its end.
func Separate(list []any) (args []any, kwargs *value.Map) {
	if n := len(list); n > 0 {
		if kw, ok := list[n-1].(*value.Map); ok && kw.Bool("__kwarg__") {
			kw = kw.Clone()
			kw.Delete("__kwarg__")
			return list[:n-1], kw
		}
	}
	return list, value.NewMap()
}
