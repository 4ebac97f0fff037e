package wire

import (
	"fmt"
	"maps"
	"slices"
)

// AnyList converts a list of strings to the type that [Decode] returns.
func AnyList(texts []string) []any {
	list := make([]any, len(texts))
	for i, s := range texts {
		list[i] = s
	}
	return list
}

// AsList returns v as the type of list that [Decode] returns; ok is false if v is neither such
// a list nor a list of strings.
func AsList(v any) (list []any, ok bool) {
	switch v := v.(type) {
	case []any:
		return v, true
	case []string:
		return AnyList(v), true
	}
	return nil, false
}

// Normal converts Go's own maps and lists, as in a configuration, to the types that [Decode]
// returns, with sorted keys. It returns other values unchanged.
func Normal(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := NewMap()
		for _, k := range slices.Sorted(maps.Keys(v)) {
			m.Set(k, Normal(v[k]))
		}
		return m
	case map[any]any:
		byText := make(map[string]any, len(v))
		for k, e := range v {
			byText[fmt.Sprint(k)] = e
		}
		return Normal(byText)
	case []string:
		return AnyList(v)
	case []any:
		for i, e := range v {
			switch e.(type) {
			case map[string]any, map[any]any, []string, []any:
				list := slices.Clone(v)
				for j := i; j < len(list); j++ {
					list[j] = Normal(list[j])
				}
				return list
			}
		}
	}
	return v
}

// Texts returns the strings in a list and skips other values.
func Texts(vs []any) []string {
	out := make([]string, 0, len(vs))
	for _, v := range vs {
		if s, ok := v.(string); ok {
			out = append(out, s)
		}
	}
	return out
}
