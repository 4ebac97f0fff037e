package functions

import (
	"context"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

func init() {
	Register("environ", Function{
		Name: "setenv", Run: environSetenv, Spec: states.Spec{Args: args([]string{"name", "value"}, "false_unsets", false, "clear_all", false,
			"update_minion", false, "permanent", false)}, Doc: `
Manages environment variables of the minion, for the functions and commands that
it runs.

value
    The value of the variable name, or a map of variables. False is the empty
    value; with false_unsets the variable is removed.
clear_all : False
    Empties all others; with false_unsets removes them.
update_minion, permanent
    Ignored: a minion has one environment, and only Windows has a permanent one.

    a_string_env:
      environ.setenv:
        - name: foo
        - value: bar
`,
	})
}

// environment returns the environment variables of the process.
func environment() map[string]string {
	out := map[string]string{}
	for _, kv := range os.Environ() {
		k, v, _ := strings.Cut(kv, "=")
		out[k] = v
	}
	return out
}

func environSetenv(ctx context.Context, c *Call) (*states.Result, error) {
	r := outcome(c)
	v := c.Value("value")
	want, ok := v.(*value.Map)
	if _, text := v.(string); text || v == false {
		want, ok = value.NewMap(c.Name(), v), true
	}
	if !ok {
		return says(r, false, "Environ value must be string, dict or False")
	}
	unset := c.Value("false_unsets") == true
	has := environment()
	if c.Value("clear_all") == true {
		for _, k := range slices.Sorted(maps.Keys(has)) {
			if !want.Has(k) {
				r.Changes.Set(k, emptied(unset))
			}
		}
	}
	want.Range(func(k, v any) bool {
		is, there := has[pystr(k)]
		switch {
		case v == false && unset && !there:
		case v == false && unset:
			r.Changes.Set(k, nil)
		case v == false && (!there || is != ""):
			r.Changes.Set(k, "")
		case v != false && v != any(is):
			r.Changes.Set(k, v)
		}
		return true
	})
	if c.Test {
		// As in Salt, the result stays true.
		if r.Changes.Len() > 0 {
			return says(r, true, "Environ values will be changed")
		}
		return says(r, true, "Environ values are already set with the correct values")
	}
	if r.Changes.Len() == 0 {
		return says(r, true, "Environ values were already set with the correct values")
	}
	out, err := c.Module(ctx, "environ.setenv", []any{want, c.Value("false_unsets"), c.Value("clear_all"), c.Value("update_minion"), c.Value("permanent")}, nil)
	if err != nil {
		return nil, err
	}
	set, ok := out.(*value.Map)
	if !ok || set.Len() == 0 {
		r.Changes = value.NewMap()
		return says(r, false, "Failed to set environ variables")
	}
	r.Changes = set
	return says(r, true, "Environ values were set")
}

func emptied(unset bool) any {
	if unset {
		return nil
	}
	return ""
}
