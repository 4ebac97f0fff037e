package jinja

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

var builtinFilters map[string]Filter

func init() {
	builtinFilters = map[string]Filter{}
	for _, part := range []map[string]Filter{textFilters, listFilters, numberFilters} {
		for name, f := range part {
			builtinFilters[name] = f
		}
	}
}

// attribute returns a function that looks up an attribute by a path such as "a.b.0", with
// an optional default for missing parts.
func (r *Run) attribute(name any, def any, hasDef, fold bool) func(any) any {
	var parts []any
	switch n := name.(type) {
	case nil:
	case string:
		for p := range strings.SplitSeq(n, ".") {
			r.Alloc(2*slotBytes + boxBytes)
			if i, err := strconv.ParseInt(p, 10, 64); err == nil && p[0] != '-' && p[0] != '+' {
				parts = append(parts, i)
			} else {
				parts = append(parts, p)
			}
		}
	default:
		parts = []any{n}
	}
	return func(v any) any {
		for _, p := range parts {
			r.Work(4 * visitWork)
			v = r.item(v, p)
			if _, missing := v.(*Undefined); missing && hasDef {
				v = def
			}
		}
		if s, ok := v.(string); ok && fold {
			r.text(len(s))
			return strings.ToLower(s)
		}
		return v
	}
}

// prepared returns the function that map, select and reject apply.
func (r *Run) prepared(a *Args, what string) func(any) any {
	if len(a.Pos) == 0 {
		throwKind(KindSyntax, "%s requires a filter argument", what)
	}
	name := r.Str(a.Pos[0])
	rest := &Args{Pos: a.Pos[1:], names: a.names, vals: a.vals}
	f := r.applied(name, r.env.filter(name))
	return func(v any) any { return f(r, v, rest) }
}

func (r *Run) selects(v any, a *Args, want, attr bool) any {
	get := func(v any) any { return v }
	if attr {
		if len(a.Pos) == 0 {
			throwKind(KindSyntax, "Missing parameter for attribute name")
		}
		get = r.attribute(a.Pos[0], nil, false, false)
		a = &Args{Pos: a.Pos[1:], names: a.names, vals: a.vals}
	}
	test := Truth
	if len(a.Pos) > 0 {
		name := r.Str(a.Pos[0])
		f := r.env.Tests[name]
		if f == nil {
			throwKind(KindSyntax, "No test named %s.", Repr(name))
		}
		rest := &Args{Pos: a.Pos[1:], names: a.names, vals: a.vals}
		test = func(v any) bool { return r.tested(f)(r, v, rest) }
	}
	if !Truth(v) {
		return NewIter("generator", nil)
	}
	var out []any
	for _, e := range r.iterate(v) {
		r.step()
		if test(get(e)) == want {
			r.Alloc(2 * slotBytes)
			out = append(out, e)
		}
	}
	return NewIter("generator", out)
}

var listFilters = map[string]Filter{
	"first": func(r *Run, v any, _ *Args) any {
		if items := r.iterate(v); len(items) > 0 {
			return items[0]
		}
		return r.undefined("No first item, sequence was empty.")
	},
	"last": func(r *Run, v any, _ *Args) any {
		if _, lazy := v.(*Iter); lazy {
			throw("'%s' object is not reversible", typeName(v))
		}
		if items := r.iterate(v); len(items) > 0 {
			return items[len(items)-1]
		}
		return r.undefined("No last item, sequence was empty.")
	},
	"random": func(r *Run, v any, _ *Args) any {
		items := r.iterate(v)
		if len(items) == 0 {
			return r.undefined("No random item, sequence was empty.")
		}
		return items[rand.IntN(len(items))]
	},
	"length": func(r *Run, v any, _ *Args) any { return int64(r.length(v)) },
	"count":  func(r *Run, v any, _ *Args) any { return int64(r.length(v)) },
	"list": func(r *Run, v any, _ *Args) any {
		items := r.iterate(v)
		r.Room(len(items))
		return &List{Items: slices.Clone(items)}
	},
	"reverse": func(r *Run, v any, _ *Args) any {
		if s, ok := v.(string); ok {
			runes := r.runes(s)
			r.text(len(s))
			slices.Reverse(runes)
			return string(runes)
		}
		items := r.iterate(v)
		r.Room(len(items))
		items = slices.Clone(items)
		slices.Reverse(items)
		return NewIter("list_reverseiterator", items)
	},
	"join": func(r *Run, v any, a *Args) any {
		b := a.Bind("do_join", 0, "d attribute")
		sep := r.Str(b.Any(0, ""))
		get := r.attribute(b.Any(1, nil), nil, false, false)
		out := r.Builder()
		for i, e := range r.iterate(v) {
			if i > 0 {
				_, _ = out.WriteString(sep)
			}
			_, _ = out.WriteString(r.Str(get(e)))
		}
		return out.String()
	},
	"sort": func(r *Run, v any, a *Args) any {
		b := a.Bind("do_sort", 0, "reverse case_sensitive attribute")
		fold := !b.Bool(1, false)
		key := r.attribute(b.Any(2, nil), nil, false, fold)
		if s, ok := b.Any(2, nil).(string); ok && strings.Contains(s, ",") {
			var keys []func(any) any
			for p := range strings.SplitSeq(s, ",") {
				keys = append(keys, r.attribute(p, nil, false, fold))
			}
			key = func(v any) any {
				t := Tuple{}
				for _, k := range keys {
					r.Alloc(4 * slotBytes)
					t = append(t, k(v))
				}
				return t
			}
		}
		return &List{Items: r.sorted(r.iterate(v), key, b.Bool(0, false))}
	},
	"dictsort": func(r *Run, v any, a *Args) any {
		b := a.Bind("do_dictsort", 0, "case_sensitive by reverse")
		by := map[string]int{"key": 0, "value": 1}
		at, ok := by[b.Str(1, "key")]
		if !ok {
			throwKind(KindOther, "You can only sort by either \"key\" or \"value\"")
		}
		d, ok := v.(*Dict)
		if !ok {
			failUndefined(v)
			throw("'%s' object has no attribute 'items'", typeName(v))
		}
		fold := !b.Bool(0, false)
		return &List{Items: r.sorted(r.viewItems(&DictView{kind: "dict_items", d: d}), func(v any) any {
			k := v.(Tuple)[at]
			if s, ok := k.(string); ok && fold {
				r.text(len(s))
				return strings.ToLower(s)
			}
			return k
		}, b.Bool(2, false))}
	},
	"items": func(r *Run, v any, _ *Args) any {
		switch d := v.(type) {
		case *Undefined:
			return NewIter("generator", nil)
		case *Dict:
			return NewIter("generator", r.viewItems(&DictView{kind: "dict_items", d: d}))
		}
		throw("Can only get item pairs from a mapping.")
		return nil
	},
	"unique": func(r *Run, v any, a *Args) any {
		b := a.Bind("do_unique", 0, "case_sensitive attribute")
		get := r.attribute(b.Any(1, nil), nil, false, !b.Bool(0, false))
		seen := &Dict{}
		var out []any
		for _, e := range r.iterate(v) {
			if k := get(e); !r.has(seen, k) {
				r.Set(seen, k, nil)
				r.Alloc(2 * slotBytes)
				out = append(out, e)
			}
		}
		return NewIter("generator", out)
	},
	"min": func(r *Run, v any, a *Args) any { return r.extreme(v, a, "min", true) },
	"max": func(r *Run, v any, a *Args) any { return r.extreme(v, a, "max", false) },
	"sum": func(r *Run, v any, a *Args) any {
		b := a.Bind("do_sum", 0, "attribute start")
		get := r.attribute(b.Any(0, nil), nil, false, false)
		sum := b.Any(1, int64(0))
		for _, e := range r.iterate(v) {
			r.step()
			sum = r.binary("+", sum, get(e))
		}
		return sum
	},
	"map": func(r *Run, v any, a *Args) any {
		if !Truth(v) {
			return NewIter("generator", nil)
		}
		var f func(any) any
		if attr, ok := a.Keyword("attribute"); ok && len(a.Pos) == 0 {
			def, hasDef := a.Keyword("default")
			for _, n := range a.names {
				if n != "attribute" && n != "default" {
					throwKind(KindSyntax, "Unexpected keyword argument %s", Repr(n))
				}
			}
			f = r.attribute(attr, def, hasDef, false)
		} else {
			f = r.prepared(a, "map")
		}
		items := r.iterate(v)
		r.Room(len(items))
		out := make([]any, len(items))
		for i, e := range items {
			r.step()
			r.Alloc(boxBytes)
			out[i] = f(e)
		}
		return NewIter("generator", out)
	},
	"select":     func(r *Run, v any, a *Args) any { return r.selects(v, a, true, false) },
	"reject":     func(r *Run, v any, a *Args) any { return r.selects(v, a, false, false) },
	"selectattr": func(r *Run, v any, a *Args) any { return r.selects(v, a, true, true) },
	"rejectattr": func(r *Run, v any, a *Args) any { return r.selects(v, a, false, true) },
	"groupby": func(r *Run, v any, a *Args) any {
		b := a.Bind("do_groupby", 1, "attribute default case_sensitive")
		fold := !b.Bool(2, false)
		plain := r.attribute(b.Any(0, nil), b.Any(1, nil), b.Any(1, nil) != nil, false)
		key := r.attribute(b.Any(0, nil), b.Any(1, nil), b.Any(1, nil) != nil, fold)
		out := &List{}
		var group *List
		var last any
		for i, e := range r.sorted(r.iterate(v), key, false) {
			if k := key(e); i == 0 || !r.Equal(k, last) {
				r.Alloc(8 * slotBytes)
				last, group = k, &List{}
				out.Items = append(out.Items, &grouped{plain(e), group})
			}
			r.Append(group, e)
		}
		for i, g := range out.Items {
			out.Items[i] = Tuple{g.(*grouped).grouper, g.(*grouped).list}
		}
		return out
	},
	"batch": func(r *Run, v any, a *Args) any {
		b := a.Bind("do_batch", 1, "linecount fill_with")
		n := max(b.Int(0, 1), 1)
		var out []any
		for chunk := range slices.Chunk(r.iterate(v), n) {
			r.Room(len(chunk) + 4)
			part := slices.Clone(chunk)
			if fill := b.Any(1, nil); fill != nil {
				r.Room(n)
				for len(part) < n {
					part = append(part, fill)
				}
			}
			out = append(out, &List{Items: part})
		}
		return NewIter("generator", out)
	},
	"slice": func(r *Run, v any, a *Args) any {
		b := a.Bind("do_slice", 1, "slices fill_with")
		items, n := r.iterate(v), b.Int(0, 1)
		if n <= 0 || n > 1<<16 {
			throw("slice needs between 1 and 65536 slices")
		}
		per, more := len(items)/n, len(items)%n
		var out []any
		at := 0
		for i := range n {
			r.Room(per + 6)
			end := at + per
			if i < more {
				end++
			}
			part := slices.Clone(items[at:end])
			if fill := b.Any(1, nil); fill != nil && i >= more {
				part = append(part, fill)
			}
			out = append(out, &List{Items: part})
			at = end
		}
		return NewIter("generator", out)
	},
	"attr": func(r *Run, v any, a *Args) any {
		name := a.Bind("do_attr", 1, "name").Str(0, "")
		if e, ok := r.getattr(v, name); ok {
			return e
		}
		return r.undefinedAttr(v, name)
	},
	"default": defaultFilter, "d": defaultFilter,
}

// grouped is a group while it is being collected.
type grouped struct {
	grouper any
	list    *List
}

func defaultFilter(_ *Run, v any, a *Args) any {
	b := a.Bind("do_default", 0, "default_value boolean")
	_, missing := v.(*Undefined)
	if missing || b.Bool(1, false) && !Truth(v) {
		return b.Any(0, "")
	}
	return v
}

func (r *Run) extreme(v any, a *Args, name string, least bool) any {
	b := a.Bind("do_"+name, 0, "case_sensitive attribute")
	get := r.attribute(b.Any(1, nil), nil, false, !b.Bool(0, false))
	items := r.iterate(v)
	if len(items) == 0 {
		return r.undefined("No aggregated item, sequence was empty.")
	}
	return r.Extreme(items, get, least)
}

// Extreme returns the least or greatest of a non-empty list of items.
func (r *Run) Extreme(items []any, key func(any) any, least bool) any {
	best := items[0]
	bestKey := key(best)
	for _, e := range items[1:] {
		k := key(e)
		r.Work(4 * visitWork)
		if c := r.order(map[bool]string{true: "<", false: ">"}[least], k, bestKey, 0); c < 0 && least || c > 0 && c != 2 && !least {
			best, bestKey = e, k
		}
	}
	return best
}
