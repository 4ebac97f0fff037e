package jinja

// Var is a variable as the running template sees it, at its top level; nil if there is
// none.
func (r *Run) Var(name string) any {
	v, _ := r.lookup(nil, name)
	return v
}

// Tick counts a step, and fails the run when there are too many or its time is over.
func (r *Run) Tick() { r.step() }

// Room fails the run when a list or dict of n elements is too large.
func (r *Run) Room(n int) { r.room(n) }

// Undefined makes an undefined value with a text of its own.
func (r *Run) Undefined(format string, args ...any) *Undefined { return r.undefined(format, args...) }

// Missing is the undefined attribute or item of an object.
func (r *Run) Missing(obj, name any) *Undefined { return r.undefinedAttr(obj, name) }

// GetAttr is Python's getattr(v, name).
func (r *Run) GetAttr(v any, name string) (any, bool) { return r.getattr(v, name) }

// Binary computes a op b as Python does.
func (r *Run) Binary(op string, a, b any) any { return r.binary(op, a, b) }

// Index is v[i] of a sequence.
func Index(v, i any) (any, bool) {
	n, ok := smallInt(i)
	if !ok {
		return nil, false
	}
	return index(v, n)
}

// GetKey is the value of a key where v is a dict.
func GetKey(v any, key string) (any, bool) {
	d, ok := v.(*Dict)
	if !ok {
		return nil, false
	}
	return d.Get(key)
}

// Hashable tells whether Python could hash v.
func Hashable(v any) bool {
	switch v := v.(type) {
	case *List, *Dict, *Set, *DictView:
		return false
	case Tuple:
		for _, e := range v {
			if !Hashable(e) {
				return false
			}
		}
	}
	return true
}

// DeepCopy is Python's copy.deepcopy.
func DeepCopy(v any) any { return deepCopy(v, 0) }

func deepCopy(v any, depth int) any {
	if depth > maxNested {
		throw("values are nested more than %d deep", maxNested)
	}
	items := func(in []any) []any {
		out := make([]any, len(in))
		for i, e := range in {
			out[i] = deepCopy(e, depth+1)
		}
		return out
	}
	switch v := v.(type) {
	case *List:
		return &List{Items: items(v.Items)}
	case Tuple:
		return Tuple(items(v))
	case *Dict:
		d := &Dict{Ordered: v.Ordered}
		v.Range(func(k, e any) bool {
			d.Set(k, deepCopy(e, depth+1))
			return true
		})
		return d
	case *Set:
		return NewSet(v.Items())
	}
	return v
}

// SetOrdered makes a dict an OrderedDict for Python's repr.
func (d *Dict) SetOrdered() *Dict {
	d.Ordered = true
	return d
}

// Dict makes a dict of a call's arguments, as Python's dict does.
func (r *Run) Dict(a *Args) *Dict { return r.dict(a) }

// From are the arguments without the first n positional ones.
func (a *Args) From(n int) *Args { return &Args{Pos: a.Pos[n:], names: a.names, vals: a.vals} }

// Order compares two values as Python's < does: below zero when a is less.
func Order(a, b any) int { return order("<", a, b, 0) }
