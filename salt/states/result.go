package states

import (
	"strings"

	"github.com/momtree/mom/value"
)

// succeeded reports whether no state failed, or an onfail of another state handles each
// failure. As in Salt, a run without states is a failure.
func succeeded(results, high *value.Map) bool {
	if results.Len() == 0 {
		return false
	}
	good := true
	results.Range(func(tag, v any) bool {
		if r, ok := mapOf(v).Get("result"); ok && r == false {
			good = answered(str(tag), results, high)
		}
		return good
	})
	return good
}

// answered reports whether a failed state is handled: by states with onfail_stop False that
// name it in their onfail and succeeded. The last of them decides.
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

// handles reports whether the onfail of a state names a failed one.
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
