package jinja

import "strings"

// eval evaluates an expression.
func (r *Run) eval(x expr, s *scope) any {
	switch n := x.(type) {
	case *constNode:
		return n.val
	case *nameNode:
		if v, ok := r.lookup(s, n.name); ok {
			return v
		}
		if n.name == "self" && r.ctxt != nil {
			return &selfObject{r.ctxt}
		}
		return r.undefinedName(n.name)
	case *attrNode:
		return r.attr(r.eval(n.x, s), n.name)
	case *itemNode:
		v := r.eval(n.x, s)
		if sl, ok := n.key.(*sliceNode); ok {
			return r.slice(v, sl, s)
		}
		return r.item(v, r.eval(n.key, s))
	case *filterNode:
		v := r.eval(n.x, s)
		a := r.args(n.args, s)
		if (n.name == "e" || n.name == "escape") && escaped(n.x) {
			if text, ok := v.(string); ok {
				return text
			}
		}
		return r.applied(n.name, r.env.filter(n.name))(r, v, a)
	case *callNode:
		return r.callNode(n, s, nil)
	case *testNode:
		v := r.eval(n.x, s)
		t := r.env.Tests[n.name]
		if t == nil {
			throwKind(KindSyntax, "No test named %s found.", Repr(n.name))
		}
		return r.tested(t)(r, v, r.args(n.args, s))
	case *notNode:
		return !Truth(r.eval(n.x, s))
	case *logicNode:
		v := r.eval(n.left, s)
		if Truth(v) == n.and {
			return r.eval(n.right, s)
		}
		return v
	case *condNode:
		switch {
		case Truth(r.eval(n.test, s)):
			return r.eval(n.yes, s)
		case n.no != nil:
			return r.eval(n.no, s)
		}
		u := r.undefined("the inline if-expression on line %d evaluated to false and no else section was defined.", n.at())
		u.strict = false // Jinja is lenient here whatever the environment says
		return u
	case *compareNode:
		return r.comparison(n, s)
	case *binaryNode:
		left := r.eval(n.left, s)
		right := r.eval(n.right, s)
		if n.op == "+" || n.op == "%" {
			left, right = r.joinEscaped(n, left, right)
		}
		return r.binary(n.op, left, right)
	case *unaryNode:
		if v := r.eval(n.x, s); n.minus {
			return r.negative(v)
		} else {
			return r.positive(v)
		}
	case *concatNode:
		parts, size := make([]string, len(n.items)), 0
		for i, e := range n.items {
			parts[i] = r.Str(r.eval(e, s))
			size += len(parts[i])
		}
		r.text(size)
		return strings.Join(parts, "")
	case *listNode:
		return &List{Items: r.evalAll(n.items, s)}
	case *tupleNode:
		return Tuple(r.evalAll(n.items, s))
	case *dictNode:
		d := &Dict{}
		r.Alloc(smallBytes)
		for i, k := range n.keys {
			key := r.eval(k, s)
			r.Set(d, key, r.eval(n.vals[i], s))
		}
		return d
	case *sliceNode:
		throw("a slice can only stand alone between brackets")
	}
	return nil
}

// Apply applies a filter as a template does.
func (r *Run) Apply(name string, v any, a *Args) any {
	return r.applied(name, r.env.filter(name))(r, v, a)
}

// applied wraps a filter to count its call and a walk over its input.
func (r *Run) applied(name string, f Filter) Filter {
	if constantFilters[name] {
		r.step()
		return f
	}
	return func(r *Run, v any, a *Args) any {
		r.step()
		r.touch(v)
		r.touch(a.Pos...)
		r.touch(a.vals...)
		return f(r, v, a)
	}
}

// constantFilters do not walk over their input.
var constantFilters = map[string]bool{
	"length": true, "count": true, "default": true, "d": true, "attr": true, "first": true, "is_list": true, "is_iter": true,
}

// tested wraps a test to count its call. Comparisons count their own work.
func (r *Run) tested(t Test) Test {
	r.Work(stepWork / 4)
	return t
}

func (r *Run) evalAll(xs []expr, s *scope) []any {
	r.Alloc(len(xs)*slotBytes + smallBytes)
	out := make([]any, len(xs))
	for i, x := range xs {
		out[i] = r.eval(x, s)
	}
	return out
}

func (r *Run) comparison(n *compareNode, s *scope) any {
	left := r.eval(n.left, s)
	for i, op := range n.ops {
		right := r.eval(n.rest[i], s)
		if !r.compare(op, left, right) {
			return false
		}
		left = right
	}
	return true
}

// args evaluates the arguments of a call.
func (r *Run) args(c callArgs, s *scope) *Args {
	a := &Args{}
	if len(c.args) > 0 {
		a.Pos = r.evalAll(c.args, s)
	}
	for i, name := range c.names {
		a.set(name, r.eval(c.vals[i], s))
	}
	if c.star != nil {
		more := r.iterate(r.eval(c.star, s))
		r.Room(len(a.Pos) + len(more))
		a.Pos = append(a.Pos, more...)
	}
	if c.starMap != nil {
		v := r.eval(c.starMap, s)
		d, ok := v.(*Dict)
		if !ok {
			failUndefined(v)
			throw("argument after ** must be a mapping, not %s", typeName(v))
		}
		r.roomDict(d.Len())
		d.Range(func(k, v any) bool {
			name, ok := k.(string)
			if !ok {
				throw("keywords must be strings")
			}
			a.set(name, v)
			return true
		})
	}
	return a
}

func (r *Run) callNode(n *callNode, s *scope, caller *Macro) any {
	fn := r.eval(n.fn, s)
	a := r.args(n.args, s)
	if caller != nil {
		a.set("caller", caller)
	}
	return r.call(fn, a)
}

// call calls a function, method, macro or loop.
func (r *Run) call(fn any, a *Args) any {
	r.step()
	switch f := fn.(type) {
	case *Func:
		return f.Call(r, a)
	case *Method:
		switch f.self.(type) {
		case string, Bytes:
			r.touch(f.self) // these walk over it; others count their own work
			r.touch(a.Pos...)
		}
		return f.fn(r, f.self, a)
	case *Macro:
		return f.call(r, a)
	case *Loop:
		return f.recurse(r, a)
	case *Undefined:
		f.fail()
	}
	throw("'%s' object is not callable", typeName(fn))
	return nil
}

// Call calls a value that a template may call.
func (r *Run) Call(fn any, a *Args) any { return r.call(fn, a) }

// callable reports whether v can be called.
func callable(v any) bool {
	switch v.(type) {
	case *Func, *Method, *Macro:
		return true
	}
	return false
}

// filter returns a filter by name.
func (e *Environment) filter(name string) Filter {
	f := e.Filters[name]
	if f == nil {
		throwKind(KindSyntax, "No filter named %s found.", Repr(name))
	}
	return f
}
