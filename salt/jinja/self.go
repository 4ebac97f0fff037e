package jinja

// selfObject is the variable self: the blocks of the template as functions.
type selfObject struct{ root *scopeRoot }

// TypeName returns the name in error messages.
func (*selfObject) TypeName() string { return "jinja2.runtime.TemplateReference" }

// Attr returns the function that renders a block.
func (o *selfObject) Attr(_ *Run, name string) (any, bool) {
	if len(o.root.blocks[name]) == 0 {
		return nil, false
	}
	return &Func{Name: name, Call: func(r *Run, a *Args) any {
		a.Bind(name, 0, "")
		before := r.ctxt
		r.ctxt = o.root
		defer func() { r.ctxt = before }()
		out := r.output()
		r.runBlock(name, 0, r.inner(nil), out)
		return out.String()
	}}, true
}

// Item returns the same as Attr.
func (o *selfObject) Item(r *Run, key any) (any, bool) {
	name, ok := key.(string)
	if !ok {
		return nil, false
	}
	return o.Attr(r, name)
}
