package jinja

import (
	"strconv"

	"github.com/momtree/mom/salt/pyfmt"
)

// Model adapts the values of a run to the writers of package pyfmt, and counts their work.
type Model struct{ r *Run }

// Model returns the model of the run's values.
func (r *Run) Model() Model { return Model{r} }

var _ pyfmt.Model = Model{}

// Open returns v as a writer sees it.
func (m Model) Open(v any) pyfmt.Node {
	m.r.Work(2 * visitWork)
	switch v := v.(type) {
	case *Dict:
		m.r.Room(2 * v.Len())
		pairs := make([]pyfmt.Pair, len(v.keys))
		for i, k := range v.keys {
			pairs[i] = pyfmt.Pair{Key: k, Val: v.at(i)}
		}
		return pyfmt.Node{Kind: pyfmt.Dict, Pairs: pairs, Ordered: v.Ordered, ID: v}
	case *List:
		return pyfmt.Node{Kind: pyfmt.List, Items: v.Items, ID: v}
	case Tuple:
		return pyfmt.Node{Kind: pyfmt.Tuple, Items: v}
	case Bytes:
		return pyfmt.Node{Value: []byte(v)}
	}
	return pyfmt.Node{Value: v}
}

// Compare is Python's order of a and b; values without an order fail the run.
func (m Model) Compare(a, b any) int { return m.r.Order(a, b) }

// TypeName returns Python's name for the type of v.
func (m Model) TypeName(v any) string { return typeName(v) }

// Repr returns Python's repr of v.
func (m Model) Repr(v any) string {
	if n, ok := v.(int64); ok {
		return strconv.FormatInt(n, 10)
	}
	return m.r.Repr(v)
}

// Work counts n units.
func (m Model) Work(n int) { m.r.Work(n) }

// Alloc counts n bytes.
func (m Model) Alloc(n int) { m.r.Alloc(n) }
