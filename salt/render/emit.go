package render

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/momtree/mom/salt/jinja"
	"github.com/momtree/mom/salt/pyfmt"
)

// yamlWidth is the column behind which PyYAML breaks lines.
const yamlWidth = 80

// emitter writes YAML as PyYAML's safe_dump does: keys sorted, text without quotes
// where it can be, lists that are in two places named by anchors.
type emitter struct {
	r       *jinja.Run
	b       *jinja.Builder
	col     int
	anchors map[any]int // 0: seen once
	named   map[any]string
	max     int
	form    yamlForm
}

// yamlForm is how an emitter writes.
type yamlForm struct {
	flow   bool // collections in one line
	leaves bool // collections of nothing but scalars in one line
	ascii  bool // characters beyond ASCII as escapes
	sorted bool // keys sorted in maps that have an order too
	margin bool // what a text continues with begins in the first column
}

// dumpYAML is Salt's filter yaml, before it trims.
func dumpYAML(r *jinja.Run, v any, flow bool, maxBytes int) string {
	return dumpYAMLForm(r, v, yamlForm{flow: flow}, maxBytes)
}

func dumpYAMLForm(r *jinja.Run, v any, form yamlForm, maxBytes int) string {
	e := &emitter{r: r, b: r.Builder(), anchors: map[any]int{}, named: map[any]string{}, max: maxBytes, form: form}
	e.count(v, 0)
	e.node(v, position{indent: -1, flow: form.flow})
	out := e.b.String()
	if strings.HasSuffix(out, "\n") {
		return out
	}
	return out + "\n"
}

// position is where a node stands.
type position struct {
	indent int
	flow   bool // written in flow style
	inFlow bool // inside a flow collection
	inSeq  bool // an item of a block sequence
	inMap  bool // a value of a block mapping
	key    bool // a simple key
}

// count finds what is there more than once.
func (e *emitter) count(v any, depth int) {
	e.r.Walk(2)
	if depth > 200 {
		fail("values are nested more than 200 deep")
	}
	switch v := v.(type) {
	case *jinja.List:
		if e.seen(v) {
			return
		}
		for _, x := range v.Items {
			e.count(x, depth+1)
		}
	case *jinja.Dict:
		if e.seen(v) {
			return
		}
		v.Range(func(_, x any) bool { e.count(x, depth+1); return true })
	case jinja.Tuple:
		for _, x := range v {
			e.count(x, depth+1)
		}
	}
}

func (e *emitter) seen(v any) bool {
	e.r.Alloc(96)
	_, again := e.anchors[v]
	if again {
		e.anchors[v] = 1
	} else {
		e.anchors[v] = 0
	}
	return again
}

func (e *emitter) write(s string) {
	if e.b.Len()+len(s) > e.max {
		fail("the YAML is longer than %d bytes", e.max)
	}
	_, _ = e.b.WriteString(s)
	e.r.Work(len(s) + 8)
	if i := strings.LastIndexByte(s, '\n'); i >= 0 {
		e.col = utf8.RuneCountInString(s[i+1:])
	} else {
		e.col += utf8.RuneCountInString(s)
	}
}

func (e *emitter) newline(indent int) { e.write("\n" + strings.Repeat(" ", max(indent, 0))) }

// anchored writes the anchor or the alias of a collection; done tells of an alias.
func (e *emitter) anchored(v any) (prefix string, done bool) {
	if e.anchors[v] == 0 {
		return "", false
	}
	if name, ok := e.named[v]; ok {
		e.write("*" + name)
		return "", true
	}
	name := fmt.Sprintf("id%03d", len(e.named)+1)
	e.named[v] = name
	return "&" + name + " ", false
}

// sortedPairs are a dict's keys sorted, if Python can sort them.
func (e *emitter) sortedPairs(d *jinja.Dict) []any {
	r := e.r
	r.Room(d.Len())
	keys := d.Keys()
	if d.Ordered && !e.form.sorted {
		return keys
	}
	texts, numbers := 0, 0
	for _, k := range keys {
		switch k.(type) {
		case string:
			texts++
		case int64, float64, bool, *big.Int:
			numbers++
		}
	}
	if texts != len(keys) && numbers != len(keys) {
		return keys
	}
	slices.SortStableFunc(keys, func(a, b any) int { return r.Order(a, b) })
	return keys
}

func (e *emitter) node(v any, p position) {
	e.r.Walk(4)
	switch v := v.(type) {
	case *jinja.Dict:
		prefix, done := e.anchored(v)
		if done {
			return
		}
		if p.flow || v.Len() == 0 || e.leaf(v) {
			e.write(prefix)
			e.flowMap(v, p)
		} else {
			e.blockMap(v, p, prefix)
		}
	case *jinja.List:
		prefix, done := e.anchored(v)
		if !done {
			e.seq(v.Items, p, prefix)
		}
	case jinja.Tuple:
		e.seq(v, p, "")
	case *jinja.Set:
		fail("a set cannot be written as YAML here; make it a list")
	case *jinja.Undefined:
		e.scalar("NULL", p)
	default:
		e.value(v, p)
	}
}

func (e *emitter) seq(items []any, p position, prefix string) {
	if p.flow || len(items) == 0 || e.leaf(items) {
		e.write(prefix)
		inner := p
		inner.indent = e.deeper(p)
		inner.flow, inner.inFlow, inner.key = true, true, false
		e.write("[")
		for i, x := range items {
			if i > 0 {
				e.write(",")
			}
			if e.col > yamlWidth {
				e.newline(inner.indent)
			} else if i > 0 {
				e.write(" ")
			}
			e.node(x, inner)
		}
		e.write("]")
		return
	}
	indent := p.indent + 2
	if p.indent < 0 {
		indent = 0
	}
	if p.inMap {
		indent = max(p.indent, 0)
	}
	if prefix != "" {
		e.write(strings.TrimRight(prefix, " "))
	}
	for i, x := range items {
		if i > 0 || !p.inSeq || prefix != "" {
			if e.b.Len() > 0 {
				e.newline(indent)
			}
		}
		e.write("- ")
		e.node(x, position{indent: indent, inSeq: true})
	}
}

// deeper is the indent inside a flow collection.
func (e *emitter) deeper(p position) int {
	if p.indent < 0 {
		return 2
	}
	return p.indent + 2
}

func (e *emitter) flowMap(d *jinja.Dict, p position) {
	inner := p
	inner.indent = e.deeper(p)
	inner.flow, inner.inFlow, inner.key = true, true, false
	e.write("{")
	for i, k := range e.sortedPairs(d) {
		if i > 0 {
			e.write(",")
		}
		if e.col > yamlWidth {
			e.newline(inner.indent)
		} else if i > 0 {
			e.write(" ")
		}
		v, _ := e.r.Get(d, k)
		e.pair(k, v, inner, inner)
	}
	e.write("}")
}

func (e *emitter) blockMap(d *jinja.Dict, p position, prefix string) {
	indent := p.indent + 2
	if p.indent < 0 {
		indent = 0
	}
	if prefix != "" {
		e.write(strings.TrimRight(prefix, " "))
	}
	for i, k := range e.sortedPairs(d) {
		if i > 0 || !p.inSeq || prefix != "" {
			if e.b.Len() > 0 {
				e.newline(indent)
			}
		}
		v, _ := e.r.Get(d, k)
		e.pair(k, v, position{indent: indent}, position{indent: indent, inMap: true})
	}
}

// pair writes a key and its value.
func (e *emitter) pair(k, v any, kp, vp position) {
	simple := true
	switch k := k.(type) {
	case jinja.Tuple:
		simple = false
	case string:
		simple = len(k) < 128 && !strings.ContainsAny(k, "\n\u0085\u2028\u2029")
	}
	if simple {
		kp.key = true
		e.node(k, kp)
		e.write(":")
	} else {
		e.write("? ")
		e.node(k, kp)
		if !kp.inFlow {
			e.newline(kp.indent)
		} else {
			e.write(" ")
		}
		e.write(":")
	}
	if vp.inFlow || !e.block(v) {
		e.write(" ")
	} else if e.shared(v) {
		e.write(" ")
	}
	e.node(v, vp)
}

// shared tells whether a collection is there more than once.
func (e *emitter) shared(v any) bool {
	if _, tuple := v.(jinja.Tuple); tuple {
		return false // it has no name of its own
	}
	return e.anchors[v] > 0
}

// leaf reports whether a collection goes into one line because it has nothing but scalars.
func (e *emitter) leaf(v any) bool {
	if !e.form.leaves {
		return false
	}
	scalar := func(v any) bool {
		switch v.(type) {
		case *jinja.Dict, *jinja.List, jinja.Tuple, *jinja.Set:
			return false
		}
		return true
	}
	flat := true
	switch v := v.(type) {
	case *jinja.Dict:
		e.r.Walk(v.Len())
		v.Range(func(k, x any) bool {
			flat = scalar(k) && scalar(x)
			return flat
		})
	case *jinja.List:
		return e.leaf(v.Items)
	case jinja.Tuple:
		return e.leaf([]any(v))
	case []any:
		e.r.Walk(len(v))
		flat = !slices.ContainsFunc(v, func(x any) bool { return !scalar(x) })
	}
	return flat
}

// block tells whether a value begins on a line of its own.
func (e *emitter) block(v any) bool {
	if e.leaf(v) {
		return false
	}
	switch v := v.(type) {
	case *jinja.Dict:
		return v.Len() > 0
	case *jinja.List:
		return len(v.Items) > 0
	case jinja.Tuple:
		return len(v) > 0
	}
	return false
}

// value writes what is no collection.
func (e *emitter) value(v any, p position) {
	switch v := v.(type) {
	case nil:
		e.write("null")
	case bool:
		e.write(map[bool]string{true: "true", false: "false"}[v])
	case float64:
		e.write(pyfmt.YAMLFloat(v))
	case string:
		e.scalar(v, p)
	case int64, *big.Int:
		e.write(e.r.Str(v))
	case jinja.Bytes:
		if !utf8.Valid(v) {
			fail("bytes that are no text cannot be written as YAML here")
		}
		e.scalar(string(v), p)
	default:
		fail("cannot represent an object: %s", jinja.Repr(v))
	}
}
