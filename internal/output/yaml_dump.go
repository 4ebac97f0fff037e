package output

import "github.com/momtree/mom/internal/wire"

// DumpYAML writes a value as Salt's own files and functions have it: as PyYAML dumps it,
// with sorted keys. With leaves a list or map of nothing but scalars stands in one line, as
// PyYAML does unless it is told which style to use.
func DumpYAML(v any, leaves bool) string {
	e := &emitter{step: 2, indent: -1, whitespace: true, indention: true, leaves: leaves}
	e.node(v, place{root: true})
	return e.String() + "\n"
}

func leafPairs(ps []pair) bool {
	for _, p := range ps {
		if collection(p.val) {
			return false
		}
	}
	return true
}

// collection tells whether a value is a list or a map.
func collection(v any) bool {
	if _, ok := pairs(v); ok {
		return true
	}
	_, ok := wire.AsList(v)
	return ok
}
