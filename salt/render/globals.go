package render

import (
	"fmt"

	"github.com/momtree/mom/salt/jinja"
)

func init() {
	saltGlobals["raise"] = &jinja.Func{Name: "jinja_raise", Call: func(r *jinja.Run, a *jinja.Args) any {
		fail("%s", r.Str(a.Bind("jinja_raise", 1, "msg").Any(0, nil)))
		return nil
	}}
	saltGlobals["odict"] = &jinja.Func{Name: "OrderedDict", Call: func(r *jinja.Run, a *jinja.Args) any {
		return r.Dict(a).SetOrdered()
	}}
	saltGlobals["ifelse"] = &jinja.Func{Name: "ifelse", Call: ifelse}
	saltGlobals["show_full_context"] = &jinja.Func{Name: "show_full_context", Call: func(r *jinja.Run, a *jinja.Args) any {
		a.Bind("show_full_context", 0, "")
		out := jinja.NewDict()
		vars := r.Visible()
		for _, name := range sortedNames(vars) {
			r.Set(out, name, simple(r, jinja.Take(vars[name]), 0))
		}
		return out
	}}
}

// simple keeps plain data and replaces other values by their names.
func simple(r *jinja.Run, v any, depth int) any {
	if depth > 200 {
		fail("values are nested more than 200 deep")
	}
	r.Walk(2)
	switch v := v.(type) {
	case nil, bool, int64, float64, string:
		return v
	case *jinja.List:
		out := &jinja.List{}
		for _, e := range v.Items {
			r.Append(out, simple(r, e, depth+1))
		}
		return out
	case jinja.Tuple:
		out := &jinja.List{}
		for _, e := range v {
			r.Append(out, simple(r, e, depth+1))
		}
		return out
	case *jinja.Dict:
		out := jinja.NewDict()
		v.Range(func(k, e any) bool { r.Set(out, k, simple(r, e, depth+1)); return true })
		return out
	}
	return r.Repr(v)
}

// ifelse returns the value after the first condition that holds, else the last value. A
// condition is True, False, or a target such as 'web*' or 'G@os:Debian'.
func ifelse(r *jinja.Run, a *jinja.Args) any {
	for _, k := range a.Keywords().Keys() {
		if k != "tgt_type" && k != "minion_id" && k != "merge" && k != "merge_lists" {
			fail("ifelse() got an unexpected keyword argument '%s'", k)
		}
	}
	if len(a.Pos)%2 == 0 {
		fail("The ifelse function must have an odd number of arguments!")
	}
	pairs := jinja.NewDict()
	for i := 0; i+1 < len(a.Pos); i += 2 {
		r.Set(pairs, a.Pos[i], a.Pos[i+1])
	}
	kind := "compound"
	if t, ok := a.Keyword("tgt_type"); ok {
		kind = r.Str(t)
	}
	opts := r.Var("opts")
	id, _ := jinja.GetKey(opts, "id")
	if given, ok := a.Keyword("minion_id"); ok && given != nil {
		id = given
	}
	for _, k := range pairs.Keys() {
		hit, isBool := k.(bool)
		if !isBool {
			hit = holds(r, k, kind, id)
		}
		if !hit {
			continue
		}
		v, _ := r.Get(pairs, k)
		if m, ok := a.Keyword("merge"); ok && m != nil && jinja.Truth(m) {
			md, ok := m.(*jinja.Dict)
			if !ok {
				fail("filter_by merge argument must be a dictionary.")
			}
			if v == nil {
				return md
			}
			lists, _ := a.Keyword("merge_lists")
			update(r, wantDict(v, "ifelse"), r.DeepCopy(md).(*jinja.Dict), true, lists != nil && jinja.Truth(lists), 0)
		}
		return v
	}
	return a.Pos[len(a.Pos)-1]
}

// holds reports whether a target matches the minion of the template.
func holds(r *jinja.Run, k any, kind string, id any) bool {
	expr, ok := k.(string)
	if !ok {
		fail("ifelse: a condition is True, False or a target, not %s", jinja.TypeName(k))
	}
	hit, err := matchTarget(r, expr, kind, fmt.Sprint(id), r.Var("grains"), r.Var("pillar"))
	if err != nil {
		fail("ifelse: %v", err)
	}
	return hit
}
