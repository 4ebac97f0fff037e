package states

import (
	"fmt"
	"strings"

	"github.com/momtree/mom/value"
)

// takeExtend moves the key extend of an SLS to the list of extensions.
func takeExtend(state *value.Map, sls, env string) (errs []string) {
	v, ok := state.Get("extend")
	if !ok {
		return nil
	}
	state.Delete("extend")
	ext, ok := v.(*value.Map)
	if !ok {
		return []string{fmt.Sprintf("Extension value in SLS '%s' is not a dictionary", sls)}
	}
	for _, name := range ext.Keys() {
		v, _ := ext.GetKey(name)
		body, ok := v.(*value.Map)
		if !ok {
			errs = append(errs, fmt.Sprintf("Extension name '%s' in SLS '%s' is not a dictionary", str(name), sls))
			continue
		}
		stamp(body, sls, env)
		for _, key := range body.Keys() {
			splitFunction(body, key, nil)
		}
	}
	appendTo(state, "__extend__", ext)
	return errs
}

// takeExclude moves the key exclude of an SLS to the list of excluded states.
func takeExclude(state *value.Map, sls string) []string {
	v, ok := state.Get("exclude")
	if !ok {
		return nil
	}
	state.Delete("exclude")
	list, ok := v.([]any)
	if !ok {
		return []string{fmt.Sprintf("Exclude Declaration in SLS %s is not formed as a list", sls)}
	}
	appendTo(state, "__exclude__", list...)
	return nil
}

// stamp records the origin of a state in it.
func stamp(body *value.Map, sls, env string) {
	if !body.Has("__sls__") {
		body.Set("__sls__", sls)
	}
	if !body.Has("__env__") {
		body.Set("__env__", env)
	}
}

// splitFunction converts the key "file.managed" of a state to "file" with the function
// among its arguments. It fails if seen has the module already.
func splitFunction(body *value.Map, key any, seen map[string]bool) (ok bool) {
	name, text := key.(string)
	if !text || strings.HasPrefix(name, "_") {
		return true
	}
	v, _ := body.Get(name)
	args, list := v.([]any)
	if !list {
		return true
	}
	module, fun, dotted := strings.Cut(name, ".")
	if !dotted {
		if seen != nil {
			seen[name] = true
		}
		return true
	}
	if seen[module] {
		return false
	}
	fun, _, _ = strings.Cut(fun, ".")
	body.Delete(name)
	body.Set(module, append(args[:len(args):len(args)], fun))
	if seen != nil {
		seen[module] = true
	}
	return true
}

// declare normalizes the states of an SLS and records their origin.
func declare(state *value.Map, sls, env string) (errs []string) {
	for _, name := range state.Keys() {
		v, _ := state.GetKey(name)
		body, ok := v.(*value.Map)
		if !ok {
			if name == "__extend__" || name == "__exclude__" {
				continue
			}
			if short, text := v.(string); text && strings.Contains(short, ".") {
				parts := strings.Split(short, ".")
				state.Set(name, value.NewMap("__sls__", sls, "__env__", env, parts[0], []any{parts[1]}))
				continue
			}
			errs = append(errs, fmt.Sprintf("ID %s in SLS %s is not a dictionary", str(name), sls))
			continue
		}
		seen := map[string]bool{}
		for _, key := range body.Keys() {
			if _, text := key.(string); !text {
				errs = append(errs, fmt.Sprintf("ID '%s' in SLS '%s' has a state declaration that is not a string: %s", str(name), sls, str(key)))
				body.Delete(key)
				continue
			}
			if !splitFunction(body, key, seen) {
				errs = append(errs, fmt.Sprintf("ID '%s' in SLS '%s' contains multiple state declarations of the same type", str(name), sls))
			}
		}
		stamp(body, sls, env)
	}
	return errs
}

// number gives each state without an order the next one.
func (r *Run) number(state *value.Map) {
	state.Range(func(_, v any) bool {
		body := mapOf(v)
		for _, key := range body.Keys() {
			name, _ := key.(string)
			args, ok := mustList(body, key)
			if !ok || strings.HasPrefix(name, "_") || hasOption(args, "order") {
				continue
			}
			body.Set(key, append(args, value.NewMap("order", r.rorder)))
			r.rorder++
		}
		return true
	})
}

func mustList(m *value.Map, key any) ([]any, bool) {
	v, _ := m.GetKey(key)
	l, ok := v.([]any)
	return l, ok
}

// hasOption reports whether the arguments of a state include a name.
func hasOption(args []any, name string) bool {
	for _, a := range args {
		if key, _, ok := first(mapOf(a)); ok && key == name {
			return true
		}
	}
	return false
}

// mergeStates merges state into high. IDs that are in both, and differ, are errors.
func mergeStates(high, state *value.Map) (errs []string) {
	for _, key := range []string{"__extend__", "__exclude__"} {
		if v, ok := state.Get(key); ok {
			appendTo(high, key, listOf(v)...)
			state.Delete(key)
		}
	}
	state.Range(func(id, body any) bool {
		if old, there := high.GetKey(id); there && !same(old, body) {
			a, b := mapOf(old), mapOf(body)
			errs = append(errs, fmt.Sprintf("Detected conflicting IDs, SLS IDs need to be globally unique.\n"+
				"    The conflicting ID is '%s' and is found in SLS '%s:%s' and SLS '%s:%s'",
				str(id), a.String("__env__"), a.String("__sls__"), b.String("__env__"), b.String("__sls__")))
		}
		high.Set(id, body)
		return true
	})
	return errs
}

// cleanExtends removes duplicate extensions.
func cleanExtends(high *value.Map) {
	list, ok := high.Get("__extend__")
	if !ok {
		return
	}
	out := []any{}
	for _, ext := range listOf(list) {
		mapOf(ext).Range(func(id, body any) bool {
			if m := value.NewMap(id, body); !has(out, m) {
				out = append(out, m)
			}
			return true
		})
	}
	high.Set("__extend__", out)
}
