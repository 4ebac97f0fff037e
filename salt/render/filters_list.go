package render

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/momtree/mom/salt/jinja"
)

// other returns the argument of set filters.
func other(a *jinja.Args, name string) any { return a.Bind(name, 1, "lst2").Any(0, nil) }

// unique keeps the first of equal elements; it returns a set if they can be hashed.
func unique(r *jinja.Run, v any) any {
	if r.Hashable(v) {
		return r.NewSet(r.Iterate(v))
	}
	out := &jinja.List{}
	items := r.Iterate(v)
	// A set finds duplicates of hashable values; others are compared.
	seen := jinja.NewDict()
	for _, e := range items {
		r.Tick()
		if r.Hashable(e) {
			if _, ok := r.Get(seen, e); ok {
				continue
			}
			r.Set(seen, e, nil)
		} else if hasCounted(r, out.Items, e) {
			continue
		}
		r.Append(out, e)
	}
	return out
}

func hasCounted(r *jinja.Run, items []any, v any) bool {
	for _, e := range items {
		if r.Equal(e, v) {
			return true
		}
	}
	return false
}

// keep returns the elements that pass a test, without duplicates.
func keep(r *jinja.Run, items []any, test func(any) bool) any {
	out := &jinja.List{}
	for _, e := range items {
		r.Tick()
		if test(e) {
			r.Append(out, e)
		}
	}
	return unique(r, out)
}

func bothHashable(r *jinja.Run, x, y any) bool { return r.Hashable(x) && r.Hashable(y) }

func setOf(r *jinja.Run, v any) *jinja.Set { return r.NewSet(r.Iterate(v)) }

func union(r *jinja.Run, v, w any) any {
	if bothHashable(r, v, w) {
		s := r.NewSet(r.Iterate(v))
		for _, e := range r.Iterate(w) {
			r.AddTo(s, e)
		}
		return s
	}
	return unique(r, r.Binary("+", v, w))
}

func intersect(r *jinja.Run, v, w any) any {
	in := r.Iterate(w)
	out := keep(r, r.Iterate(v), func(e any) bool { return hasCounted(r, in, e) })
	if bothHashable(r, v, w) {
		return setOf(r, out)
	}
	return out
}

func difference(r *jinja.Run, v, w any) any {
	in := r.Iterate(w)
	out := keep(r, r.Iterate(v), func(e any) bool { return !hasCounted(r, in, e) })
	if bothHashable(r, v, w) {
		return setOf(r, out)
	}
	return out
}

// rows counts the n rows of an itertools filter before they are built.
func rows(r *jinja.Run, n int) { r.Fits(n) }

func combinations(r *jinja.Run, items []any, n int, repeat bool) []any {
	var out []any
	r.Room(n)
	idx := make([]int, n)
	var walk func(at, from int)
	walk = func(at, from int) {
		if at == n {
			r.Alloc(n*16 + 80)
			t := make(jinja.Tuple, n)
			for i, x := range idx {
				t[i] = items[x]
			}
			out = append(out, t)
			r.Tick()
			rows(r, len(out))
			return
		}
		for i := from; i < len(items); i++ {
			r.Walk(1)
			idx[at] = i
			if repeat {
				walk(at+1, i)
			} else {
				walk(at+1, i+1)
			}
		}
	}
	if n <= len(items) || repeat {
		walk(0, 0)
	}
	return out
}

func permutations(r *jinja.Run, items []any, n int) []any {
	var out []any
	r.Room(len(items))
	used := make([]bool, len(items))
	cur := make([]any, 0, n)
	var walk func()
	walk = func() {
		if len(cur) == n {
			r.Alloc(n*16 + 80)
			out = append(out, jinja.Tuple(slices.Clone(cur)))
			r.Tick()
			rows(r, len(out))
			return
		}
		r.Walk(len(items))
		for i, e := range items {
			if !used[i] {
				used[i] = true
				cur = append(cur, e)
				walk()
				cur = cur[:len(cur)-1]
				used[i] = false
			}
		}
	}
	if n <= len(items) {
		walk()
	}
	return out
}

// size returns the length argument of itertools.
func size(b *jinja.Bound, i, def int) int {
	n := def
	if b.Any(i, nil) != nil {
		n = b.Int(i, def)
	}
	if n < 0 {
		fail("r must be non-negative")
	}
	if n > 1000 {
		fail("r is more than 1000")
	}
	return n
}

func product(r *jinja.Run, v any, a *jinja.Args) any {
	lists := [][]any{r.Iterate(v)}
	for _, w := range a.Pos {
		lists = append(lists, r.Iterate(w))
	}
	if n, ok := a.Keyword("repeat"); ok {
		times := jinja.NewArgs(n).Bind("product", 1, "repeat").Int(0, 1)
		one := lists
		lists = nil
		for range min(max(times, 0), 1000) {
			lists = append(lists, one...)
		}
	}
	out := []any{jinja.Tuple{}}
	for _, l := range lists {
		rows(r, len(out)*len(l))
		var next []any
		for _, t := range out {
			for _, e := range l {
				r.Tick()
				r.Alloc(len(t.(jinja.Tuple))*32 + 112)
				next = append(next, append(slices.Clone(t.(jinja.Tuple)), e))
			}
		}
		out = next
	}
	return jinja.NewIter("itertools.product", out)
}

func zip(kind string, longest bool) jinja.Filter {
	return func(r *jinja.Run, v any, a *jinja.Args) any {
		lists := [][]any{r.Iterate(v)}
		for _, w := range a.Pos {
			lists = append(lists, r.Iterate(w))
		}
		fill, _ := a.Keyword("fillvalue")
		n := len(lists[0])
		for _, l := range lists[1:] {
			if longest {
				n = max(n, len(l))
			} else {
				n = min(n, len(l))
			}
		}
		r.Room(n * len(lists))
		r.Alloc(n * 64)
		r.Work(n * (len(lists) + 8) * 8)
		out := make([]any, n)
		for i := range out {
			t := make(jinja.Tuple, len(lists))
			for j, l := range lists {
				if t[j] = fill; i < len(l) {
					t[j] = l[i]
				}
			}
			out[i] = t
		}
		return jinja.NewIter(kind, out)
	}
}

// flatten appends the elements of v to out, including those of nested lists.
func flatten(r *jinja.Run, out *jinja.List, v any, levels int, nulls bool, depth int) {
	if depth > 200 {
		fail("Reference cycle detected. Check input list.")
	}
	for _, e := range r.Iterate(v) {
		r.Tick()
		if s, ok := e.(string); !nulls && (e == nil || ok && (s == "None" || s == "null")) {
			continue
		}
		_, isText := e.(string)
		if isText || !jinja.Iterable(e) || levels == 0 {
			r.Append(out, e)
		} else {
			flatten(r, out, e, levels-1, nulls, depth+1)
		}
	}
}

// sample draws elements; the same seed draws the same ones.
func sample(r *jinja.Run, items []any, n int, seed any) any {
	if n < 0 || n > len(items) {
		fail("Sample larger than population or is negative")
	}
	src := rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
	if seed != nil {
		a, b := uint64(14695981039346656037), uint64(1)
		for _, c := range []byte(r.Repr(seed)) {
			a = (a ^ uint64(c)) * 1099511628211
			b += a
		}
		src = rand.New(rand.NewPCG(a, b))
	}
	r.Room(len(items))
	out := slices.Clone(items)
	src.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return &jinja.List{Items: out[:n]}
}

func countTrue(r *jinja.Run, v any, n int) bool {
	found := 0
	for _, e := range r.Iterate(v) {
		if jinja.Truth(e) {
			found++
		}
	}
	return found == n
}

func first(r *jinja.Run, v any) []any {
	items := r.Iterate(v)
	if len(items) == 0 {
		fail("min() or max() arg is an empty sequence")
	}
	return items
}

var _ = filters(map[string]jinja.Filter{
	"unique":    plain(unique),
	"union":     func(r *jinja.Run, v any, a *jinja.Args) any { return union(r, v, other(a, "union")) },
	"intersect": func(r *jinja.Run, v any, a *jinja.Args) any { return intersect(r, v, other(a, "intersect")) },
	"difference": func(r *jinja.Run, v any, a *jinja.Args) any {
		return difference(r, v, other(a, "difference"))
	},
	"symmetric_difference": func(r *jinja.Run, v any, a *jinja.Args) any {
		w := other(a, "symmetric_difference")
		return difference(r, union(r, v, w), intersect(r, v, w))
	},
	"min": plain(func(r *jinja.Run, v any) any { return r.Extreme(first(r, v), same, true) }),
	"max": plain(func(r *jinja.Run, v any) any { return r.Extreme(first(r, v), same, false) }),
	"avg": plain(func(r *jinja.Run, v any) any {
		if r.Hashable(v) {
			f, ok := jinja.ParseFloat(v)
			if !ok {
				fail("could not convert string to float: %s", jinja.Repr(v))
			}
			return f
		}
		sum := any(int64(0))
		items := r.Iterate(v)
		for _, e := range items {
			r.Tick()
			sum = r.Binary("+", sum, e)
		}
		f, _ := jinja.ParseFloat(r.Binary("/", sum, int64(len(items))))
		return f
	}),
	"flatten": func(r *jinja.Run, v any, a *jinja.Args) any {
		b := a.Bind("flatten", 0, "levels preserve_nulls")
		levels := -1
		if b.Any(0, nil) != nil {
			levels = max(b.Int(0, 0), 0)
		}
		out := &jinja.List{}
		flatten(r, out, v, levels, b.Bool(1, false), 0)
		return out
	},
	"sequence": plain(func(r *jinja.Run, v any) any {
		switch v.(type) {
		case *jinja.List, jinja.Tuple, *jinja.Set, *jinja.Dict:
			return v
		}
		return jinja.NewList(v)
	}),
	"sorted_ignorecase": plain(func(r *jinja.Run, v any) any {
		return &jinja.List{Items: r.Sorted(r.Iterate(v), func(e any) any { s := text(r, e, "sorted_ignorecase"); r.Charge(len(s)); return strings.ToLower(s) }, false)}
	}),
	"combinations": func(r *jinja.Run, v any, a *jinja.Args) any {
		b := a.Bind("combinations", 1, "r")
		return jinja.NewIter("itertools.combinations", combinations(r, r.Iterate(v), size(b, 0, 0), false))
	},
	"combinations_with_replacement": func(r *jinja.Run, v any, a *jinja.Args) any {
		b := a.Bind("combinations_with_replacement", 1, "r")
		return jinja.NewIter("itertools.combinations_with_replacement", combinations(r, r.Iterate(v), size(b, 0, 0), true))
	},
	"permutations": func(r *jinja.Run, v any, a *jinja.Args) any {
		items := r.Iterate(v)
		b := a.Bind("permutations", 0, "r")
		return jinja.NewIter("itertools.permutations", permutations(r, items, size(b, 0, min(len(items), 1000))))
	},
	"compress": func(r *jinja.Run, v any, a *jinja.Args) any {
		sel := r.Iterate(a.Bind("compress", 1, "selectors").Any(0, nil))
		var out []any
		for i, e := range r.Iterate(v) {
			if i < len(sel) && jinja.Truth(sel[i]) {
				r.Alloc(32)
				out = append(out, e)
			}
		}
		return jinja.NewIter("itertools.compress", out)
	},
	"product": product, "zip": zip("zip", false), "zip_longest": zip("itertools.zip_longest", true),
	"random_sample": func(r *jinja.Run, v any, a *jinja.Args) any {
		b := a.Bind("sample", 1, "size seed")
		return sample(r, r.Iterate(v), b.Int(0, 0), b.Any(1, nil))
	},
	"random_shuffle": func(r *jinja.Run, v any, a *jinja.Args) any {
		items := r.Iterate(v)
		return sample(r, items, len(items), a.Bind("shuffle", 0, "seed").Any(0, nil))
	},
	"exactly_n_true": func(r *jinja.Run, v any, a *jinja.Args) any {
		return countTrue(r, v, a.Bind("exactly_n", 0, "amount").Int(0, 1))
	},
	"exactly_one_true": plain(func(r *jinja.Run, v any) any { return countTrue(r, v, 1) }),
	"is_list":          plain(func(r *jinja.Run, v any) any { _, ok := v.(*jinja.List); return ok }),
	"is_iter": func(r *jinja.Run, v any, a *jinja.Args) any {
		a.Bind("is_iter", 0, "ignore")
		_, isText := v.(string)
		return !isText && jinja.Iterable(v)
	},
	"compare_lists": func(r *jinja.Run, v any, a *jinja.Args) any {
		old, now := r.Iterate(v), r.Iterate(a.Bind("compare_lists", 1, "new").Any(0, nil))
		out := jinja.NewDict()
		for _, side := range []struct {
			name      string
			has, lack []any
		}{{"new", now, old}, {"old", old, now}} {
			l := &jinja.List{}
			for _, e := range side.has {
				if !hasCounted(r, side.lack, e) {
					r.Append(l, e)
				}
			}
			if len(l.Items) > 0 {
				out.Set(side.name, l)
			}
		}
		return out
	},
	"substring_in_list": func(r *jinja.Run, v any, a *jinja.Args) any {
		s := text(r, v, "substring_in_list")
		for _, e := range r.Iterate(a.Bind("substring_in_list", 1, "lst").Any(0, nil)) {
			in := text(r, e, "substring_in_list")
			r.Work(len(in))
			if strings.Contains(in, s) {
				return true
			}
		}
		return false
	},
})

func same(v any) any { return v }
