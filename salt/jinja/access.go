package jinja

// Var returns a top-level variable of the running template, or nil.
func (r *Run) Var(name string) any {
	v, _ := r.lookup(nil, name)
	return v
}

// Undefined returns an undefined value with the given message.
func (r *Run) Undefined(format string, args ...any) *Undefined { return r.undefined(format, args...) }

// Missing returns the undefined value of a missing attribute or item.
func (r *Run) Missing(obj, name any) *Undefined { return r.undefinedAttr(obj, name) }

// GetAttr is Python's getattr(v, name).
func (r *Run) GetAttr(v any, name string) (any, bool) { return r.getattr(v, name) }

// Binary computes a op b as Python does.
func (r *Run) Binary(op string, a, b any) any { return r.binary(op, a, b) }

// Index returns v[i] of a sequence.
func (r *Run) Index(v, i any) (any, bool) {
	n, ok := smallInt(i)
	if !ok {
		return nil, false
	}
	return r.index(v, n)
}

// GetKey returns the value of a key if v is a dict.
func GetKey(v any, key string) (any, bool) {
	d, ok := v.(*Dict)
	if !ok {
		return nil, false
	}
	return d.Get(key)
}

// Hashable reports whether Python could hash v.
func (r *Run) Hashable(v any) bool {
	switch v := v.(type) {
	case *List, *Dict, *Set, *DictView:
		return false
	case Tuple:
		n := maxKeyParts
		return r.hashable(v, &n)
	}
	return true
}

// hashable checks at most as many elements of a tuple as a key may have. A larger tuple
// fails when it is hashed.
func (r *Run) hashable(t Tuple, n *int) bool {
	for _, e := range t {
		if *n--; *n <= 0 {
			return true
		}
		r.Work(visitWork)
		switch e := e.(type) {
		case *List, *Dict, *Set, *DictView:
			return false
		case Tuple:
			if !r.hashable(e, n) {
				return false
			}
		}
	}
	return true
}

// DeepCopy is Python's copy.deepcopy: a value that v holds twice is also shared in the
// copy.
func (r *Run) DeepCopy(v any) any { return r.deepCopy(v, map[any]any{}, 0) }

func (r *Run) deepCopy(v any, memo map[any]any, depth int) any {
	if depth > maxNested {
		throw("values are nested more than %d deep", maxNested)
	}
	r.Work(visitWork)
	fill := func(out, in []any) {
		for i, e := range in {
			out[i] = r.deepCopy(e, memo, depth+1)
		}
	}
	switch v := v.(type) {
	case *List:
		if c, ok := memo[v]; ok {
			return c
		}
		r.Room(len(v.Items))
		c := &List{Items: make([]any, len(v.Items))}
		memo[v] = c
		fill(c.Items, v.Items)
		return c
	case Tuple:
		if len(v) == 0 {
			return v
		}
		if c, ok := memo[&v[0]]; ok {
			return c
		}
		r.Room(len(v))
		c := make(Tuple, len(v))
		fill(c, v)
		memo[&v[0]] = c
		return c
	case *Dict:
		if c, ok := memo[v]; ok {
			return c
		}
		d := &Dict{Ordered: v.Ordered}
		memo[v] = d
		v.Range(func(k, e any) bool {
			r.Set(d, k, r.deepCopy(e, memo, depth+1))
			return true
		})
		return d
	case *Set:
		return r.NewSet(v.d.keys)
	}
	return v
}

// SetOrdered makes a dict an OrderedDict for Python's repr.
func (d *Dict) SetOrdered() *Dict {
	d.Ordered = true
	return d
}

// Dict returns a dict of a call's arguments, as Python's dict does.
func (r *Run) Dict(a *Args) *Dict { return r.dict(a) }

// From returns the arguments without the first n positional ones.
func (a *Args) From(n int) *Args { return &Args{Pos: a.Pos[n:], names: a.names, vals: a.vals} }

// Order compares two values as Python's < does: negative when a is less.
func (r *Run) Order(a, b any) int { return r.order("<", a, b, 0) }

// List returns a list of n elements, which count towards the limits before it is allocated.
func (r *Run) List(n int) *List {
	r.Room(n)
	return &List{Items: make([]any, 0, n)}
}

// Append adds elements to a list.
func (r *Run) Append(l *List, vs ...any) {
	r.grow(len(l.Items), len(vs))
	l.Items = append(l.Items, vs...)
}

// NewSet returns a set. Elements that cannot be hashed fail the run.
func (r *Run) NewSet(items []any) *Set {
	s := &Set{}
	for _, e := range items {
		r.Set(&s.d, e, nil)
	}
	return s
}

// AddTo adds an element to a set.
func (r *Run) AddTo(s *Set, e any) { r.Set(&s.d, e, nil) }
