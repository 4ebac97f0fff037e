package output

import (
	"encoding/base64"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/pyfmt"
)

// yamlText writes YAML as libyaml does for Salt: block style with sorted
// keys, lists not indented below their key, lines folded after 80 columns.
func yamlText(v any, o Options) (string, error) {
	e := &emitter{step: 2, indent: -1, whitespace: true, indention: true, ordered: o.Ordered}
	if o.Indent != nil {
		if *o.Indent < 0 {
			e.allFlow = true
		} else if *o.Indent > 1 && *o.Indent < 10 {
			e.step = *o.Indent
		}
	}
	e.node(v, place{root: true})
	return e.String(), nil
}

// place is where a node stands.
type place struct{ root, mapping, simpleKey bool }

// node writes any value.
func (e *emitter) node(v any, at place) {
	if ps, ok := pairs(v); ok {
		if !e.ordered {
			sortPairs(ps)
		}
		if e.flow > 0 || e.allFlow || len(ps) == 0 || e.leaves && leafPairs(ps) {
			e.flowMap(ps)
		} else {
			e.blockMap(ps)
		}
		return
	}
	if items, ok := wire.AsList(v); ok {
		if e.flow > 0 || e.allFlow || len(items) == 0 || e.leaves && !slices.ContainsFunc(items, collection) {
			e.flowList(items)
		} else {
			e.blockList(items, at)
		}
		return
	}
	text, plain, tag := yamlScalar(v)
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

func (e *emitter) blockMap(ps []pair) {
	before := e.deeper(false, false)
	for _, p := range ps {
		e.newline()
		e.entry(p, true)
	}
	e.indent = before
}

// entry writes a key and its value; a key of many lines needs the long form.
func (e *emitter) entry(p pair, block bool) {
	text, plain, _ := yamlScalar(p.key)
	if simpleKey(text) {
		e.scalar(text, plain, place{mapping: true, simpleKey: true})
		e.indicator(":", false, false, false)
	} else {
		e.indicator("?", true, false, block)
		e.scalar(text, plain, place{mapping: true})
		if block || e.column > foldAfter {
			e.newline()
		}
		e.indicator(":", true, false, block)
	}
	e.node(p.val, place{mapping: true})
}

func simpleKey(s string) bool {
	return len(s) <= 128 && !strings.ContainsFunc(s, isBreak)
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

func (e *emitter) flowMap(ps []pair) {
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

// yamlScalar gives the text of a scalar, whether it may stand without quotes
// as far as its type goes, and the tag of what is no text.
func yamlScalar(v any) (text string, plain bool, tag string) {
	switch v := v.(type) {
	case string:
		if !utf8.ValidString(v) {
			return binary([]byte(v)), false, "!!binary"
		}
		return v, readsAsText(v), ""
	case []byte:
		return binary(v), false, "!!binary"
	case nil:
		return "null", true, ""
	case bool:
		return strconv.FormatBool(v), true, ""
	case float64:
		return pyfmt.YAMLFloat(v), true, ""
	case time.Time:
		return pyfmt.Str(v), true, ""
	}
	if ps, ok := pairs(v); ok && len(ps) == 0 {
		return "{}", true, ""
	}
	return pyfmt.Str(v), true, ""
}

func binary(b []byte) string {
	s := base64.StdEncoding.EncodeToString(b)
	var out strings.Builder
	for len(s) > 76 {
		out.WriteString(s[:76] + "\n")
		s = s[76:]
	}
	return out.String() + s + "\n"
}

// readsAsText says whether a reader takes the word for a text and not for a
// number, a date or a word like yes.
func readsAsText(s string) bool {
	if _, ok := pyfmt.YAMLScalar(s).(string); !ok {
		return false
	}
	return s != "=" && s != "<<" && !timestamp.MatchString(s)
}
