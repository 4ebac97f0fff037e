package config

import (
	"maps"
	"slices"

	"github.com/momtree/mom/value"
)

// AsValue turns the mappings of an option into those of package value, for what reads both
// options and what comes from elsewhere. Their keys are sorted: files give them no order.
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
