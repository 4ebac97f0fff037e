package jinja

// Loop is the variable loop.
type Loop struct {
	items   []any
	index0  int
	depth0  int
	last    any
	changed bool
	node    *forNode // of a recursive loop
	scope   *scope
	root    *scopeRoot
}

// forLoop runs a loop.
func (r *Run) forLoop(n *forNode, s *scope, out *output) {
	r.loop(n, r.eval(n.iter, s), s, out, 0)
}

func (r *Run) loop(n *forNode, over any, s *scope, out *output, depth int) {
	items := r.iterate(over)
	if l, ok := over.(*List); ok && n.test == nil {
		r.liveLoop(n, l, s, out, depth)
		return
	}
	r.Fits(len(items))
	if n.test != nil {
		var left []any
		for _, e := range items {
			r.step()
			inner := r.inner(s)
			r.assign(inner, n.target, e)
			if Truth(r.eval(n.test, inner)) {
				r.Alloc(2 * slotBytes)
				left = append(left, e)
			}
		}
		items = left
	}
	r.rounds(n, &Loop{items: items, depth0: depth, root: r.ctxt}, s, out, nil)
}

// liveLoop iterates over a list that the body may extend, as Python does.
func (r *Run) liveLoop(n *forNode, list *List, s *scope, out *output, depth int) {
	r.rounds(n, &Loop{items: list.Items, depth0: depth, root: r.ctxt}, s, out, list)
}

func (r *Run) rounds(n *forNode, l *Loop, s *scope, out *output, live *List) {
	if n.recursive {
		l.node, l.scope = n, s
	}
	i := 0
	for ; ; i++ {
		if live != nil {
			l.items = live.Items
			r.Fits(len(l.items))
		}
		if i >= len(l.items) {
			break
		}
		r.step()
		l.index0 = i
		inner := r.inner(s)
		r.frame.line = n.at()
		r.assign(inner, n.target, l.items[i])
		inner.set("loop", l)
		if r.body(n.body, inner, out) == flowBreak {
			return
		}
	}
	if i == 0 {
		r.body(n.els, r.inner(s), out)
	}
}

// recurse is loop(items) in a recursive loop.
func (l *Loop) recurse(r *Run, a *Args) any {
	if l.node == nil {
		throw("The loop must have the 'recursive' marker to be called recursively.")
	}
	b := a.Bind("loop", 1, "iterable")
	defer r.nest()()
	out := r.output()
	root := r.ctxt
	r.ctxt = l.root
	r.loop(l.node, b.Any(0, nil), l.scope, out, l.depth0+1)
	r.ctxt = root
	return out.String()
}

func (l *Loop) attr(r *Run, name string) (any, bool) {
	n, i := int64(len(l.items)), int64(l.index0)
	switch name {
	case "index":
		return i + 1, true
	case "index0":
		return i, true
	case "revindex":
		return n - i, true
	case "revindex0":
		return n - i - 1, true
	case "first":
		return i == 0, true
	case "last":
		return i == n-1, true
	case "length":
		return n, true
	case "depth":
		return int64(l.depth0 + 1), true
	case "depth0":
		return int64(l.depth0), true
	case "previtem":
		if i == 0 {
			return r.undefined("there is no previous item"), true
		}
		return l.items[i-1], true
	case "nextitem":
		if i == n-1 {
			return r.undefined("there is no next item"), true
		}
		return l.items[i+1], true
	case "cycle":
		return &Func{Name: "cycle", Holds: l, Call: func(r *Run, a *Args) any {
			if len(a.Pos) == 0 {
				throw("no items for cycling given")
			}
			return a.Pos[l.index0%len(a.Pos)]
		}}, true
	case "changed":
		return &Func{Name: "changed", Holds: l, Call: func(r *Run, a *Args) any {
			now := Tuple(a.Pos)
			if l.changed && r.Equal(l.last, now) {
				return false
			}
			l.changed, l.last = true, now
			return true
		}}, true
	}
	return nil, false
}
