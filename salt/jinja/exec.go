package jinja

import (
	"errors"
	"strings"
)

// output collects text.
type output = Builder

func (r *Run) output() *output { return r.Builder() }

func (r *Run) write(out *output, s string) {
	//mutant:render-output,render-text-3
	if out.Len()+len(s) > r.limits.Output {
		throwKind(KindLimit, "the text becomes longer than %d bytes", r.limits.Output)
	}
	_, _ = out.WriteString(s)
}

// flow says how a list of statements ended.
type flow int

const (
	flowOn flow = iota
	flowBreak
	flowContinue
	flowExtends // the rest belongs to a parent
)

// template runs a file's top level.
func (r *Run) template(t *Template, root *scopeRoot, s *scope, out *output) {
	defer r.nest()()
	frame0, root0 := r.frame, r.ctxt
	r.frame, r.ctxt = &frame{tmpl: t, line: 1}, root
	var parent *Template
	for _, st := range t.body {
		if x, ok := st.(*extendsNode); ok {
			r.frame.line = x.at()
			if parent != nil {
				throwKind(KindSyntax, "extended multiple times")
			}
			parent = r.named(r.eval(x.tmpl, s))
			for name, b := range parent.blocks {
				root.blocks[name] = append(root.blocks[name], &blockDef{b, parent})
			}
			continue
		}
		if parent != nil {
			switch st.(type) {
			case *outputNode, *blockNode:
				continue // a child's text is not printed
			}
			nothing := r.output()
			r.stmt(st, s, nothing)
			continue
		}
		r.stmt(st, s, out)
	}
	if parent != nil {
		r.template(parent, root, s, out)
	}
	r.frame, r.ctxt = frame0, root0
}

// named loads a template by the value of an expression.
func (r *Run) named(v any) *Template {
	switch v := v.(type) {
	case string:
		return r.load(v)
	case *Undefined:
		v.fail()
	}
	throw("a template's name is a text, not %s", typeName(v))
	return nil
}

func (r *Run) body(body []stmt, s *scope, out *output) flow {
	for _, st := range body {
		if f := r.stmt(st, s, out); f != flowOn {
			return f
		}
	}
	return flowOn
}

func (r *Run) stmt(st stmt, s *scope, out *output) flow {
	if r.bytes > r.soft && r.depth == 1 {
		r.recount(s)
	}
	r.Work(stepWork / 8)
	switch n := st.(type) {
	case *outputNode:
		if n.x == nil {
			r.write(out, n.text)
			return flowOn
		}
		r.frame.line = n.at()
		r.write(out, r.printed(r.eval(n.x, s)))
		return flowOn
	case *ifNode:
		for i, t := range n.tests {
			r.frame.line = n.lines[i]
			if Truth(r.eval(t, s)) {
				return r.body(n.bodies[i], s, out)
			}
		}
		return r.body(n.els, s, out)
	case *breakNode:
		return flowBreak
	case *continueNode:
		return flowContinue
	}
	r.frame.line = st.at()
	switch n := st.(type) {
	case *forNode:
		r.forLoop(n, s, out)
	case *setNode:
		r.assign(s, n.target, r.eval(n.val, s))
	case *setBlockNode:
		v := any(r.capture(n.body, r.inner(s)))
		r.frame.line = n.at()
		if n.filter != nil {
			v = r.filterBlock(n.filter, v, s)
		}
		r.assign(s, n.target, v)
	case *loadNode:
		text := r.capture(n.body, r.inner(s))
		r.frame.line = n.at()
		r.assign(s, n.target, r.applied(n.filter, r.env.filter(n.filter))(r, text, &Args{}))
	case *doNode:
		r.eval(n.x, s)
	case *withNode:
		inner := r.inner(s)
		vals := make([]any, len(n.vals))
		for i, x := range n.vals {
			vals[i] = r.eval(x, s)
		}
		for i, t := range n.targets {
			r.assign(inner, t, vals[i])
		}
		return r.body(n.body, inner, out)
	case *scopeNode:
		return r.body(n.body, r.inner(s), out)
	case *filterBlockNode:
		text := r.capture(n.body, r.inner(s))
		r.frame.line = n.at()
		r.write(out, r.printed(r.filterBlock(n.filter, text, s)))
	case *macroNode:
		r.Alloc(8 * smallBytes) // with the scope that it keeps
		m := &Macro{node: n, scope: s, root: r.ctxt}
		r.assign(s, &nameNode{name: n.name}, m)
	case *callBlockNode:
		r.Alloc(8 * smallBytes) // with the scope that it keeps
		m := &Macro{node: n.macro, scope: s, root: r.ctxt}
		r.write(out, r.printed(r.callNode(n.call, s, m)))
	case *blockNode:
		r.block(n, s, out)
	case *includeNode:
		r.include(n, s, out)
	case *importNode:
		v := any(r.module(n.tmpl, n.withContext, s))
		if n.load != "" {
			v = r.applied(n.load, r.env.filter(n.load))(r, v, &Args{})
		}
		r.assign(s, &nameNode{name: n.target}, v)
	case *fromNode:
		m := r.module(n.tmpl, n.withContext, s)
		for i, name := range n.names {
			v, ok := m.attr(name)
			if !ok {
				v = r.undefined("the template %s (imported on line %d) does not export the requested name %s",
					Repr(m.root.tmpl.name), n.at(), Repr(name))
			}
			r.assign(s, &nameNode{name: n.aliases[i]}, v)
		}
	case *extendsNode:
		throwKind(KindSyntax, "extends has to stand at the top level of a template")
	}
	return flowOn
}

// capture runs statements and returns their output.
func (r *Run) capture(body []stmt, s *scope) string {
	out := r.output()
	r.outs = append(r.outs, out)
	r.body(body, s, out)
	r.outs = r.outs[:len(r.outs)-1]
	return out.String()
}

// filterBlock applies filters to the text of a block.
func (r *Run) filterBlock(f expr, v any, s *scope) any {
	n := f.(*filterNode)
	if n.x != nil {
		v = r.filterBlock(n.x, v, s)
	}
	return r.applied(n.name, r.env.filter(n.name))(r, v, r.args(n.args, s))
}

func (r *Run) include(n *includeNode, s *scope, out *output) {
	v := r.eval(n.tmpl, s)
	names := []any{v}
	if l, ok := v.(*List); ok {
		names = l.Items
	} else if t, ok := v.(Tuple); ok {
		names = t
	}
	t := r.first(names, n.ignoreMissing)
	if t == nil {
		return
	}
	vars := r.globals
	if n.withContext {
		vars = r.visible(s)
	}
	r.template(t, newRoot(t, vars), nil, out)
}

// first loads the first existing template of several; with ignore, it returns nil if none
// exists.
func (r *Run) first(names []any, ignore bool) *Template {
	for i, name := range names {
		t, err := r.tryLoad(name)
		var missing *notFound
		switch {
		case err == nil:
			return t
		case !errors.As(err, &missing), len(names) == 1 && !ignore:
			Throw(err)
		case i+1 < len(names) || ignore:
			continue
		}
		var texts []string
		for _, n := range names {
			texts = append(texts, r.Str(n))
		}
		throw("none of the templates given were found: %s", strings.Join(texts, ", "))
	}
	if !ignore {
		throw("Tried to select from an empty list of templates")
	}
	return nil
}

func (r *Run) tryLoad(name any) (t *Template, err error) {
	defer catch(&err)
	return r.named(name), nil
}

// module imports a template.
func (r *Run) module(x expr, withContext bool, s *scope) *Module {
	name := r.eval(x, s)
	t := r.named(name)
	if withContext {
		return r.makeModule(t, r.visible(s))
	}
	key, _ := name.(string)
	if m := r.modules[key]; m != nil {
		return m
	}
	r.roomDict(len(r.globals))
	globals := make(map[string]any, len(r.globals))
	for k, v := range r.globals {
		globals[k] = v
	}
	m := r.makeModule(t, globals)
	r.modules[key] = m
	return m
}

func (r *Run) makeModule(t *Template, vars map[string]any) *Module {
	root := newRoot(t, vars)
	out := r.output()
	r.template(t, root, nil, out)
	return &Module{name: t.name, text: out.String(), root: root}
}

// block runs a block, or the block of a child that overrides it.
func (r *Run) block(n *blockNode, s *scope, out *output) {
	inner := r.inner(nil)
	if n.scoped {
		inner = r.inner(s)
	}
	r.runBlock(n.name, 0, inner, out)
}

func (r *Run) runBlock(name string, level int, s *scope, out *output) {
	defer r.nest()()
	defs := r.ctxt.blocks[name]
	def := defs[level]
	if def.node.required && level == 0 {
		throwKind(KindSyntax, "Required block %s not found", Repr(name))
	}
	s.set("super", &Func{Name: "super", Call: func(r *Run, _ *Args) any {
		if level+1 >= len(defs) {
			return r.undefined("there is no parent block called %s.", Repr(name))
		}
		out := r.output()
		r.runBlock(name, level+1, r.inner(s.outer), out)
		return out.String()
	}})
	outer := r.frame
	r.frame = &frame{tmpl: def.tmpl, line: outer.line, outer: outer}
	r.body(def.node.body, s, out)
	r.frame = outer
}
