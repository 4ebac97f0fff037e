package jinja

import "slices"

var listMethods, tupleMethods, setMethods map[string]methodFunc

func listOf(self any) *List { return self.(*List) }

// indexIn is list.index and tuple.index.
func indexIn(kind string) methodFunc {
	return func(r *Run, self any, a *Args) any {
		b := a.Bind("index", 1, "value start stop")
		items := r.iterate(self)
		from, to, _ := bounds(len(items), b.Any(1, nil), b.Any(2, nil), nil)
		for i := from; i < to; i++ {
			if r.Equal(items[i], b.Any(0, nil)) {
				return int64(i)
			}
		}
		if kind == "list" {
			throw("%s is not in list", Repr(b.Any(0, nil)))
		}
		throw("tuple.index(x): x not in tuple")
		return nil
	}
}

func countIn(r *Run, self any, a *Args) any {
	b := a.Bind("count", 1, "value")
	n := int64(0)
	for _, e := range r.iterate(self) {
		if r.Equal(e, b.Any(0, nil)) {
			n++
		}
	}
	return n
}

func init() {
	tupleMethods = map[string]methodFunc{"index": indexIn("tuple"), "count": countIn}
	listMethods = map[string]methodFunc{
		"index": indexIn("list"), "count": countIn,
		"append": func(r *Run, self any, a *Args) any {
			b := a.Bind("append", 1, "object")
			r.Append(listOf(self), b.Any(0, nil))
			return nil
		},
		"extend": func(r *Run, self any, a *Args) any {
			b := a.Bind("extend", 1, "iterable")
			l := listOf(self)
			r.Append(l, r.iterate(b.Any(0, nil))...)
			return nil
		},
		"insert": func(r *Run, self any, a *Args) any {
			b := a.Bind("insert", 2, "index object")
			l := listOf(self)
			at, _, _ := bounds(len(l.Items), b.Any(0, nil), nil, nil)
			r.grow(len(l.Items), 1)
			r.touch(l)
			l.Items = slices.Insert(l.Items, at, b.Any(1, nil))
			return nil
		},
		"pop": func(r *Run, self any, a *Args) any {
			b := a.Bind("pop", 0, "index")
			l := listOf(self)
			if len(l.Items) == 0 {
				throw("pop from empty list")
			}
			i := b.Int(0, -1)
			if i < 0 {
				i += len(l.Items)
			}
			if i < 0 || i >= len(l.Items) {
				throw("pop index out of range")
			}
			v := l.Items[i]
			if i == len(l.Items)-1 {
				l.Items = l.Items[:i:i] // an iteration over the list keeps the old elements
				return v
			}
			r.Room(len(l.Items))
			l.Items = slices.Delete(slices.Clone(l.Items), i, i+1)
			return v
		},
		"remove": func(r *Run, self any, a *Args) any {
			b := a.Bind("remove", 1, "value")
			l := listOf(self)
			for i, e := range l.Items {
				if r.Equal(e, b.Any(0, nil)) {
					r.Room(len(l.Items))
					l.Items = slices.Delete(slices.Clone(l.Items), i, i+1)
					return nil
				}
			}
			throw("list.remove(x): x not in list")
			return nil
		},
		"reverse": func(r *Run, self any, _ *Args) any {
			l := listOf(self)
			r.Room(len(l.Items))
			l.Items = slices.Clone(l.Items)
			slices.Reverse(l.Items)
			return nil
		},
		"sort": func(r *Run, self any, a *Args) any {
			b := a.Bind("sort", 0, "key reverse")
			l := listOf(self)
			key := func(v any) any { return v }
			if f := b.Any(0, nil); f != nil {
				key = func(v any) any { return r.call(f, NewArgs(v)) }
			}
			l.Items = r.sorted(l.Items, key, b.Bool(1, false))
			return nil
		},
		"copy": func(r *Run, self any, _ *Args) any {
			r.Room(len(listOf(self).Items))
			return &List{Items: slices.Clone(listOf(self).Items)}
		},
		"clear": func(r *Run, self any, _ *Args) any { listOf(self).Items = nil; return nil },
	}
	setMethods = map[string]methodFunc{
		"add": func(r *Run, self any, a *Args) any {
			s := self.(*Set)
			r.Set(&s.d, a.Bind("add", 1, "element").Any(0, nil), nil)
			return nil
		},
		"discard": func(r *Run, self any, a *Args) any {
			r.Delete(&self.(*Set).d, a.Bind("discard", 1, "element").Any(0, nil))
			return nil
		},
		"remove": func(r *Run, self any, a *Args) any {
			if e := a.Bind("remove", 1, "element").Any(0, nil); !r.Delete(&self.(*Set).d, e) {
				throw("%s", Repr(e))
			}
			return nil
		},
		"update": func(r *Run, self any, a *Args) any {
			for _, v := range a.Pos {
				for _, e := range r.iterate(v) {
					r.Set(&self.(*Set).d, e, nil)
				}
			}
			return nil
		},
		"copy": func(r *Run, self any, _ *Args) any { return r.NewSet(self.(*Set).d.keys) },
		"union": func(r *Run, self any, a *Args) any {
			out := r.NewSet(self.(*Set).d.keys)
			for _, v := range a.Pos {
				for _, e := range r.iterate(v) {
					r.Set(&out.d, e, nil)
				}
			}
			return out
		},
		"intersection": func(r *Run, self any, a *Args) any {
			out := r.NewSet(self.(*Set).d.keys)
			for _, v := range a.Pos {
				out = r.setMinus(out, r.setMinus(out, r.NewSet(r.iterate(v))))
			}
			return out
		},
		"difference": func(r *Run, self any, a *Args) any {
			out := r.NewSet(self.(*Set).d.keys)
			for _, v := range a.Pos {
				out = r.setMinus(out, r.NewSet(r.iterate(v)))
			}
			return out
		},
		"symmetric_difference": func(r *Run, self any, a *Args) any {
			x, y := self.(*Set), r.NewSet(r.iterate(a.Bind("symmetric_difference", 1, "other").Any(0, nil)))
			return r.NewSet(append(r.setMinus(x, y).Items(), r.setMinus(y, x).d.keys...))
		},
		"issubset": func(r *Run, self any, a *Args) any {
			return r.subset(self.(*Set), r.NewSet(r.iterate(a.Bind("issubset", 1, "other").Any(0, nil))))
		},
		"issuperset": func(r *Run, self any, a *Args) any {
			return r.subset(r.NewSet(r.iterate(a.Bind("issuperset", 1, "other").Any(0, nil))), self.(*Set))
		},
	}
}

// sorted sorts stably, as Python does; reverse keeps the order of equal elements.
func (r *Run) sorted(items []any, key func(any) any, reverse bool) []any {
	r.Room(4 * len(items))
	type pair struct{ key, v any }
	pairs := make([]pair, len(items))
	for i, e := range items {
		pairs[i] = pair{key(e), e}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int {
		r.Work(4 * visitWork)
		c := r.order("<", a.key, b.key, 0)
		if reverse {
			return -c
		}
		return c
	})
	out := make([]any, len(items))
	for i, p := range pairs {
		out[i] = p.v
	}
	return out
}

// Sorted sorts items as Python does.
func (r *Run) Sorted(items []any, key func(any) any, reverse bool) []any {
	return r.sorted(items, key, reverse)
}
