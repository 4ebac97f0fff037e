package config

import (
	"maps"
	"slices"

	"github.com/momtree/mom/value"
)

// AsValue converts the maps of an option to those of package value, for code that reads options
// and other values alike. The keys are sorted, because options do not keep the order of the
// file.
func AsValue(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := value.Sized(len(v))
		for _, k := range slices.Sorted(maps.Keys(v)) {
			out.Set(k, AsValue(v[k]))
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = AsValue(e)
		}
		return out
	}
	return v
}
