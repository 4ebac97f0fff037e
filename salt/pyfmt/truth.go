package pyfmt

import "github.com/momtree/mom/internal/wire"

// Truth is Python's own truth of a value: nothing, zero and what is empty are false.
func Truth(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case string:
		return v != ""
	case []byte:
		return len(v) > 0
	case []any:
		return len(v) > 0
	case *wire.Map:
		return v.Len() > 0
	}
	f, number := Number(v)
	return !number || f != 0
}
