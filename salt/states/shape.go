package states

import (
	"fmt"
	"slices"
	"strings"

	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

// asIterated returns what Python iterates over in the value of a requisite: the elements of
// a list, the keys of a map, the characters of a string. It returns nil for other values.
func asIterated(v any) []any {
	switch v := v.(type) {
	case []any:
		return v
	case *value.Map:
		return v.Keys()
	case string:
		out := make([]any, 0, len(v))
		for _, c := range v {
			out = append(out, string(c))
		}
		return out
	}
	return nil
}

// lookedUp are the requisites whose form Salt does not check. A map or a string in place of
// the list names its keys or characters, which are then not found.
var lookedUp = []string{"require_any", "watch_any", "onfail", "onfail_any", "onfail_all", "onchanges_any"}

// turnedRound are the requisites that change other states.
var turnedRound = []string{"require_in", "watch_in", "onfail_in", "onchanges_in", "prereq_in", "use", "use_in"}

// shape checks the form of a requisite for faults on which Salt fails with a traceback, or
// which it ignores silently: a state never loses a requisite of its file.
func (v *verifier) shape(id any, sls, kind string, val any) {
	switch {
	case slices.Contains(lookedUp, kind):
		switch val := val.(type) {
		case nil, *value.Map, string:
			return
		case []any:
			v.items(sls, kind, val)
			return
		}
	case slices.Contains(turnedRound, kind):
		switch val := val.(type) {
		case nil, *value.Map:
			return
		case []any:
			v.items(sls, kind, val)
			return
		}
	case kind == "listen" || kind == "listen_in":
		if list, ok := val.([]any); ok {
			v.items(sls, kind, list)
			return
		}
		if m, ok := val.(*value.Map); ok && m.Len() == 0 {
			return
		}
	default:
		return
	}
	v.errorf("The %s statement in state '%s' in SLS '%s' needs to be formed as a list", kind, str(id), sls)
}

// items checks each element of a list of requisites.
func (v *verifier) items(sls, kind string, list []any) {
	for _, req := range list {
		m, isMap := req.(*value.Map)
		_, isText := req.(string)
		switch {
		case isText && kind != "listen_in", isMap && m.Len() > 0 && !strings.HasPrefix(kind, "listen"):
			continue
		case isMap && m.Len() > 0:
			m.Range(func(_, to any) bool {
				v.hashable(to)
				return true
			})
			continue
		}
		v.errorf("Requisite declaration %s in SLS %s is not formed as a single key dictionary", pyfmt.OrderedStr(req), sls)
	}
}

// hashable rejects values that cannot name a state.
func (v *verifier) hashable(to any) bool {
	switch to.(type) {
	case []any, []byte, *value.Map:
		v.errorf("%s", illegal(to))
		return false
	}
	return true
}

// illegal returns Salt's message about a requisite that names a list or a map.
func illegal(to any) string {
	return fmt.Sprintf("Illegal requisite \"%s\", please check your syntax.\n", pyfmt.OrderedStr(to))
}
