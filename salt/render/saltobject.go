package render

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/momtree/mom/salt/jinja"
)

// saltObject is the variable salt: salt['a.b'](…) and salt.a.b(…).
type saltObject struct{ j *job }

// TypeName returns the name in Salt's error messages.
func (*saltObject) TypeName() string { return "salt.utils.templates.AliasedLoader" }

// Attr returns the functions of a module.
func (s *saltObject) Attr(_ *jinja.Run, name string) (any, bool) {
	if name == "get" {
		return &jinja.Func{Name: "get", Call: func(r *jinja.Run, a *jinja.Args) any {
			b := a.Bind("get", 1, "key default")
			if f, ok := s.j.function(b.Str(0, "")); ok {
				return f
			}
			return b.Any(1, nil)
		}}, true
	}
	if name == "keys" {
		return &jinja.Func{Name: "keys", Call: func(r *jinja.Run, a *jinja.Args) any {
			a.Bind("keys", 0, "")
			return s.j.names(r)
		}}, true
	}
	return &moduleObject{s.j, name}, !strings.Contains(name, ".")
}

// names returns the names of the functions that a template can call, sorted.
func (j *job) names(r *jinja.Run) *jinja.List {
	all := Pure()
	fns := j.t.Functions
	if fns == nil {
		fns = j.engine.opts.Functions
	}
	if n, ok := fns.(Namer); ok {
		all = append(all, n.Names(j.ctx)...)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	r.Room(len(all))
	out := jinja.NewList()
	for _, name := range all {
		r.Alloc(len(name))
		r.Append(out, name)
	}
	return out
}

// Item returns a function.
func (s *saltObject) Item(r *jinja.Run, key any) (any, bool) {
	name, ok := key.(string)
	if !ok {
		return nil, false
	}
	if !strings.Contains(name, ".") {
		return s.Attr(r, name)
	}
	f, ok := s.j.function(name)
	return f, ok
}

// Contains is 'a.b' in salt.
func (s *saltObject) Contains(_ *jinja.Run, key any) bool {
	name, ok := key.(string)
	if !ok {
		return false
	}
	_, ok = s.j.function(name)
	return ok
}

// moduleObject is salt.a.
type moduleObject struct {
	j    *job
	name string
}

// TypeName returns the name in Salt's error messages.
func (*moduleObject) TypeName() string { return "function" }

// Attr returns a function of the module.
func (m *moduleObject) Attr(r *jinja.Run, name string) (any, bool) {
	f, ok := m.j.function(m.name + "." + name)
	if !ok && !m.known() {
		return r.Undefined("'%s object' has no attribute '%s'", (*saltObject)(nil).TypeName(), m.name), true
	}
	return f, ok
}

// known reports whether the engine has functions of the module.
func (m *moduleObject) known() bool {
	for name := range pure {
		if strings.HasPrefix(name, m.name+".") {
			return true
		}
	}
	return false
}

// Item returns nothing: a module has no items.
func (*moduleObject) Item(*jinja.Run, any) (any, bool) { return nil, false }

// function finds a function by name.
func (j *job) function(name string) (*jinja.Func, bool) {
	if !strings.Contains(name, ".") {
		return nil, false
	}
	if f := pure[name]; f != nil {
		return &jinja.Func{Name: name, Call: func(r *jinja.Run, a *jinja.Args) any { return f(j, r, a) }}, true
	}
	fns := j.t.Functions
	if fns == nil {
		fns = j.engine.opts.Functions
	}
	if fns == nil {
		return nil, false
	}
	if l, ok := fns.(Lister); ok && !l.Has(name) {
		return nil, false
	}
	return &jinja.Func{Name: name, Call: func(r *jinja.Run, a *jinja.Args) any { return j.call(r, fns, name, a) }}, true
}

func (j *job) call(r *jinja.Run, fns Functions, name string, a *jinja.Args) any {
	pos, kw, err := r.Values(a)
	if err != nil {
		jinja.Throw(err)
	}
	v, err := fns.Call(j.ctx, name, pos, kw)
	var refused *Refused
	switch {
	case err == nil:
	case errors.Is(err, ErrNoFunction):
		jinja.Throw(&jinja.Error{
			Kind: jinja.KindUndefined, Err: err,
			Text: fmt.Sprintf("'%s object' has no attribute '%s'", (*saltObject)(nil).TypeName(), name),
		})
	case errors.As(err, &refused):
		jinja.Throw(&jinja.Error{Kind: jinja.KindFunction, Text: err.Error(), Err: err})
	default:
		jinja.Throw(err)
	}
	return r.Take(v)
}
