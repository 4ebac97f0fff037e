package states

import (
	"context"
	"os"
	"strings"

	core "github.com/momtree/mom/internal/states"
	"github.com/momtree/mom/value"
)

func init() {
	Register("environ", Function{
		Name: "setenv", Run: environSetenv,
		Spec: core.Spec{Args: args([]string{"name", "value"}, "false_unsets", false, "clear_all", false, "update_minion", false, "permanent", false)}, Doc: `
Sets environment variables of the minion.

value
    The text of the variable name, or a map of several. False empties one, or removes
    it with false_unsets.
clear_all : False
    Removes all others.
`,
	})
}

func environSetenv(ctx context.Context, c *Call) (*core.Result, error) {
	res := good(c.Name(), "")
	if c.Truth("permanent") {
		return bad(c.Name(), "permanent is for Windows alone: leave it out"), nil
	}
	var want *value.Map
	switch v := c.Value("value").(type) {
	case *value.Map:
		want = v
	case string:
		want = value.NewMap(c.Name(), v)
	case bool:
		if !v {
			want = value.NewMap(c.Name(), false)
		}
	}
	if want == nil {
		return bad(c.Name(), "Environ value must be string, dict or False"), nil
	}
	empty := any("")
	if c.Value("false_unsets") == true {
		empty = nil
	}
	if c.Value("clear_all") == true {
		for _, kv := range os.Environ() {
			if key, _, _ := strings.Cut(kv, "="); !want.Has(key) {
				res.Changes.Set(key, empty)
			}
		}
	}
	want.Range(func(k, v any) bool {
		key := pystr(k)
		now, there := os.LookupEnv(key)
		switch {
		case v == false && empty == nil:
			if there {
				res.Changes.Set(key, nil)
			}
		case v == false:
			if !there || now != "" {
				res.Changes.Set(key, "")
			}
		case pystr(v) != now:
			res.Changes.Set(key, v)
		}
		return true
	})
	switch {
	case c.Test && res.Changes.Len() > 0:
		res.Comment = "Environ values will be changed"
	case c.Test:
		res.Comment = "Environ values are already set with the correct values"
	case res.Changes.Len() == 0:
		res.Comment = "Environ values were already set with the correct values"
	default:
		v, err := c.Module(ctx, "environ.setenv", []any{want, c.Value("false_unsets"), c.Value("clear_all"), c.Value("update_minion")}, nil)
		if err != nil {
			return nil, err
		}
		m, ok := v.(*value.Map)
		if !ok || m.Len() == 0 {
			return bad(c.Name(), "Failed to set environ variables"), nil
		}
		res.Changes, res.Comment = m, "Environ values were set"
	}
	return res, nil
}
