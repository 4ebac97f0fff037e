package pyfmt

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Plain is a scalar that YAML writes unquoted, such as NULL.
type Plain string

// place is the position of a node.
type place struct{ root, mapping, simpleKey bool }

// count finds the lists and maps that occur more than once, and the depth of nesting.
func (e *emitter) count(v any, depth int) error {
	if e.form.MaxDepth > 0 && depth > e.form.MaxDepth {
		return depthError(e.form.MaxDepth)
	}
	n := e.model.Open(v)
	if n.ID != nil {
		if _, again := e.seen[n.ID]; again {
			e.seen[n.ID] = true
			return nil
		}
		if e.seen == nil {
			e.seen = map[any]bool{}
		}
		e.model.Alloc(96)
		e.seen[n.ID] = false
	}
	for _, x := range n.Items {
		if err := e.count(x, depth+1); err != nil {
			return err
		}
	}
	for _, p := range n.Pairs {
		if err := cmp.Or(e.count(p.Key, depth+1), e.count(p.Val, depth+1)); err != nil {
			return err
		}
	}
	return nil
}

// anchor writes the anchor of a list or map that occurs more than once; done means that its
// alias was written instead.
func (e *emitter) anchor(id any) (done bool) {
	if id == nil || !e.seen[id] {
		return false
	}
	if name, ok := e.named[id]; ok {
		e.indicator("*"+name, true, false, false)
		return true
	}
	if e.named == nil {
		e.named = map[any]string{}
	}
	name := fmt.Sprintf("id%03d", len(e.named)+1)
	e.named[id] = name
	e.indicator("&"+name, true, false, false)
	return false
}

// node writes any value.
func (e *emitter) node(v any, at place) {
	n := e.model.Open(v)
	if !n.collection() {
		e.value(n.Value, at)
		return
	}
	if e.anchor(n.ID) {
		return
	}
	flow := e.flow > 0 || e.form.Flow || n.size() == 0 || e.form.Leaves && e.leaves(n)
	switch {
	case n.Kind == Dict:
		if !e.form.Ordered && (!n.Ordered || e.form.Sorted) {
			sortPairs(e.model, n.Pairs)
		}
		if flow {
			e.flowMap(n.Pairs)
		} else {
			e.blockMap(n.Pairs)
		}
	case flow:
		e.flowList(n.Items)
	default:
		e.blockList(n.Items, at)
	}
}

// leaves reports whether a list or map holds only scalars.
func (e *emitter) leaves(n Node) bool {
	e.model.Work(8 * n.size())
	collection := func(v any) bool { return e.model.Open(v).collection() }
	return !slices.ContainsFunc(n.Items, collection) &&
		!slices.ContainsFunc(n.Pairs, func(p Pair) bool { return collection(p.Key) || collection(p.Val) })
}

// value writes a scalar.
func (e *emitter) value(v any, at place) {
	text, plain, tag := e.scalarText(v)
	if tag != "" {
		e.indicator(tag, true, false, false)
		e.literal(text)
		return
	}
	e.scalar(text, plain, at)
}

func (e *emitter) blockList(items []any, at place) {
	before := e.deeper(false, at.mapping && !e.indention)
	for _, v := range items {
		e.newline()
		e.indicator("-", true, false, true)
		e.node(v, place{})
	}
	e.indent = before
}

func (e *emitter) blockMap(ps []Pair) {
	before := e.deeper(false, false)
	for _, p := range ps {
		e.newline()
		e.entry(p, true)
	}
	e.indent = before
}

// entry writes a key and its value. A key that is long or spans several lines needs the
// long form.
func (e *emitter) entry(p Pair, block bool) {
	if e.simpleKey(p.Key) {
		e.node(p.Key, place{mapping: true, simpleKey: true})
		e.indicator(":", false, false, false)
	} else {
		e.indicator("?", true, false, block)
		e.node(p.Key, place{mapping: true})
		if block || e.column > foldAfter {
			e.newline()
		}
		e.indicator(":", true, false, block)
	}
	e.node(p.Val, place{mapping: true})
}

func (e *emitter) simpleKey(k any) bool {
	n := e.model.Open(k)
	if n.collection() {
		return n.size() == 0
	}
	text, _, tag := e.scalarText(n.Value)
	return len(text)+len(tag) <= 128 && !strings.ContainsFunc(text, isBreak)
}

func (e *emitter) flowList(items []any) {
	e.indicator("[", true, true, false)
	before := e.deeper(true, false)
	e.flow++
	for i, v := range items {
		e.flowItem(i)
		e.node(v, place{})
	}
	e.flow--
	e.indent = before
	e.indicator("]", false, false, false)
}

func (e *emitter) flowMap(ps []Pair) {
	e.indicator("{", true, true, false)
	before := e.deeper(true, false)
	e.flow++
	for i, p := range ps {
		e.flowItem(i)
		e.entry(p, false)
	}
	e.flow--
	e.indent = before
	e.indicator("}", false, false, false)
}

func (e *emitter) flowItem(i int) {
	if i > 0 {
		e.indicator(",", false, false, false)
	}
	if e.column > foldAfter {
		e.newline()
	}
}

// scalarText returns the text of a scalar, whether its type allows it unquoted, and the tag
// of a non-text scalar.
func (e *emitter) scalarText(v any) (text string, plain bool, tag string) {
	switch v := v.(type) {
	case string:
		if !utf8.ValidString(v) {
			return e.binary([]byte(v)), false, "!!binary"
		}
		return v, readsAsText(v), ""
	case []byte:
		return e.binary(v), false, "!!binary"
	case Plain:
		return string(v), true, ""
	case nil:
		return "null", true, ""
	case bool:
		return strconv.FormatBool(v), true, ""
	case float64:
		return YAMLFloat(v), true, ""
	case time.Time:
		return Str(v), true, ""
	}
	return e.model.Repr(v), true, ""
}

func (e *emitter) binary(b []byte) string {
	e.model.Alloc(4 * len(b))
	e.model.Work(4 * len(b))
	s := base64.StdEncoding.EncodeToString(b)
	var out strings.Builder
	for len(s) > 76 {
		out.WriteString(s[:76] + "\n")
		s = s[76:]
	}
	return out.String() + s + "\n"
}

// readsAsText reports whether a reader takes the word as a string, and not as a number, a
// date or a word like yes.
func readsAsText(s string) bool {
	if _, ok := YAMLScalar(s).(string); !ok {
		return false
	}
	return !reserved(s) && !timestamp.MatchString(s)
}
