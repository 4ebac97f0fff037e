package jinja

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/momtree/mom/internal/python"
)

// Repr is Python's repr(v).
func Repr(v any) string {
	var b strings.Builder
	writeRepr(&b, v, 0)
	return b.String()
}

// Str is Python's str(v). An undefined value fails the run if it is strict.
func Str(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case *Undefined:
		if v.strict {
			v.fail()
		}
		return ""
	case *Module:
		return v.text
	case *Macro:
		return fmt.Sprintf("<Macro %s>", Repr(v.node.name))
	}
	return Repr(v)
}

// printed is how {{ v }} comes out: Salt and Python print dicts alike, whatever their
// order is promised to be.
func printed(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	if u, ok := v.(*Undefined); ok {
		return Str(u)
	}
	var b strings.Builder
	p := printer{plain: true}
	switch v.(type) {
	case *Module, *Macro:
		return Str(v)
	}
	p.write(&b, v, 0)
	return b.String()
}

func writeRepr(b *strings.Builder, v any, depth int) { printer{}.write(b, v, depth) }

// printer writes values; plain ones without the name of OrderedDict.
type printer struct{ plain bool }

func (p printer) seq(b *strings.Builder, items []any, depth int) {
	for i, e := range items {
		if i > 0 {
			b.WriteString(", ")
		}
		p.write(b, e, depth+1)
	}
}

func (p printer) write(b *strings.Builder, v any, depth int) {
	if depth > maxNested {
		throw("maximum recursion depth exceeded while getting the repr of an object")
	}
	if b.Len() > maxRepr {
		throwKind(KindLimit, "the text of one value is longer than %d bytes", maxRepr)
	}
	switch v := v.(type) {
	case Bytes:
		b.WriteString(python.Repr([]byte(v)))
	case *big.Int:
		b.WriteString(v.String())
	case *List:
		b.WriteByte('[')
		p.seq(b, v.Items, depth)
		b.WriteByte(']')
	case Tuple:
		b.WriteByte('(')
		p.seq(b, v, depth)
		if len(v) == 1 {
			b.WriteByte(',')
		}
		b.WriteByte(')')
	case *Set:
		if v.d.Len() == 0 {
			b.WriteString("set()")
			return
		}
		b.WriteByte('{')
		p.seq(b, v.d.keys, depth)
		b.WriteByte('}')
	case *Dict:
		p.dict(b, v, depth)
	case *DictView:
		b.WriteString(v.kind)
		b.WriteString("([")
		p.seq(b, v.items(), depth)
		b.WriteString("])")
	case *Range:
		if v.Step == 1 {
			fmt.Fprintf(b, "range(%d, %d)", v.Start, v.Stop)
		} else {
			fmt.Fprintf(b, "range(%d, %d, %d)", v.Start, v.Stop, v.Step)
		}
	case *Undefined:
		b.WriteString("Undefined")
	case *Func:
		fmt.Fprintf(b, "<function %s>", v.Name)
	case *Method:
		fmt.Fprintf(b, "<built-in method %s of %s object>", v.name, typeName(v.self))
	case *Iter:
		fmt.Fprintf(b, "<%s object>", v.Type)
	case *Namespace:
		b.WriteString("<Namespace ")
		p.write(b, v.d, depth+1)
		b.WriteByte('>')
	case *Module:
		if v.name == "" {
			b.WriteString("<TemplateModule memory:0x0>")
			return
		}
		fmt.Fprintf(b, "<TemplateModule %s>", Repr(v.name))
	case *Macro:
		fmt.Fprintf(b, "<Macro %s>", Repr(v.node.name))
	case *Loop:
		fmt.Fprintf(b, "<LoopContext %d/%d>", v.index0+1, v.length())
	case Object:
		fmt.Fprintf(b, "<%s object>", v.TypeName())
	default:
		b.WriteString(python.Repr(v))
	}
}

func (p printer) dict(b *strings.Builder, v *Dict, depth int) {
	if v.Ordered && !p.plain {
		if v.Len() == 0 {
			b.WriteString("OrderedDict()")
			return
		}
		b.WriteString("OrderedDict([")
		for i, k := range v.keys {
			if i > 0 {
				b.WriteString(", ")
			}
			p.write(b, Tuple{k, v.at(i)}, depth+1)
		}
		b.WriteString("])")
		return
	}
	b.WriteByte('{')
	for i, k := range v.keys {
		if i > 0 {
			b.WriteString(", ")
		}
		p.write(b, k, depth+1)
		b.WriteString(": ")
		p.write(b, v.at(i), depth+1)
	}
	b.WriteByte('}')
}
