package modules

import (
	"context"
	"os"
	"slices"
	"strings"

	"github.com/momtree/mom/value"
)

func init() {
	key := Arg{Name: "key", Required: true}
	unset := Arg{Name: "false_unsets", Default: false}
	permanent := Arg{Name: "permanent", Default: false}
	const about = `
A minion runs all jobs in one process: variables are set for all of them until
the minion ends. permanent is for minions on Windows, and does nothing here.
`
	Register("environ",
		Function{Name: "items", Run: environItems, Doc: `
Return all variables of the minion's environment.

CLI Example:

    salt '*' environ.items
`},
		Function{Name: "item", Args: []Arg{{Name: "keys", Required: true}, {Name: "default", Default: ""}}, Run: environItem, Doc: `
Return variables of the environment: keys is a name or a list of them, default
is the value of missing ones.

CLI Example:

    salt '*' environ.item foo
    salt '*' environ.item '[foo, baz]' default=None
`},
		Function{Name: "get", Args: []Arg{key, {Name: "default", Default: ""}}, Run: environGet, Doc: `
Return the variable key of the environment, default if it is not set.

CLI Example:

    salt '*' environ.get foo
`},
		Function{Name: "has_value", Args: []Arg{key, {Name: "value"}}, Run: environHas, Doc: `
Report whether the environment has a variable key, and whether it equals value
if given.

CLI Example:

    salt '*' environ.has_value foo
`},
		Function{Name: "setval", Args: []Arg{key, {Name: "val", Required: true}, unset, permanent}, Run: environSetval, Doc: `
Set the variable key of the environment to val. False empties it, or removes it
with false_unsets=True.
` + about + `
CLI Example:

    salt '*' environ.setval foo bar
    salt '*' environ.setval baz val=False false_unsets=True
`},
		Function{Name: "setenv", Args: []Arg{{Name: "environ", Required: true}, unset, {Name: "clear_all", Default: false}, {Name: "update_minion", Default: false}, permanent}, Run: environSetenv, Doc: `
Set variables: environ is a map of names and values. False empties one, or
removes it with false_unsets=True; clear_all=True does that with all others.
update_minion is ignored: the environment is always the minion's own.
` + about + `
CLI Example:

    salt '*' environ.setenv '{"foo": "bar", "baz": "quux"}'
    salt '*' environ.setenv '{"a": "b", "c": False}' false_unsets=True
`},
	)
}

func environItems(context.Context, *Call) (any, error) {
	m := value.NewMap()
	for _, kv := range os.Environ() {
		k, v, _ := strings.Cut(kv, "=")
		m.Set(k, v)
	}
	return m, nil
}

func environItem(_ context.Context, c *Call) (any, error) {
	keys, _ := c.Value("keys").([]any)
	if name, ok := c.Value("keys").(string); ok {
		keys = []any{name}
	}
	m := value.NewMap()
	for _, k := range keys {
		m.Set(PyStr(k), environValue(PyStr(k), c.Value("default")))
	}
	return m, nil
}

func environValue(key string, otherwise any) any {
	if v, ok := os.LookupEnv(key); ok {
		return v
	}
	return otherwise
}

func environGet(_ context.Context, c *Call) (any, error) {
	key, ok := c.Value("key").(string)
	if !ok {
		return false, nil
	}
	return environValue(key, c.Value("default")), nil
}

func environHas(_ context.Context, c *Call) (any, error) {
	key, ok := c.Value("key").(string)
	if !ok {
		return false, nil
	}
	v, there := os.LookupEnv(key)
	return there && (c.Value("value") == nil || c.Value("value") == v), nil
}

// setVariable sets one variable as environ.setval does, and returns its result: False for
// an invalid variable.
func setVariable(key, val any, unset bool) any {
	name, ok := key.(string)
	if !ok {
		return false
	}
	if val == false && unset {
		if os.Unsetenv(name) != nil {
			return false
		}
		return nil
	}
	text, ok := val.(string)
	if val == false {
		text, ok = "", true
	}
	if !ok || os.Setenv(name, text) != nil {
		return false
	}
	return text
}

func environSetval(_ context.Context, c *Call) (any, error) {
	return setVariable(c.Value("key"), c.Value("val"), c.Value("false_unsets") == true), nil
}

func environSetenv(_ context.Context, c *Call) (any, error) {
	m, ok := AsMap(c.Value("environ"))
	if !ok {
		return false, nil
	}
	out, unset := value.NewMap(), c.Value("false_unsets") == true
	good := true
	var names []string
	m.Range(func(k, v any) bool {
		_, text := v.(string)
		good = good && (text || v == false)
		names = append(names, PyStr(k))
		return true
	})
	// All or nothing: Salt stops in the middle, at the first value that is not a string.
	if !good {
		return false, nil
	}
	if c.Value("clear_all") == true {
		for _, kv := range os.Environ() {
			if k, _, _ := strings.Cut(kv, "="); !slices.Contains(names, k) {
				out.Set(k, setVariable(k, false, unset))
			}
		}
	}
	m.Range(func(k, v any) bool {
		out.Set(k, setVariable(k, v, unset && v == false))
		return true
	})
	return out, nil
}
