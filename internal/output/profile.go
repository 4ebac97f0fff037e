package output

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/momtree/mom/salt/pyfmt"
)

// longestName bounds the shown length of a state's name.
const longestName = 60

// profile is a table of the duration of each state, the longest last.
func profile(v any, o Options) (string, error) {
	hosts, ok := pyfmt.Pairs(v)
	if !ok {
		return "", errShape
	}
	type row struct {
		took      float64
		name, fun string
	}
	var rows []row
	widest := len("duration (ms)")
	for _, h := range hosts {
		states, ok := pyfmt.Pairs(h.Val)
		if !ok {
			return "", errShape
		}
		for _, s := range states {
			entry, ok := pyfmt.Pairs(s.Val)
			key, isKey := s.Key.(string)
			if !ok || !isKey {
				return "", errShape
			}
			parts := strings.Split(key, "_|-")
			r := row{took: -1, name: "<>", fun: parts[0] + "." + parts[len(parts)-1]}
			name, ok := field(entry, "name")
			if !ok {
				name, _ = field(entry, "__id__")
			}
			if name != nil {
				if r.name, ok = isText(name); !ok {
					return "", errShape
				}
			}
			if runes := []rune(r.name); len(runes) > longestName {
				r.name = string(runes[:longestName-3]) + "..."
			}
			if took, ok := field(entry, "duration"); ok {
				if r.took, ok = float(took); !ok {
					return "", errShape
				}
			}
			widest = max(widest, len(fmt.Sprintf("%.4f", r.took)))
			rows = append(rows, r)
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int { // as strings of equal width, as in Salt
		return cmp.Or(cmp.Compare(fmt.Sprintf("%*.4f", widest, a.took), fmt.Sprintf("%*.4f", widest, b.took)), cmp.Compare(a.name, b.name), cmp.Compare(a.fun, b.fun))
	})
	list := make([]any, len(rows))
	for i, r := range rows {
		list[i] = []any{r.name, r.fun, fmt.Sprintf("%*.4f", widest, r.took)}
	}
	o.Table.RowsKey, o.Table.LabelsKey = "rows", "labels"
	return table(map[string]any{"labels": []any{"name", "mod.fun", "duration (ms)"}, "rows": list}, o)
}

// float is Python's float of a number or a string.
func float(v any) (float64, bool) {
	if f, ok := pyfmt.Number(v); ok {
		return f, true
	}
	text, ok := v.(string)
	if !ok {
		return 0, false
	}
	f, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	return f, err == nil
}
