package pyfmt

import (
	"cmp"
	"math/big"
	"slices"
	"time"

	"github.com/momtree/mom/value"
)

// Writer is the destination of text: a [strings.Builder], or a writer with a limit.
type Writer interface {
	WriteString(s string) (int, error)
	WriteByte(c byte) error
	WriteRune(r rune) (int, error)
	Len() int
}

// Kind classifies values as Python does.
type Kind int

// The kinds of values.
const (
	Scalar Kind = iota // neither a list nor a map
	List
	Tuple
	Dict
)

// Pair is an entry of a map.
type Pair struct{ Key, Val any }

// Node is a value as a writer sees it.
type Node struct {
	Kind Kind
	// Value is a scalar: nil, bool, a number, *big.Int, string, []byte or time.Time. The
	// model formats other types.
	Value any
	// Items are the elements of a list or tuple. A writer does not change them.
	Items []any
	// Pairs are the entries of a map in order. A writer may reorder them.
	Pairs []Pair
	// Ordered marks an OrderedDict, whose keys YAML does not sort.
	Ordered bool
	// ID is equal for two occurrences of one list or map; nil if it is not shared.
	ID any
}

// collection reports whether n is a list, tuple or map.
func (n Node) collection() bool { return n.Kind != Scalar }

// size returns the number of elements of a list, tuple or map.
func (n Node) size() int { return len(n.Items) + len(n.Pairs) }

// Model interprets the values passed to a writer and counts the writer's work. A model may
// panic to end it. [Values] is the model of package value.
type Model interface {
	// Open returns v as a writer sees it.
	Open(v any) Node
	// Compare orders two keys that are both strings or both numbers.
	Compare(a, b any) int
	// TypeName returns Python's name for the type of v.
	TypeName(v any) string
	// Repr returns Python's repr of a scalar.
	Repr(v any) string
	// Work counts n units of work, about a nanosecond each.
	Work(n int)
	// Alloc counts n bytes of temporary memory.
	Alloc(n int)
}

// Values is the model of package value. It counts nothing.
type Values struct{}

// Open returns v as a writer sees it.
func (Values) Open(v any) Node {
	switch v := v.(type) {
	case *value.Map, map[string]any:
		pairs, _ := Pairs(v)
		return Node{Kind: Dict, Pairs: pairs}
	case []any:
		return Node{Kind: List, Items: v}
	case []string:
		items := make([]any, len(v))
		for i, s := range v {
			items[i] = s
		}
		return Node{Kind: List, Items: items}
	}
	return Node{Value: v}
}

// Compare orders two strings or two numbers.
func (Values) Compare(a, b any) int {
	s, oks := a.(string)
	t, okt := b.(string)
	if oks && okt {
		return cmp.Compare(s, t)
	}
	x, okx := whole(a)
	y, oky := whole(b)
	if okx && oky {
		return x.Cmp(y)
	}
	f, _ := Number(a)
	g, _ := Number(b)
	return cmp.Compare(f, g)
}

// TypeName returns Python's name for the type of v.
func (Values) TypeName(v any) string { return TypeName(v) }

// Repr returns Python's repr of v.
func (Values) Repr(v any) string { return Repr(v) }

// Work counts nothing.
func (Values) Work(int) {}

// Alloc counts nothing.
func (Values) Alloc(int) {}

// Pairs returns the entries of a map in Salt's order: that of the map, or sorted for Go's
// own maps. ok is false if v is not a map.
func Pairs(v any) (out []Pair, ok bool) {
	switch v := v.(type) {
	case *value.Map:
		if v == nil {
			return nil, true
		}
		out = make([]Pair, 0, v.Len())
		v.Range(func(k, e any) bool {
			out = append(out, Pair{k, e})
			return true
		})
	case map[string]any:
		out = make([]Pair, 0, len(v))
		for k, e := range v {
			out = append(out, Pair{k, e})
		}
		SortPairs(out)
	default:
		return nil, false
	}
	return out, true
}

// SortPairs sorts entries as Python's sorted does. It returns false and does not sort if
// Python cannot compare their keys.
func SortPairs(ps []Pair) bool { return sortPairs(Values{}, ps) }

func sortPairs(m Model, ps []Pair) bool {
	texts, numbers := true, true
	for _, p := range ps {
		_, text := p.Key.(string)
		texts, numbers = texts && text, numbers && isNumber(p.Key)
	}
	if !texts && !numbers {
		return len(ps) < 2
	}
	slices.SortStableFunc(ps, func(a, b Pair) int { return m.Compare(a.Key, b.Key) })
	return true
}

func isNumber(v any) bool {
	if _, big := v.(*big.Int); big {
		return true
	}
	_, ok := Number(v)
	return ok
}

// whole returns v if it is an integer in Python, including True and False.
func whole(v any) (*big.Int, bool) {
	switch v := v.(type) {
	case bool:
		if v {
			return big.NewInt(1), true
		}
		return new(big.Int), true
	case int:
		return big.NewInt(int64(v)), true
	case int64:
		return big.NewInt(v), true
	case uint64:
		return new(big.Int).SetUint64(v), true
	case *big.Int:
		return v, true
	}
	return nil, false
}

// TypeName returns Python's name for the type of a value of package value.
func TypeName(v any) string {
	switch v.(type) {
	case nil:
		return "NoneType"
	case string:
		return "str"
	case []byte:
		return "bytes"
	case bool:
		return "bool"
	case int, int64, uint64, *big.Int:
		return "int"
	case float64, float32:
		return "float"
	case []any, []string:
		return "list"
	case *value.Map, map[string]any:
		return "dict"
	case time.Time:
		return "datetime.datetime"
	}
	return "object"
}
