package jinja

// Macro is a macro with its defining scope.
type Macro struct {
	node  *macroNode
	scope *scope
	root  *scopeRoot
}

// call runs the macro and returns its output.
func (m *Macro) call(r *Run, a *Args) any {
	defer r.nest()()
	n := m.node
	inner := r.inner(m.scope)
	given := make([]bool, len(n.params))
	vals := make([]any, len(n.params))
	pos := a.Pos
	for i := 0; i < len(n.params) && i < len(pos); i++ {
		vals[i], given[i] = pos[i], true
	}
	var rest Tuple
	if len(pos) > len(n.params) {
		rest = Tuple(pos[len(n.params):])
	}
	kwargs := &Dict{}
	caller, called := any(nil), false
next:
	for i, name := range a.names {
		for j, p := range n.params {
			if p == name && !given[j] {
				vals[j], given[j] = a.vals[i], true
				continue next
			}
		}
		if name == "caller" {
			caller, called = a.vals[i], true
			continue
		}
		kwargs.Set(name, a.vals[i])
	}
	switch {
	case kwargs.Len() > 0 && !n.kwargs:
		if called && !n.caller {
			throw("macro %s was invoked with two values for the special caller argument. This is most likely a bug.", Repr(n.name))
		}
		throw("macro %s takes no keyword argument %s", Repr(n.name), Repr(kwargs.keys[0]))
	case len(rest) > 0 && !n.varargs:
		throw("macro %s takes not more than %d argument(s)", Repr(n.name), len(n.params))
	case called && !n.caller:
		throw("macro %s takes no keyword argument 'caller'", Repr(n.name))
	}
	frame0, root0 := r.frame, r.ctxt
	r.frame, r.ctxt = &frame{tmpl: m.root.tmpl, line: n.at()}, m.root
	first := len(n.params) - len(n.defaults)
	for j, p := range n.params {
		switch {
		case given[j]:
			inner.set(p, vals[j])
		case j >= first:
			inner.set(p, r.eval(n.defaults[j-first], inner))
		default:
			inner.set(p, r.undefined("parameter %s was not provided", Repr(p)))
		}
	}
	if n.kwargs {
		inner.set("kwargs", kwargs)
	}
	if n.varargs {
		inner.set("varargs", rest)
	}
	if n.caller {
		if called {
			inner.set("caller", caller)
		} else {
			inner.set("caller", r.undefined("No caller defined"))
		}
	}
	out := r.output()
	r.body(n.body, inner, out)
	r.frame, r.ctxt = frame0, root0
	return out.String()
}

func (m *Macro) attr(name string) (any, bool) {
	n := m.node
	switch name {
	case "name":
		return n.name, true
	case "arguments":
		t := Tuple{}
		for _, p := range n.params {
			t = append(t, p)
		}
		return t, true
	case "catch_kwargs":
		return n.kwargs, true
	case "catch_varargs":
		return n.varargs, true
	case "caller":
		return n.caller, true
	}
	return nil, false
}
