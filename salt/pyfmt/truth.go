package pyfmt

import (
	"math/big"

	"github.com/momtree/mom/value"
)

// Truth is Python's bool(v) of a value of package value: None, zero and empty values are
// false.
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
	case []string:
		return len(v) > 0
	case *value.Map:
		return v.Len() > 0
	case map[string]any:
		return len(v) > 0
	case *big.Int:
		return v.Sign() != 0
	}
	f, number := Number(v)
	return !number || f != 0
}
