package reactor

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

// low is one reaction: state (its type), fun, __id__, __sls__, and the fields of the file.
type low struct{ *value.Map }

func (l low) id() string   { return l.String("__id__") }
func (l low) kind() string { return l.String("state") }
func (l low) fun() string  { return l.String("fun") }

// pad splits local.test.ping: […] into local: […, test.ping].
func pad(high *value.Map) *value.Map {
	out := value.NewMap()
	high.Range(func(id, body any) bool {
		switch b := body.(type) {
		case string:
			if kind, fun, ok := strings.Cut(b, "."); ok {
				body = value.NewMap(kind, []any{fun})
			}
		case *value.Map:
			body = padBody(b)
		}
		out.Set(id, body)
		return true
	})
	return out
}

func padBody(body *value.Map) *value.Map {
	out := value.NewMap()
	body.Range(func(key, val any) bool {
		name, _ := key.(string)
		list, ok := val.([]any)
		kind, fun, dotted := strings.Cut(name, ".")
		if !ok || !dotted || strings.HasPrefix(name, "_") || out.Has(kind) {
			out.Set(key, val)
			return true
		}
		out.Set(kind, append(slices.Clone(list), fun))
		return true
	})
	return out
}

// verify returns the faults in the form of high, in Salt's words.
func verify(high *value.Map) (faults []string) {
	high.Range(func(id, body any) bool {
		name, ok := id.(string)
		m, isMap := body.(*value.Map)
		switch {
		case ok && strings.HasPrefix(name, "__"):
		case !ok:
			faults = append(faults, fmt.Sprintf("ID '%s' in SLS '%s' is not formed as a string", pyfmt.Str(id), m.String("__sls__")))
		case !isMap:
			faults = append(faults, fmt.Sprintf("The type %s in %s is not formatted as a dictionary", name, pyfmt.Str(body)))
		default:
			faults = append(faults, verifyBody(name, m)...)
		}
		return true
	})
	return faults
}

func verifyBody(id string, body *value.Map) (faults []string) {
	sls := body.String("__sls__")
	body.Range(func(key, val any) bool {
		kind := pyfmt.Str(key)
		if strings.HasPrefix(kind, "__") {
			return true
		}
		list, ok := val.([]any)
		if !ok {
			faults = append(faults, fmt.Sprintf("State '%s' in SLS '%s' is not formed as a list", id, sls))
			return true
		}
		funs := strings.Count(kind, ".")
		for _, arg := range list {
			fun, ok := arg.(string)
			if !ok {
				continue
			}
			if funs++; strings.Contains(strings.TrimSpace(fun), " ") {
				faults = append(faults, fmt.Sprintf(`The function "%s" in state "%s" in SLS "%s" has whitespace, a function with whitespace is not supported, perhaps this is an argument that is missing a ":"`, fun, id, sls))
			}
		}
		switch {
		case funs == 0:
			faults = append(faults, fmt.Sprintf("No function declared in state '%s' in SLS '%s'", kind, sls))
		case funs > 1:
			faults = append(faults, fmt.Sprintf("Too many functions declared in state '%s' in SLS '%s'", kind, sls))
		}
		return true
	})
	return faults
}

// maxLows limits the reactions to one event.
const maxLows = 10_000

// compile converts valid high data to reactions, in Salt's order: by order, type, name and
// function.
func compile(high *value.Map) (out []low) {
	high.Range(func(id, body any) bool {
		m, ok := body.(*value.Map)
		if !ok {
			return true
		}
		m.Range(func(key, val any) bool {
			kind := pyfmt.Str(key)
			list, ok := val.([]any)
			if !ok || strings.HasPrefix(kind, "__") || len(out) == maxLows {
				return true
			}
			l := value.NewMap("state", kind, "name", id, "__sls__", m.String("__sls__"), fromKey, m.String(fromKey), "__id__", id)
			for _, arg := range list {
				switch arg := arg.(type) {
				case string:
					l.Set("fun", arg)
				case *value.Map:
					arg.Range(func(k, v any) bool {
						l.Set(k, v)
						return true
					})
				}
			}
			out = append(out, low{l})
			return true
		})
		return true
	})
	sorted(out)
	return out
}

func sorted(lows []low) {
	top := 1.0
	for _, l := range lows {
		if n, ok := l.value("order").(int64); ok && n > 0 && float64(n) > top-1 {
			top = float64(n) + 100
		}
	}
	at := func(l low) float64 {
		switch v := l.value("order").(type) {
		case nil:
			return top
		case string:
			switch v {
			case "last":
				return top + 1e6
			case "first":
				return 0
			}
			return top
		default:
			n, _ := pyfmt.Number(v)
			if n < 0 {
				n += top + 1e6
			}
			return n
		}
	}
	slices.SortStableFunc(lows, func(a, b low) int {
		return cmp.Or(cmp.Compare(at(a), at(b)), cmp.Compare(a.word(), b.word()))
	})
}

// value returns a field, or nil if absent.
func (l low) value(name string) any {
	v, _ := l.Get(name)
	return v
}

// word is the sort key of reactions with equal order.
func (l low) word() string { return l.kind() + pyfmt.Str(l.value("name")) + l.fun() }
