package output

import (
	"strings"

	"github.com/momtree/mom/internal/terminal"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/pyfmt"
)

func quiet(any, Options) (string, error) { return "", nil }

func raw(v any, _ Options) (string, error) { return terminal.Text(pyfmt.Str(v)), nil }

// txt prints one line per line of each result, after the name.
func txt(v any, _ Options) (string, error) {
	var b strings.Builder
	ps, ok := pyfmt.Pairs(v)
	if !ok {
		return terminal.Text(pyfmt.Str(v)) + "\n", nil
	}
	for _, p := range ps {
		name := terminal.Line(pyfmt.Str(p.Key))
		if s, ok := p.Val.(string); ok {
			for _, l := range pyfmt.SplitLines(s, false) {
				b.WriteString(name + ": " + terminal.Text(l) + "\n")
			}
			continue
		}
		b.WriteString(name + ": " + terminal.Line(pyfmt.Str(p.Val)) + "\n")
	}
	return b.String(), nil
}

// newlineValuesOnly prints one line per result, without names.
func newlineValuesOnly(v any, _ Options) (string, error) {
	ps, ok := pyfmt.Pairs(v)
	if !ok {
		return "", errShape
	}
	var out []string
	for _, p := range ps {
		if items, ok := wire.AsList(p.Val); ok {
			for _, e := range items {
				out = append(out, pyfmt.Str(e))
			}
			continue
		}
		out = append(out, pyfmt.Str(p.Val))
	}
	return terminal.Text(strings.Join(out, "\n")), nil
}

// noReturn prints minions that did not return.
func noReturn(v any, o Options) (string, error) {
	var b strings.Builder
	c := o.colors()
	var show func(v any, indent string)
	show = func(v any, indent string) {
		if s, ok := v.(string); ok {
			for l := range strings.SplitSeq(s, "\n") {
				b.WriteString(c.red + indent + terminal.Text(l) + c.end + "\n")
			}
			return
		}
		ps, ok := pyfmt.Pairs(v)
		if !ok {
			return
		}
		pyfmt.SortPairs(ps)
		for _, p := range ps {
			b.WriteString(c.cyan + indent + terminal.Line(pyfmt.Str(p.Key)) + c.end + ":\n")
			show(p.Val, indent+"    ")
		}
	}
	show(v, "")
	return b.String(), nil
}
