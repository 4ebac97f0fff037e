package jinja

import "slices"

var listMethods, tupleMethods, setMethods map[string]methodFunc

func listOf(self any) *List { return self.(*List) }

// indexIn is list.index and tuple.index.
func indexIn(kind string) methodFunc {
	return func(_ *Run, self any, a *Args) any {
		b := a.Bind("index", 1, "value start stop")
		items := iterate(self)
		from, to, _ := bounds(len(items), b.Any(1, nil), b.Any(2, nil), nil)
		for i := from; i < to; i++ {
			if Equal(items[i], b.Any(0, nil)) {
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

func countIn(_ *Run, self any, a *Args) any {
	b := a.Bind("count", 1, "value")
	n := int64(0)
	for _, e := range iterate(self) {
		if Equal(e, b.Any(0, nil)) {
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
			l := listOf(self)
			r.room(0)
			if len(l.Items) >= r.limits.Values {
				r.room(len(l.Items) + 1)
			}
			l.Items = append(l.Items, b.Any(0, nil))
			return nil
		},
		"extend": func(r *Run, self any, a *Args) any {
			b := a.Bind("extend", 1, "iterable")
			l := listOf(self)
			more := slices.Clone(iterate(b.Any(0, nil)))
			r.room(len(l.Items) + len(more))
			l.Items = append(l.Items, more...)
			return nil
		},
		"insert": func(r *Run, self any, a *Args) any {
			b := a.Bind("insert", 2, "index object")
			l := listOf(self)
			at, _, _ := bounds(len(l.Items), b.Any(0, nil), nil, nil)
			r.room(len(l.Items) + 1)
			l.Items = slices.Insert(l.Items, at, b.Any(1, nil))
			return nil
		},
		"pop": func(_ *Run, self any, a *Args) any {
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
			l.Items = slices.Delete(slices.Clone(l.Items), i, i+1)
			return v
		},
		"remove": func(_ *Run, self any, a *Args) any {
			b := a.Bind("remove", 1, "value")
			l := listOf(self)
			for i, e := range l.Items {
				if Equal(e, b.Any(0, nil)) {
					l.Items = slices.Delete(slices.Clone(l.Items), i, i+1)
					return nil
				}
			}
			throw("list.remove(x): x not in list")
			return nil
		},
		"reverse": func(_ *Run, self any, _ *Args) any {
			l := listOf(self)
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
		"copy":  func(_ *Run, self any, _ *Args) any { return &List{Items: slices.Clone(listOf(self).Items)} },
		"clear": func(_ *Run, self any, _ *Args) any { listOf(self).Items = nil; return nil },
	}
	setMethods = map[string]methodFunc{
		"add": func(r *Run, self any, a *Args) any {
			s := self.(*Set)
			r.room(s.d.Len() + 1)
			s.d.Set(a.Bind("add", 1, "element").Any(0, nil), nil)
			return nil
		},
		"discard": func(_ *Run, self any, a *Args) any {
			self.(*Set).d.Delete(a.Bind("discard", 1, "element").Any(0, nil))
			return nil
		},
		"remove": func(_ *Run, self any, a *Args) any {
			if e := a.Bind("remove", 1, "element").Any(0, nil); !self.(*Set).d.Delete(e) {
				throw("%s", Repr(e))
			}
			return nil
		},
		"update": func(_ *Run, self any, a *Args) any {
			for _, v := range a.Pos {
				for _, e := range iterate(v) {
					self.(*Set).d.Set(e, nil)
				}
			}
			return nil
		},
		"copy": func(_ *Run, self any, _ *Args) any { return NewSet(self.(*Set).Items()) },
		"union": func(_ *Run, self any, a *Args) any {
			out := NewSet(self.(*Set).Items())
			for _, v := range a.Pos {
				for _, e := range iterate(v) {
					out.d.Set(e, nil)
				}
			}
			return out
		},
		"intersection": func(_ *Run, self any, a *Args) any {
			out := NewSet(self.(*Set).Items())
			for _, v := range a.Pos {
				out = setMinus(out, setMinus(out, NewSet(iterate(v))))
			}
			return out
		},
		"difference": func(_ *Run, self any, a *Args) any {
			out := NewSet(self.(*Set).Items())
			for _, v := range a.Pos {
				out = setMinus(out, NewSet(iterate(v)))
			}
			return out
		},
		"symmetric_difference": func(_ *Run, self any, a *Args) any {
			x, y := self.(*Set), NewSet(iterate(a.Bind("symmetric_difference", 1, "other").Any(0, nil)))
			return NewSet(append(setMinus(x, y).Items(), setMinus(y, x).Items()...))
		},
		"issubset": func(_ *Run, self any, a *Args) any {
			return subset(self.(*Set), NewSet(iterate(a.Bind("issubset", 1, "other").Any(0, nil))))
		},
		"issuperset": func(_ *Run, self any, a *Args) any {
			return subset(NewSet(iterate(a.Bind("issuperset", 1, "other").Any(0, nil))), self.(*Set))
		},
	}
}

// sorted sorts stably, as Python does; reverse keeps the order of equals.
func (r *Run) sorted(items []any, key func(any) any, reverse bool) []any {
	r.room(len(items))
	type pair struct{ key, v any }
	pairs := make([]pair, len(items))
	for i, e := range items {
		pairs[i] = pair{key(e), e}
	}
	n := 0
	slices.SortStableFunc(pairs, func(a, b pair) int {
		if n++; n&0xff == 0 {
			r.step()
		}
		c := order("<", a.key, b.key, 0)
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
