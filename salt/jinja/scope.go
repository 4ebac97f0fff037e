package jinja

import (
	"maps"
	"strings"
)

// scopeRoot is the top level of one template: Jinja's context.
type scopeRoot struct {
	tmpl   *Template
	parent map[string]any // given variables or globals; not changed
	vars   map[string]any // set at the top level
	blocks map[string][]*blockDef
}

type blockDef struct {
	node *blockNode
	tmpl *Template
}

func newRoot(t *Template, parent map[string]any) *scopeRoot {
	c := &scopeRoot{tmpl: t, parent: parent, vars: map[string]any{}, blocks: map[string][]*blockDef{}}
	for name, b := range t.blocks {
		c.blocks[name] = []*blockDef{{b, t}}
	}
	return c
}

// all returns every variable of the top level.
func (c *scopeRoot) all() map[string]any {
	out := maps.Clone(c.parent)
	if out == nil {
		out = map[string]any{}
	}
	maps.Copy(out, c.vars)
	return out
}

// scope holds the variables of a loop, macro, with or block; nil is the top level.
type scope struct {
	vars  map[string]any
	outer *scope
}

// inner opens a scope inside of s.
func (r *Run) inner(s *scope) *scope { return &scope{outer: s} }

func (s *scope) set(name string, v any) {
	if s.vars == nil {
		s.vars = make(map[string]any, 4)
	}
	s.vars[name] = v
}

// lookup resolves a name.
func (r *Run) lookup(s *scope, name string) (any, bool) {
	for ; s != nil; s = s.outer {
		if v, ok := s.vars[name]; ok {
			return v, true
		}
	}
	if v, ok := r.ctxt.vars[name]; ok {
		return v, true
	}
	if v, ok := r.ctxt.parent[name]; ok {
		t := take(v)
		if _, changed := v.(*Dict); !changed {
			switch t.(type) {
			case *Dict, *List: // one copy for the whole run
				r.ctxt.parent = keep(r.ctxt.parent, name, t)
				if g, ok := r.globals[name]; ok && sameSource(g, v) {
					r.globals[name] = t
				}
			}
		}
		return t, true
	}
	v, ok := r.env.Globals[name]
	return v, ok
}

// keep returns a copy of m with one value replaced; m may belong to the caller.
func keep(m map[string]any, name string, v any) map[string]any {
	m = maps.Clone(m)
	m[name] = v
	return m
}

// sameSource reports whether two values are the same given value.
func sameSource(a, b any) bool {
	switch a.(type) {
	case []any, Tuple, Bytes, []byte, []string, map[string]any:
		return false
	}
	switch b.(type) {
	case []any, Tuple, Bytes, []byte, []string, map[string]any:
		return false
	}
	return a == b
}

// visible returns the variables that an included template sees.
func (r *Run) visible(s *scope) map[string]any {
	r.roomDict(len(r.ctxt.parent) + len(r.ctxt.vars))
	out := r.ctxt.all()
	var scopes []*scope
	for ; s != nil; s = s.outer {
		scopes = append(scopes, s)
	}
	for i := len(scopes) - 1; i >= 0; i-- {
		maps.Copy(out, scopes[i].vars)
	}
	return out
}

// Visible returns every top-level variable of the running template, by name.
func (r *Run) Visible() map[string]any {
	out := maps.Clone(r.env.Globals)
	maps.Copy(out, r.ctxt.all())
	return out
}

// assign sets a target in a scope; nil is the top level.
func (r *Run) assign(s *scope, target expr, v any) {
	switch t := target.(type) {
	case *nameNode:
		if s == nil {
			r.ctxt.vars[t.name] = v
			return
		}
		s.set(t.name, v)
	case *nsRefNode:
		o, _ := r.lookup(s, t.name)
		ns, ok := o.(*Namespace)
		if !ok {
			throwKind(KindSyntax, "cannot assign attribute on non-namespace object")
		}
		r.Set(ns.d, t.attr, v)
	case *tupleNode:
		if !Iterable(v) {
			failUndefined(v)
			throw("cannot unpack non-iterable %s object", typeName(v))
		}
		items := r.iterate(v)
		if n := len(t.items); len(items) < n {
			throw("not enough values to unpack (expected %d, got %d)", n, len(items))
		} else if len(items) > n {
			throw("too many values to unpack (expected %d)", n)
		}
		for i, e := range t.items {
			r.assign(s, e, items[i])
		}
	}
}

// Module is an imported template: its macros and variables.
type Module struct {
	name string
	text string
	root *scopeRoot
}

// Text returns the output of the template when it was imported.
func (m *Module) Text() string { return m.text }

func (m *Module) attr(name string) (any, bool) {
	if strings.HasPrefix(name, "_") {
		return nil, false
	}
	v, ok := m.root.vars[name]
	return v, ok
}

// Namespace is the result of namespace(): inner scopes can set its attributes.
type Namespace struct{ d *Dict }
