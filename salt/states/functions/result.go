package functions

import (
	"fmt"

	"github.com/momtree/mom/salt/modules"
	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

// good returns a result of true.
func good(name, comment string) *states.Result {
	return &states.Result{Name: name, Result: true, Comment: comment, Changes: value.NewMap()}
}

// bad returns a result of false.
func bad(name, format string, a ...any) *states.Result {
	comment := format
	if len(a) > 0 {
		comment = fmt.Sprintf(format, a...)
	}
	return &states.Result{Name: name, Result: false, Comment: comment, Changes: value.NewMap()}
}

// would returns the result of a state that would change something (test=True).
func would(name, comment string, changes *value.Map) *states.Result {
	if changes == nil {
		changes = value.NewMap()
	}
	return &states.Result{Name: name, Comment: comment, Changes: changes}
}

// args declares arguments: the required ones, followed by alternating names and defaults of
// the others.
func args(required []string, optional ...any) []states.Arg {
	out := make([]states.Arg, 0, len(required)+len(optional)/2)
	for _, name := range required {
		out = append(out, states.Arg{Name: name, Required: true})
	}
	for i := 0; i < len(optional); i += 2 {
		out = append(out, states.Arg{Name: optional[i].(string), Default: optional[i+1]})
	}
	return out
}

var onlyName = []string{"name"}

func pystr(v any) string { return modules.PyStr(v) }

// get returns the value of a key, or nil.
func get(m *value.Map, key string) any {
	v, _ := m.Get(key)
	return v
}
