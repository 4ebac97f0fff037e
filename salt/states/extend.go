package states

import (
	"fmt"
	"slices"

	"github.com/momtree/mom/value"
)

// requisites are the arguments that name other states. extend appends to them instead of
// replacing them.
var requisites = []string{
	"onchanges", "onchanges_any", "onfail", "onfail_any", "onfail_all", "onfail_stop", "prereq",
	"prerequired", "watch", "watch_any", "require", "require_any", "listen",
}

// findName finds the states that a requisite names: by ID, by SLS, or by the value of an
// argument. If not strict, any state of that ID matches.
func findName(name any, module string, high *value.Map, strict bool) (ids []any, modules []string) {
	if body, ok := high.GetKey(name); ok && (!strict || mapOf(body).Has(module)) {
		return []any{name}, []string{module}
	}
	high.Range(func(id, b any) bool {
		body := mapOf(b)
		if module == "sls" {
			if body.Has("__sls__") && same(name, body.String("__sls__")) {
				for _, k := range body.Keys() {
					ids, modules = append(ids, id), append(modules, str(k))
					break
				}
			}
			return true
		}
		for _, a := range body.List(module) {
			m := mapOf(a)
			if m.Len() != 1 {
				continue
			}
			if _, v, _ := first(m); same(v, name) {
				ids, modules = append(ids, id), append(modules, module)
			}
		}
		return true
	})
	return ids, modules
}

// applyExtend merges the extensions in __extend__ into the states they extend.
func applyExtend(high *value.Map, strict bool) (errs []string) {
	list, ok := high.Get("__extend__")
	if !ok {
		return nil
	}
	high.Delete("__extend__")
	var excluded []string
	for _, e := range high.List("__exclude__") {
		if s, ok := e.(string); ok {
			excluded = append(excluded, s)
		} else if s := mapOf(e).String("sls"); s != "" {
			excluded = append(excluded, s)
		}
	}
	for _, ext := range listOf(list) {
		mapOf(ext).Range(func(id, b any) bool {
			body, ok := b.(*value.Map)
			if !ok {
				return true // reported when the SLS was read
			}
			errs = append(errs, extendOne(high, id, body, strict, excluded)...)
			return true
		})
	}
	return errs
}

func extendOne(high *value.Map, id any, body *value.Map, strict bool, excluded []string) []string {
	module := ""
	for _, k := range body.Keys() {
		if !hidden(k) {
			module = str(k)
			break
		}
	}
	old, there := high.GetKey(id)
	if !there || !mapOf(old).Has(module) {
		ids, _ := findName(id, module, high, strict)
		if len(ids) != 1 || module == "" {
			env, sls := "base", "base"
			if body.Has("__env__") {
				env = body.String("__env__")
			}
			if body.Has("__sls__") {
				sls = body.String("__sls__")
			}
			return []string{fmt.Sprintf("Cannot extend ID '%[1]s' in '%[2]s:%[3]s'. It is not part of the high state.\n"+
				"This is likely due to a missing include statement or an incorrectly typed ID.\nEnsure that a state with an ID of '%[1]s' is available\n"+
				"in environment '%[2]s' and to SLS '%[3]s'", str(id), env, sls)}
		}
		id = ids[0]
	}
	if sls := body.String("__sls__"); sls != "" && slices.Contains(excluded, sls) {
		return nil
	}
	v, _ := high.GetKey(id)
	into, ok := v.(*value.Map)
	if !ok {
		return nil // reported by VerifyHigh
	}
	body.Range(func(k, run any) bool {
		if hidden(k) {
			return true
		}
		args, isList := mustList(into, k)
		more, moreIsList := run.([]any)
		switch {
		case !isList || !moreIsList:
			if _, there := into.GetKey(k); !there {
				into.Set(k, run)
			}
		default:
			into.Set(k, extendArgs(args, more))
		}
		return true
	})
	return nil
}

// extendArgs merges the arguments more over args: a function replaces the function, a
// requisite is appended, any other argument replaces that of its name.
func extendArgs(args, more []any) []any {
	args = slices.Clone(args)
	for _, arg := range more {
		update := false
		for i, val := range args {
			if _, ok := arg.(string); ok {
				if _, ok := val.(string); ok {
					args[i], update = arg, true
				}
				continue
			}
			a, b := mapOf(arg), mapOf(val)
			if a.Len() == 0 || b.Len() == 0 {
				continue
			}
			name, added, _ := first(a)
			old, had, _ := first(b)
			if name == old {
				if slices.Contains(requisites, name) {
					merged := b.Clone()
					merged.Set(name, append(slices.Clone(listOf(had)), listOf(added)...))
					args[i] = merged
				} else {
					args[i] = arg
				}
				update = true
			}
			if name == "name" && old == "names" {
				args[i] = arg
			}
		}
		if !update {
			args = append(args, arg)
		}
	}
	return args
}

// applyExclude removes the states in __exclude__ from high.
func applyExclude(high *value.Map) {
	v, ok := high.Get("__exclude__")
	if !ok {
		return
	}
	high.Delete("__exclude__")
	var ids []any
	var sls []string
	for _, e := range listOf(v) {
		switch e := e.(type) {
		case string:
			sls = append(sls, e)
		case *value.Map:
			if e.Len() != 1 {
				continue
			}
			if v, ok := e.Get("sls"); ok {
				sls = append(sls, str(v))
			} else if v, ok := e.Get("id"); ok {
				ids = append(ids, v)
			}
		}
	}
	high.Range(func(id, body any) bool {
		from := mapOf(body).String("__sls__")
		if !hidden(id) && from != "" && slices.ContainsFunc(sls, func(p string) bool { return glob(p, from) }) {
			ids = append(ids, id)
		}
		return true
	})
	for _, id := range ids {
		switch id.(type) {
		case *value.Map, []any:
		default:
			high.Delete(id)
		}
	}
}
