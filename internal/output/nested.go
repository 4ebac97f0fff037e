package output

import (
	"strings"

	"github.com/momtree/mom/internal/terminal"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/pyfmt"
)

// nester writes the indented form, which is Salt's default.
type nester struct {
	colors
	strings.Builder
	names   string // the colour of names
	ordered bool   // maps keep their order
	items   string // the colour of list marks
}

func nested(v any, o Options) (string, error) {
	n := &nester{colors: o.colors(), ordered: o.Ordered}
	n.names, n.items = n.cyan, n.green
	if o.Retcode != 0 {
		n.names, n.items = n.red, n.red
	}
	n.display(v, 0, "")
	return strings.TrimSuffix(n.String(), "\n"), nil
}

func (n *nester) line(indent int, color, prefix, text, suffix string) {
	for range indent {
		n.WriteByte(' ')
	}
	n.WriteString(color)
	n.WriteString(prefix)
	n.WriteString(text)
	n.WriteString(n.end)
	n.WriteString(suffix)
	n.WriteByte('\n')
}

func (n *nester) display(v any, indent int, prefix string) {
	if ps, ok := pyfmt.Pairs(v); ok {
		if indent > 0 {
			n.line(indent, n.names, "", "----------", "")
		}
		if !n.ordered && !pyfmt.SortPairs(ps) {
			textKeys(ps)
			pyfmt.SortPairs(ps)
		}
		for _, p := range ps {
			//mutant:terminal-nested-names
			n.line(indent, n.names, prefix, terminal.Line(pyfmt.Str(p.Key)), ":")
			n.display(p.Val, indent+4, "")
		}
		return
	}
	if items, ok := wire.AsList(v); ok {
		for _, e := range items {
			_, isMap := pyfmt.Pairs(e)
			_, isList := wire.AsList(e)
			switch {
			case isMap:
				n.line(indent, n.items, "", "|_", "")
				n.display(e, indent+2, "")
			case isList:
				n.line(indent, n.items, "", "|_", "")
				n.display(e, indent+2, "- ")
			default:
				n.display(e, indent, "- ")
			}
		}
		return
	}
	switch v := v.(type) {
	case string:
		n.text(v, indent, prefix)
	case []byte:
		n.text(string(v), indent, prefix)
	default:
		n.line(indent, n.lightYellow, prefix, terminal.Line(pyfmt.Str(v)), "")
	}
}

func (n *nester) text(s string, indent int, prefix string) {
	for _, l := range pyfmt.SplitLines(s, false) {
		n.line(indent, n.green, prefix, terminal.Text(l), "")
		prefix = strings.Repeat(" ", len(prefix))
	}
}
