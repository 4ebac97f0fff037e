package jinja

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Pformat is Python's pprint.pformat: one line when it fits 80 columns, dicts sorted
// by their keys.
func Pformat(v any) string {
	var b strings.Builder
	pprint(&b, v, 0, 0, 0)
	return b.String()
}

// sortedRepr is the repr of a value whose dicts are sorted.
func sortedRepr(v any, depth int) string {
	if depth > maxNested {
		throw("maximum recursion depth exceeded while getting the repr of an object")
	}
	var parts []string
	switch v := v.(type) {
	case *Dict:
		for _, k := range prettyKeys(v) {
			e, _ := v.Get(k)
			parts = append(parts, sortedRepr(k, depth+1)+": "+sortedRepr(e, depth+1))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case *List:
		for _, e := range v.Items {
			parts = append(parts, sortedRepr(e, depth+1))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case Tuple:
		for _, e := range v {
			parts = append(parts, sortedRepr(e, depth+1))
		}
		if len(v) == 1 {
			return "(" + parts[0] + ",)"
		}
		return "(" + strings.Join(parts, ", ") + ")"
	}
	return Repr(v)
}

// prettyKeys are a dict's keys in pprint's order: of keys that cannot be compared by
// the names of their types.
func prettyKeys(d *Dict) []any {
	keys := d.Keys()
	slices.SortStableFunc(keys, func(a, b any) int {
		_, as := a.(string)
		_, bs := b.(string)
		if as && bs || isNumber(a) && isNumber(b) {
			return order("<", a, b, 0)
		}
		return strings.Compare(typeName(a), typeName(b))
	})
	return keys
}

func pprint(b *strings.Builder, v any, indent, allowance, depth int) {
	whole := sortedRepr(v, depth)
	if utf8.RuneCountInString(whole) <= 80-indent-allowance {
		b.WriteString(whole)
		return
	}
	items := func(open, end string, list []any) {
		b.WriteString(open)
		for i, e := range list {
			if i > 0 {
				b.WriteString(",\n" + strings.Repeat(" ", indent+1))
			}
			more := 1
			if i == len(list)-1 {
				more = allowance + len(end)
			}
			pprint(b, e, indent+1, more, depth+1)
		}
		b.WriteString(end)
	}
	switch v := v.(type) {
	case *Dict:
		b.WriteByte('{')
		keys := prettyKeys(v)
		for i, k := range keys {
			if i > 0 {
				b.WriteString(",\n" + strings.Repeat(" ", indent+1))
			}
			r := Repr(k)
			b.WriteString(r + ": ")
			more := 1
			if i == len(keys)-1 {
				more = allowance + 1
			}
			e, _ := v.Get(k)
			pprint(b, e, indent+1+utf8.RuneCountInString(r)+2, more, depth+1)
		}
		b.WriteByte('}')
	case *List:
		items("[", "]", v.Items)
	case Tuple:
		end := ")"
		if len(v) == 1 {
			end = ",)"
		}
		items("(", end, v)
	default:
		b.WriteString(whole)
	}
}
