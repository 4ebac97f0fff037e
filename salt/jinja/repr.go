package jinja

import (
	"fmt"
	"io"
	"math/big"
	"strconv"
	"strings"

	"github.com/momtree/mom/salt/pyfmt"
)

// Bounds on the text of a value in an error, for which no run counts.
const (
	maxErrorText  = 4 << 10
	maxErrorParts = 1 << 10
)

// Repr returns Python's repr(v) for an error message. Long texts end with "…".
func Repr(v any) string {
	if s, ok := v.(string); ok && len(s) > maxErrorText {
		v = strings.ToValidUTF8(s[:maxErrorText], "") + "…"
	}
	p := printer{b: &strings.Builder{}, parts: maxErrorParts}
	p.write(v, 0)
	return p.b.(*strings.Builder).String()
}

// Repr returns Python's repr(v).
func (r *Run) Repr(v any) string {
	b := r.Builder()
	printer{b: b, r: r}.write(v, 0)
	return b.String()
}

// Str returns Python's str(v). An undefined value fails the run if it is strict.
func (r *Run) Str(v any) string {
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
	case int64:
		return strconv.FormatInt(v, 10)
	}
	return r.Repr(v)
}

// printed returns the output of {{ v }}: Salt prints ordered and plain dicts alike. A value
// of a dict with line ends or tabs is quoted for YAML, as Salt 3006.27 and 3008.2 do: in
// Python's quotes, YAML reads \n as two characters (salt issue 30690).
func (r *Run) printed(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case *Undefined, *Module, *Macro, int64:
		return r.Str(v)
	}
	b := r.Builder()
	printer{b: b, r: r, plain: true, strs: true}.write(v, 0)
	return b.String()
}

// textWriter is the destination of a printer.
type textWriter interface {
	io.Writer
	pyfmt.Writer
}

// printer writes values. With plain, it writes dicts as YAML reads them. With strs, it
// writes the values of dicts with str, which fails for undefined ones.
type printer struct {
	b           textWriter
	r           *Run // nil: for an error message, which is bounded by parts
	parts       int
	plain, strs bool
}

func (p printer) seq(items []any, depth int) {
	p.strs = false
	for i, e := range items {
		if i > 0 {
			_, _ = p.b.WriteString(", ")
		}
		if p.r == nil && i > p.parts {
			_, _ = p.b.WriteString("…")
			return
		}
		p.write(e, depth+1)
	}
}

// counted counts a visit and reports whether another one is allowed.
func (p printer) counted(v any, depth int) bool {
	if p.r == nil {
		return depth < 20 && p.b.Len() < maxErrorText
	}
	if depth > maxNested {
		throw("maximum recursion depth exceeded while getting the repr of an object")
	}
	//mutant:template-repr
	p.r.Work(2 * visitWork)
	switch v := v.(type) {
	case string:
		p.r.Work(4 * len(v))
		p.r.Alloc(reprRoom(v))
	case Bytes:
		p.r.Alloc(8 * len(v))
		p.r.Work(4 * len(v))
	case *big.Int:
		p.r.decimal(v)
	}
	return true
}

// reprRoom returns the most bytes needed while writing the repr of a string: a quote, a
// backslash or an unprintable byte takes up to four bytes, and a growing buffer is copied.
func reprRoom(s string) int {
	n := len(s)
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '\\' || c == '\'' {
			n += 3
		}
	}
	return 2 * n
}

func (p printer) write(v any, depth int) {
	if !p.counted(v, depth) {
		_, _ = p.b.WriteString("…")
		return
	}
	str := func(s string) { _, _ = p.b.WriteString(s) }
	switch v := v.(type) {
	case Bytes:
		if p.r == nil {
			v = v[:min(len(v), maxErrorText)]
		}
		str(pyfmt.Repr([]byte(v)))
	case string:
		if p.r == nil && len(v) > maxErrorText {
			v = v[:maxErrorText]
		}
		str(pyfmt.Repr(v))
	case *big.Int:
		str(v.String())
	case *List:
		str("[")
		p.seq(v.Items, depth)
		str("]")
	case Tuple:
		str("(")
		p.seq(v, depth)
		if len(v) == 1 {
			str(",")
		}
		str(")")
	case *Set:
		if v.d.Len() == 0 {
			str("set()")
			return
		}
		str("{")
		p.seq(v.d.keys, depth)
		str("}")
	case *Dict:
		p.dict(v, depth)
	case *DictView:
		p.view(v, depth)
	case *Range:
		if v.Step == 1 {
			fmt.Fprintf(p.b, "range(%d, %d)", v.Start, v.Stop)
		} else {
			fmt.Fprintf(p.b, "range(%d, %d, %d)", v.Start, v.Stop, v.Step)
		}
	case *Undefined:
		str("Undefined")
	case *Func:
		fmt.Fprintf(p.b, "<function %s>", v.Name)
	case *Method:
		fmt.Fprintf(p.b, "<built-in method %s of %s object>", v.name, typeName(v.self))
	case *Iter:
		fmt.Fprintf(p.b, "<%s object>", v.Type)
	case *Namespace:
		str("<Namespace ")
		p.write(v.d, depth+1)
		str(">")
	case *Module:
		if v.name == "" {
			str("<TemplateModule memory:0x0>")
			return
		}
		fmt.Fprintf(p.b, "<TemplateModule %s>", Repr(v.name))
	case *Macro:
		fmt.Fprintf(p.b, "<Macro %s>", Repr(v.node.name))
	case *Loop:
		fmt.Fprintf(p.b, "<LoopContext %d/%d>", v.index0+1, len(v.items))
	case Object:
		fmt.Fprintf(p.b, "<%s object>", v.TypeName())
	default:
		str(pyfmt.Repr(v))
	}
}

// view writes the result of keys(), values() or items().
func (p printer) view(v *DictView, depth int) {
	_, _ = p.b.WriteString(v.kind + "([")
	for i := range v.d.keys {
		if i > 0 {
			_, _ = p.b.WriteString(", ")
		}
		if p.r == nil && i > p.parts {
			break
		}
		e := v.d.keys[i]
		switch v.kind {
		case "dict_values":
			e = v.d.at(i)
		case "dict_items":
			e = Tuple{e, v.d.at(i)}
		}
		p.write(e, depth+1)
	}
	_, _ = p.b.WriteString("])")
}

func (p printer) dict(v *Dict, depth int) {
	b := p.b
	if v.Ordered && !p.plain {
		if v.Len() == 0 {
			_, _ = b.WriteString("OrderedDict()")
			return
		}
		_, _ = b.WriteString("OrderedDict([")
		for i, k := range v.keys {
			if i > 0 {
				_, _ = b.WriteString(", ")
			}
			p.write(Tuple{k, v.at(i)}, depth+1)
		}
		_, _ = b.WriteString("])")
		return
	}
	_, _ = b.WriteString("{")
	for i, k := range v.keys {
		if i > 0 {
			_, _ = b.WriteString(", ")
		}
		p.write(k, depth+1)
		_, _ = b.WriteString(": ")
		if p.strs {
			failStrict(v.at(i))
		}
		if p.r == nil && i > p.parts {
			break
		}
		p.entry(v.at(i), depth+1)
	}
	_, _ = b.WriteString("}")
}

// entry writes a value of a dict.
func (p printer) entry(v any, depth int) {
	s, ok := v.(string)
	if !ok || !p.plain || !strings.ContainsAny(s, "\n\r\t") {
		p.write(v, depth)
		return
	}
	if !p.counted(v, depth) {
		return
	}
	pyfmt.DoubleQuoteYAML(p.b, s, p.r.Model())
}
