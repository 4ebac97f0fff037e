package jinja

import "github.com/momtree/mom/salt/pyfmt"

// Pformat is Python's pprint.pformat.
func (r *Run) Pformat(v any) string {
	b := r.Builder()
	if err := pyfmt.WritePretty(b, v, pyfmt.PrintForm{Indent: 1, MaxDepth: maxNested}, r.Model()); err != nil {
		throw("maximum recursion depth exceeded while getting the repr of an object")
	}
	return b.String()
}
