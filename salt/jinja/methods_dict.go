package jinja

var dictMethods map[string]methodFunc

func dictOf(self any) *Dict { return self.(*Dict) }

func init() {
	view := func(kind string) methodFunc {
		return func(r *Run, self any, a *Args) any {
			a.Bind(kind[5:], 0, "")
			return &DictView{kind: kind, d: dictOf(self)}
		}
	}
	dictMethods = map[string]methodFunc{
		"keys": view("dict_keys"), "values": view("dict_values"), "items": view("dict_items"),
		"iteritems": nil, // of Python 2, removed
		"get": func(r *Run, self any, a *Args) any {
			b := a.Bind("get", 1, "key default")
			if v, ok := r.Get(dictOf(self), b.Any(0, nil)); ok {
				return v
			}
			return b.Any(1, nil)
		},
		"setdefault": func(r *Run, self any, a *Args) any {
			b := a.Bind("setdefault", 1, "key default")
			d := dictOf(self)
			if v, ok := r.Get(d, b.Any(0, nil)); ok {
				return v
			}
			r.Set(d, b.Any(0, nil), b.Any(1, nil))
			return b.Any(1, nil)
		},
		"pop": func(r *Run, self any, a *Args) any {
			b := a.Bind("pop", 1, "key default")
			d := dictOf(self)
			if v, ok := r.Get(d, b.Any(0, nil)); ok {
				r.Delete(d, b.Any(0, nil))
				return v
			}
			if !b.Given(1) {
				throw("%s", Repr(b.Any(0, nil)))
			}
			return b.Any(1, nil)
		},
		"popitem": func(r *Run, self any, _ *Args) any {
			d := dictOf(self)
			if d.Len() == 0 {
				throw("'popitem(): dictionary is empty'")
			}
			k := d.keys[d.Len()-1]
			v := d.at(d.Len() - 1)
			r.Delete(d, k)
			return Tuple{k, v}
		},
		"update": func(r *Run, self any, a *Args) any {
			d := dictOf(self)
			if len(a.Pos) > 1 {
				throw("update expected at most 1 argument, got %d", len(a.Pos))
			}
			for _, v := range a.Pos {
				r.fill(d, v)
			}
			r.fill(d, r.keywords(a))
			return nil
		},
		"copy": func(r *Run, self any, _ *Args) any { return r.Clone(dictOf(self)) },
		"clear": func(r *Run, self any, _ *Args) any {
			d := dictOf(self)
			d.keys, d.vals, d.index = nil, nil, nil
			return nil
		},
		"fromkeys": func(r *Run, _ any, a *Args) any {
			b := a.Bind("fromkeys", 1, "iterable value")
			d := &Dict{}
			for _, k := range r.iterate(b.Any(0, nil)) {
				r.Set(d, k, b.Any(1, nil))
			}
			return d
		},
		"move_to_end": func(r *Run, self any, a *Args) any {
			b := a.Bind("move_to_end", 1, "key last")
			d, key := dictOf(self), b.Any(0, nil)
			v, ok := r.Get(d, key)
			if !ok {
				throw("%s", Repr(key))
			}
			rest := r.Clone(d)
			r.roomDict(d.Len())
			rest.Delete(key)
			d.keys, d.vals, d.index = nil, nil, nil
			if !b.Bool(1, true) {
				d.Set(key, v)
			}
			rest.Range(func(k, v any) bool { d.Set(k, v); return true })
			d.Set(key, v)
			return nil
		},
	}
	delete(dictMethods, "iteritems")
}

// fill adds the pairs of a dict or of a list of pairs to d.
func (r *Run) fill(d *Dict, v any) {
	if src, ok := v.(*Dict); ok {
		if d == src {
			return
		}
		for i, k := range src.keys {
			r.Set(d, k, src.at(i))
		}
		return
	}
	for i, e := range r.iterate(v) {
		pair := []any(nil)
		if Iterable(e) {
			pair = r.iterate(e)
		} else {
			throw("cannot convert dictionary update sequence element #%d to a sequence", i)
		}
		if len(pair) != 2 {
			throw("dictionary update sequence element #%d has length %d; 2 is required", i, len(pair))
		}
		r.Set(d, pair[0], pair[1])
	}
}
