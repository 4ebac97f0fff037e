package render

import (
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/momtree/mom/salt/jinja"
)

// pureFunc is a function of Salt that needs only the template's data, nothing of the
// machine. It works on the template's own values and may modify them.
type pureFunc func(j *job, r *jinja.Run, a *jinja.Args) any

var pure = map[string]pureFunc{}

// Pure returns the names of the functions that the engine itself has. A caller cannot
// replace them.
func Pure() []string { return sortedNames(pure) }

func init() {
	maps.Copy(pure, map[string]pureFunc{
		"grains.get": func(j *job, r *jinja.Run, a *jinja.Args) any {
			b := a.Bind("get", 1, "key default delimiter ordered")
			return traverse(r, r.Var("grains"), b.Any(0, nil), b.Any(1, ""), b.Str(2, ":"))
		},
		"grains.filter_by": func(j *job, r *jinja.Run, a *jinja.Args) any {
			b := a.Bind("filter_by", 1, "lookup_dict grain merge default base")
			return filterBy(r, wantDict(b.Any(0, nil), "filter_by lookup_dict"), r.Var("grains"), b.Any(1, "os_family"),
				b.Any(2, nil), b.Any(3, "default"), b.Any(4, nil))
		},
		"grains.has_value": func(j *job, r *jinja.Run, a *jinja.Args) any {
			return jinja.Truth(traverse(r, r.Var("grains"), a.Bind("has_value", 1, "key").Any(0, nil), false, ":"))
		},
		"grains.item": func(j *job, r *jinja.Run, a *jinja.Args) any {
			out := jinja.NewDict()
			for _, k := range a.Pos {
				r.Set(out, k, traverse(r, r.Var("grains"), k, "", ":"))
			}
			return out
		},
		"grains.items":   func(_ *job, r *jinja.Run, _ *jinja.Args) any { return r.Var("grains") },
		"pillar.items":   func(_ *job, r *jinja.Run, _ *jinja.Args) any { return r.Var("pillar") },
		"pillar.get":     pillarGet,
		"config.get":     configGet,
		"defaults.merge": defaultsMerge,
		"defaults.deepcopy": func(_ *job, r *jinja.Run, a *jinja.Args) any {
			return r.DeepCopy(a.Bind("deepcopy", 1, "source").Any(0, nil))
		},
		"defaults.update":   defaultsUpdate,
		"slsutil.update":    slsutilUpdate,
		"slsutil.merge":     slsutilMerge,
		"slsutil.merge_all": slsutilMergeAll,
		"test.echo":         func(_ *job, r *jinja.Run, a *jinja.Args) any { return a.Bind("echo", 1, "text").Any(0, nil) },
	})
}

func refuse(format string, args ...any) {
	jinja.Throw(&jinja.Error{Kind: jinja.KindFunction, Text: fmt.Sprintf(format, args...)})
}

func fail(format string, args ...any) { jinja.Throw(fmt.Errorf(format, args...)) }

func wantDict(v any, what string) *jinja.Dict {
	d, ok := v.(*jinja.Dict)
	if !ok {
		fail("%s has to be a dictionary, not %s", what, jinja.TypeName(v))
	}
	return d
}

// traverse follows a path such as "a:b:0" through dicts and lists.
func traverse(r *jinja.Run, v, key, def any, delimiter string) any {
	var parts []any
	switch k := key.(type) {
	case string:
		if delimiter == "" {
			fail("empty separator")
		}
		for p := range strings.SplitSeq(k, delimiter) {
			r.Alloc(64)
			parts = append(parts, p)
		}
	case int64:
		parts = []any{k}
	default:
		parts = r.Iterate(key)
	}
	for _, p := range parts {
		r.Tick()
		next, ok := step1(r, v, p)
		if !ok {
			return def
		}
		v = next
	}
	return v
}

// longestWord is the longest part of a path, in bytes, that is parsed as YAML to find keys
// that are not strings. An integer has at most 4,300 digits, and no deadline interrupts
// parsing.
const longestWord = 8 << 10

// step1 is one step of traverse.
func step1(r *jinja.Run, v, part any) (any, bool) {
	switch c := v.(type) {
	case *jinja.List:
		r.Work(number64(part))
		idx, isNum := jinja.ParseInt(part, 10)
		key := part
		if isNum {
			key = idx
		}
		for _, e := range c.Items {
			r.Walk(2)
			if d, ok := e.(*jinja.Dict); ok {
				if got, ok := r.Get(d, key); ok {
					return got, true
				}
			}
		}
		if !isNum {
			return nil, false
		}
		return r.Index(c, idx)
	case *jinja.Dict:
		if got, ok := r.Get(c, part); ok {
			return got, true
		}
		if s, ok := part.(string); ok && len(s) <= longestWord {
			if loaded := jinja.Take(word(s)); !r.Equal(loaded, part) {
				switch loaded.(type) {
				case *jinja.List, *jinja.Dict:
					return nil, false
				}
				return r.Get(c, loaded)
			}
		}
	}
	return nil, false
}

func filterBy(r *jinja.Run, lookup *jinja.Dict, in, key, merge, def, base any) any {
	val := traverse(r, in, key, jinja.NewList(), ":")
	each := []any{val}
	if l, ok := val.(*jinja.List); ok {
		each = l.Items
	}
	var ret any
search:
	for _, e := range each {
		for _, k := range lookup.Keys() {
			pat, s := r.Str(k), r.Str(e)
			r.Work(8 * (len(pat) + 1) * (len(s) + 1))
			if globMatch(pat, s) {
				if ret, _ = r.Get(lookup, k); ret != nil {
					break search
				}
				break
			}
		}
	}
	if ret == nil {
		ret, _ = r.Get(lookup, def)
	}
	if base != nil && jinja.Truth(base) {
		if values, ok := r.Get(lookup, base); ok {
			if ret == nil {
				ret = values
			} else if under, ok := values.(*jinja.Dict); ok {
				over, ok := ret.(*jinja.Dict)
				if !ok {
					fail("filter_by default and look-up values must both be dictionaries.")
				}
				copied := r.DeepCopy(under).(*jinja.Dict)
				update(r, copied, over, true, false, 0)
				ret = copied
			}
		}
	}
	if merge != nil && jinja.Truth(merge) {
		m, ok := merge.(*jinja.Dict)
		if !ok {
			fail("filter_by merge argument must be a dictionary.")
		}
		if ret == nil {
			return m
		}
		d, ok := ret.(*jinja.Dict)
		if !ok {
			fail("Cannot update using non-dict types in dictupdate.update()")
		}
		update(r, d, r.DeepCopy(m).(*jinja.Dict), true, false, 0)
	}
	return ret
}

// update merges one dict into another recursively, as Salt's dictupdate does.
func update(r *jinja.Run, dest, upd *jinja.Dict, recursive, mergeLists bool, depth int) {
	if depth > 200 {
		fail("values are nested more than 200 deep")
	}
	r.Room(upd.Len())
	for _, k := range upd.Keys() {
		v, _ := r.Get(upd, k)
		old, _ := r.Get(dest, k)
		if recursive {
			od, ok1 := old.(*jinja.Dict)
			nd, ok2 := v.(*jinja.Dict)
			if ok1 && ok2 {
				update(r, od, nd, true, mergeLists, depth+1)
				continue
			}
			ol, ok1 := old.(*jinja.List)
			nl, ok2 := v.(*jinja.List)
			if ok1 && ok2 && mergeLists {
				r.Set(dest, k, extendUnique(r, r.DeepCopy(ol).(*jinja.List), nl.Items))
				continue
			}
		}
		r.Set(dest, k, v)
	}
}

func extendUnique(r *jinja.Run, l *jinja.List, more []any) *jinja.List {
	for _, e := range more {
		if !has(r, l.Items, e) {
			r.Append(l, e)
		}
	}
	return l
}

func has(r *jinja.Run, items []any, v any) bool {
	for _, e := range items {
		if r.Equal(e, v) {
			return true
		}
	}
	return false
}

func pillarGet(_ *job, r *jinja.Run, a *jinja.Args) any {
	b := a.Bind("get", 1, "key default merge merge_nested_lists delimiter pillarenv saltenv")
	if b.Any(5, nil) != nil || b.Any(6, nil) != nil {
		refuse("pillar.get: pillarenv and saltenv are not available in templates here; the pillar is that of the run")
	}
	pillar := r.Var("pillar")
	def := b.Any(1, nil)
	delimiter := b.Str(4, ":")
	if !b.Given(1) {
		raise, _ := jinja.GetKey(r.Var("opts"), "pillar_raise_on_missing")
		if raise != nil && jinja.Truth(raise) {
			missing := &jinja.List{}
			v := traverse(r, pillar, b.Any(0, nil), missing, delimiter)
			if v == any(missing) {
				fail("%s", jinja.Repr("Pillar key not found: "+r.Str(b.Any(0, nil))))
			}
			return v
		}
		def = ""
	}
	if b.Bool(2, false) {
		mergeLists := b.Any(3, nil)
		if mergeLists == nil {
			mergeLists, _ = jinja.GetKey(r.Var("opts"), "pillar_merge_lists")
		}
		switch d := def.(type) {
		case *jinja.Dict:
			if got, ok := traverse(r, pillar, b.Any(0, nil), jinja.NewDict(), delimiter).(*jinja.Dict); ok {
				out := r.DeepCopy(d).(*jinja.Dict)
				update(r, out, got, true, mergeLists != nil && jinja.Truth(mergeLists), 0)
				return out
			}
		case *jinja.List:
			if got, ok := traverse(r, pillar, b.Any(0, nil), jinja.NewList(), delimiter).(*jinja.List); ok {
				return extendUnique(r, r.DeepCopy(d).(*jinja.List), got.Items)
			}
		}
	}
	return traverse(r, pillar, b.Any(0, nil), def, delimiter)
}

func configGet(_ *job, r *jinja.Run, a *jinja.Args) any {
	b := a.Bind("get", 1, "key default delimiter merge omit_opts omit_pillar omit_master omit_grains")
	missing := any(&jinja.List{})
	pillar := r.Var("pillar")
	master, _ := jinja.GetKey(pillar, "master")
	if how := b.Any(3, nil); how != nil {
		if v := traverse(r, laidOver(r, r.Str(how), master, pillar, r.Var("grains"), r.Var("opts")), b.Any(0, nil), missing, b.Str(2, ":")); v != missing {
			return v
		}
		return b.Any(1, "")
	}
	for i, from := range []any{r.Var("opts"), r.Var("grains"), pillar, master} {
		if b.Bool([]int{4, 7, 5, 6}[i], false) || from == nil {
			continue
		}
		if v := traverse(r, from, b.Any(0, nil), missing, b.Str(2, ":")); v != missing {
			if s, ok := v.(string); ok && strings.HasPrefix(s, "sdb://") {
				jinja.Throw(errors.New("config.get: sdb:// is not available in templates here"))
			}
			return v
		}
	}
	return b.Any(1, "")
}

// laidOver merges possible sources of a value: the last one takes precedence. As in Salt,
// any strategy other than overwrite is recurse.
func laidOver(r *jinja.Run, how string, from ...any) any {
	out := jinja.NewDict()
	for _, f := range from {
		if d, ok := f.(*jinja.Dict); ok {
			if how != "overwrite" {
				how = "recurse"
			}
			out = mergeBy(r, out, d, how, false).(*jinja.Dict)
		}
	}
	return out
}

func defaultsMerge(_ *job, r *jinja.Run, a *jinja.Args) any {
	b := a.Bind("merge", 2, "dest src merge_lists in_place convert_none")
	dest, src := b.Any(0, nil), b.Any(1, nil)
	inPlace, none := b.Bool(3, true), b.Bool(4, true)
	if src == nil && none {
		src = jinja.NewDict()
	}
	if dest == nil && none {
		if inPlace {
			fail("Can't perform in-place merge into NoneType")
		}
		dest = jinja.NewDict()
	}
	d, s := bothDicts(dest, src)
	if !inPlace {
		d = r.DeepCopy(d).(*jinja.Dict)
	}
	update(r, d, s, true, b.Bool(2, false), 0)
	return d
}

func bothDicts(x, y any) (*jinja.Dict, *jinja.Dict) {
	d, ok1 := x.(*jinja.Dict)
	s, ok2 := y.(*jinja.Dict)
	if !ok1 || !ok2 {
		fail("Cannot update using non-dict types in dictupdate.update()")
	}
	return d, s
}

func defaultsUpdate(_ *job, r *jinja.Run, a *jinja.Args) any {
	b := a.Bind("update", 2, "dest defaults merge_lists in_place convert_none")
	dest := b.Any(0, nil)
	if dest == nil {
		if b.Bool(3, true) {
			fail("Can't perform in-place update into NoneType")
		}
		dest = jinja.NewDict()
	}
	d := wantDict(dest, "dest")
	if !b.Bool(3, true) {
		d = r.DeepCopy(d).(*jinja.Dict)
	}
	defaults := b.Any(1, nil)
	if defaults == nil {
		defaults = jinja.NewDict()
	}
	for _, k := range d.Keys() {
		v, _ := r.Get(d, k)
		base := r.DeepCopy(wantDict(defaults, "defaults")).(*jinja.Dict)
		if v != nil {
			update(r, base, wantDict(v, r.Str(k)), true, b.Bool(2, true), 0)
		}
		r.Set(d, k, base)
	}
	return d
}

func slsutilUpdate(_ *job, r *jinja.Run, a *jinja.Args) any {
	b := a.Bind("update", 2, "dest upd recursive_update merge_lists")
	d, s := bothDicts(b.Any(0, nil), b.Any(1, nil))
	update(r, d, s, b.Bool(2, true), b.Bool(3, false), 0)
	return d
}

func slsutilMerge(_ *job, r *jinja.Run, a *jinja.Args) any {
	b := a.Bind("merge", 2, "obj_a obj_b strategy renderer merge_lists")
	return mergeBy(r, b.Any(0, nil), b.Any(1, nil), strategyFor(b.Str(2, "smart"), b.Str(3, "yaml")), b.Bool(4, false))
}

func slsutilMergeAll(_ *job, r *jinja.Run, a *jinja.Args) any {
	b := a.Bind("merge_all", 1, "lst strategy renderer merge_lists")
	out := any(jinja.NewDict())
	for _, e := range r.Iterate(b.Any(0, nil)) {
		out = mergeBy(r, out, e, strategyFor(b.Str(1, "smart"), b.Str(2, "yaml")), b.Bool(3, false))
	}
	return out
}

// strategyFor returns the strategy that smart means for a renderer.
func strategyFor(strategy, renderer string) string {
	last := renderer[strings.LastIndexByte(renderer, '|')+1:]
	if strategy == "smart" && (last == "yamlex" || strings.HasPrefix(renderer, "yamlex_")) {
		return "aggregate"
	}
	return strategy
}

// aggregate merges two dicts as Salt's yamlex does: the second takes precedence, unless the
// strategy marks a key, which plain values never do.
func aggregate(r *jinja.Run, a, b *jinja.Dict) any {
	out := jinja.NewDict()
	for _, d := range []*jinja.Dict{a, b} {
		r.Room(d.Len())
		d.Range(func(k, v any) bool {
			r.Set(out, k, v)
			return true
		})
	}
	return out
}

func mergeBy(r *jinja.Run, x, y any, strategy string, mergeLists bool) any {
	a, b := bothDicts(x, y)
	switch strategy {
	case "list":
		out := jinja.NewDict()
		a.Range(func(k, v any) bool {
			if w, ok := r.Get(b, k); ok {
				r.Alloc(128)
				v = jinja.NewList(v, w)
			}
			r.Set(out, k, v)
			return true
		})
		return out
	case "aggregate":
		return aggregate(r, a, b)
	case "overwrite":
		a = r.DeepCopy(a).(*jinja.Dict)
		for _, k := range b.Keys() {
			if _, ok := r.Get(a, k); ok {
				v, _ := r.Get(b, k)
				r.Set(a, k, v)
			}
		}
		update(r, a, b, true, mergeLists, 0)
		return a
	case "smart", "recurse":
	default: // none, and strategies unknown to Salt
		mergeLists = false
	}
	out := r.DeepCopy(a).(*jinja.Dict)
	update(r, out, b, true, mergeLists, 0)
	return out
}
