package states

import (
	"strings"

	"github.com/momtree/mom/value"
)

// succeeded tells whether no state failed, or others' onfail deals with each that did.
// No state at all is a failure, as with Salt.
func succeeded(results, high *value.Map) bool {
	if results.Len() == 0 {
		return false
	}
	good := true
	results.Range(func(tag, v any) bool {
		if r, told := mapOf(v).Get("result"); told && r == false {
			good = answered(str(tag), results, high)
		}
		return good
	})
	return good
}

// answered tells whether states with onfail_stop False that name a failed one in their
// onfail have run well: the last of them decides.
func answered(tag string, results, high *value.Map) bool {
	parts := strings.SplitN(tag, "_|-", 4)
	if len(parts) != 4 {
		return false
	}
	module, id := parts[0], parts[1]
	answer := false
	high.Range(func(handler, body any) bool {
		if same(handler, id) {
			return true
		}
		mapOf(body).Range(func(k, args any) bool {
			if hidden(k) || !handles(listOf(args), module, id) {
				return true
			}
			results.Range(func(t, v any) bool {
				if !strings.HasPrefix(str(t), str(k)+"_|-"+str(handler)+"_|-") {
					return true
				}
				result, ok := get(mapOf(v), "result").(bool)
				if ok {
					answer = result
				}
				return !ok || result
			})
			return true
		})
		return true
	})
	return answer
}

// handles tells whether the arguments of a state say that it deals with a failed one.
func handles(args []any, module, id string) bool {
	named, goesOn := false, false
	for _, a := range args {
		m := mapOf(a)
		if v, ok := m.Get("onfail_stop"); ok && v == false {
			goesOn = true
		}
		for _, req := range m.List("onfail") {
			mapOf(req).Range(func(k, to any) bool {
				named = named || same(to, id) && k == module
				return !named
			})
		}
	}
	return named && goesOn
}
