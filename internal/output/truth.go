package output

import (
	"math/big"

	"github.com/momtree/mom/salt/pyfmt"
)

// whole reports whether v is an int in Python, as True and False are.
func whole(v any) bool {
	switch v.(type) {
	case bool, int, int64, uint64, *big.Int:
		return true
	}
	return false
}

// isText returns v if it is a string.
func isText(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case []byte:
		return string(v), true
	}
	return "", false
}

// field returns an entry of a map by its name.
func field(ps []pyfmt.Pair, name string) (any, bool) {
	for _, p := range ps {
		if p.Key == name {
			return p.Val, true
		}
	}
	return nil, false
}
