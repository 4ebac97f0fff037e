package output

import (
	"math/big"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/pyfmt"
)

// truth is whether Python takes v for true.
func truth(v any) bool {
	if ps, ok := pairs(v); ok {
		return len(ps) > 0
	}
	if items, ok := wire.AsList(v); ok {
		return len(items) > 0
	}
	if n, ok := pyfmt.Number(v); ok {
		return n != 0
	}
	switch v := v.(type) {
	case nil:
		return false
	case string:
		return v != ""
	case []byte:
		return len(v) > 0
	}
	return true
}

// whole tells whether v is one of Python's whole numbers, as True and False are.
func whole(v any) bool {
	switch v.(type) {
	case bool, int, int64, uint64, *big.Int:
		return true
	}
	return false
}

// isText gives v if it is a text.
func isText(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case []byte:
		return string(v), true
	}
	return "", false
}

// field gives an entry of a map by its name.
func field(ps []pair, name string) (any, bool) {
	for _, p := range ps {
		if p.key == name {
			return p.val, true
		}
	}
	return nil, false
}
