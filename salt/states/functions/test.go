package functions

import (
	"context"
	"math/rand/v2"
	"strings"

	"github.com/momtree/mom/salt/pyfmt"

	"github.com/momtree/mom/salt/modules"
	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

func init() {
	any := states.Spec{Args: args(onlyName), VarKw: true}
	Register("test",
		Function{Name: "nop", Spec: any, Run: func(_ context.Context, c *Call) (*states.Result, error) { return good(c.Name(), "Success!"), nil }, Doc: "Is always true and changes nothing, whatever its arguments.\n"},
		Function{Name: "succeed_without_changes", Spec: any, Run: testSucceed, Doc: "Is always true and changes nothing.\n\ncomment\n    What it says instead of Success!\n"},
		Function{Name: "fail_without_changes", Spec: any, Run: testFail, Doc: "Always fails and changes nothing.\n\ncomment\n    What it says instead of Failure!\n"},
		Function{Name: "succeed_with_changes", Spec: any, Run: testChange, Doc: "Is always true and pretends a change.\n\ncomment\n    What it says instead of Success!\n"},
		Function{Name: "fail_with_changes", Spec: any, Run: testFailChange, Doc: "Always fails and pretends a change.\n\ncomment\n    What it says instead of Failure!\n"},
		Function{
			Name: "configurable_test_state", Spec: states.Spec{Args: args(onlyName, "changes", true, "result", true, "comment", "", "warnings", nil)},
			Run: testConfigurable, Doc: `
Returns the given result.

changes : True
    Whether it pretends a change: True, False or Random.
result : True
    True, False or Random.
comment, warnings
    What it says.
`,
		},
		Function{
			Name: "show_notification", Spec: states.Spec{Args: args(onlyName, "text", nil), VarKw: true}, Run: testNotify,
			Doc: "Says a text (text) and is true.\n",
		},
		Function{
			Name: "check_pillar", Run: testPillar, Doc: `
Fails unless the pillar has keys, and values of some type.

present, boolean, integer, string, listing, dictionary
    Names of pillar keys: one, or a list.
verbose : False
    Says also which keys are right.
`,
			Spec: states.Spec{Args: args(onlyName, "present", nil, "boolean", nil, "integer", nil, "string", nil, "listing", nil, "dictionary", nil, "verbose", false)},
		},
		Function{Name: "mod_watch", Spec: states.Spec{Args: args(onlyName, "sfun", nil), VarKw: true}, Run: testWatch, Doc: "Says which of the states watched have changed.\n"},
	)
}

func comment(c *Call, fallback string) string {
	if v, ok := c.Kwargs.Get("comment"); ok {
		return pystr(v)
	}
	return fallback
}

func pretended() *value.Map {
	return value.NewMap("testing", value.NewMap("old", "Unchanged", "new", "Something pretended to change"))
}

func testSucceed(_ context.Context, c *Call) (*states.Result, error) {
	return good(c.Name(), comment(c, "Success!")), nil
}

func testFail(_ context.Context, c *Call) (*states.Result, error) {
	res := bad(c.Name(), "%s", comment(c, "Failure!"))
	if c.Test {
		res.Comment = "If we weren't testing, this would be a failure!"
	}
	return res, nil
}

func testChange(_ context.Context, c *Call) (*states.Result, error) {
	res := good(c.Name(), comment(c, "Success!"))
	res.Changes = pretended()
	if c.Test {
		res.Result, res.Comment = nil, "If we weren't testing, this would be successful with changes"
	}
	return res, nil
}

func testFailChange(_ context.Context, c *Call) (*states.Result, error) {
	res := bad(c.Name(), "%s", comment(c, "Failure!"))
	res.Changes = pretended()
	if c.Test {
		res.Result, res.Comment = nil, "If we weren't testing, this would be failed with changes"
	}
	return res, nil
}

// chance evaluates an option that is True, False or Random.
func chance(c *Call, name string) (bool, error) {
	v := c.Value(name)
	if b, ok := v.(bool); ok {
		return b, nil
	}
	if strings.EqualFold(pystr(v), "random") {
		return rand.IntN(2) == 0, nil
	}
	return false, &modules.InvocationError{Msg: "You have specified the state option '" + name +
		"' with invalid arguments. It must be either True, False, or 'Random'"}
}

func testConfigurable(_ context.Context, c *Call) (*states.Result, error) {
	changed, err := chance(c, "changes")
	if err != nil {
		return nil, err
	}
	ok, err := chance(c, "result")
	if err != nil {
		return nil, err
	}
	res := &states.Result{Name: c.Name(), Result: ok, Comment: pystr(c.Value("comment"))}
	if changed {
		res.Changes = pretended()
	}
	switch w := c.Value("warnings").(type) {
	case nil:
	case string:
		res.Warnings = []string{w}
	case []any:
		for _, e := range w {
			res.Warnings = append(res.Warnings, pystr(e))
		}
	default:
		return nil, &modules.InvocationError{Msg: "You have specified the state option 'warnings' with invalid arguments. It must be a string or a list of strings"}
	}
	if c.Test {
		res.Result = nil
		if c.Value("changes") == false {
			res.Result = true
		}
		if res.Comment == "" {
			res.Comment = "This is a test"
		}
	}
	return res, nil
}

func testNotify(_ context.Context, c *Call) (*states.Result, error) {
	if !c.Truth("text") {
		return nil, &modules.InvocationError{Msg: "Missing required argument text."}
	}
	return good(c.Name(), pystr(c.Value("text"))), nil
}

// pillarKinds are the types of test.check_pillar, with Python's names.
var pillarKinds = []struct {
	name, class string
	is          func(v any) bool
}{
	{"present", "", func(any) bool { return true }},
	{"boolean", "<class 'bool'>", func(v any) bool { _, ok := v.(bool); return ok }},
	{"integer", "<class 'int'>", func(v any) bool {
		switch v.(type) {
		case int64, uint64, int, bool:
			return true
		}
		return false
	}},
	{"string", "(<class 'str'>,)", func(v any) bool { _, ok := v.(string); return ok }},
	{"listing", "<class 'list'>", func(v any) bool { _, ok := v.([]any); return ok }},
	{"dictionary", "<class 'dict'>", func(v any) bool { _, ok := v.(*value.Map); return ok }},
}

func testPillar(ctx context.Context, c *Call) (*states.Result, error) {
	res := good(c.Name(), "")
	fine, asked := "", false
	for _, kind := range pillarKinds {
		keys, ok := c.Value(kind.name).([]any)
		if s, text := c.Value(kind.name).(string); text {
			keys, ok = []any{s}, true
		}
		if !ok && c.Truth(kind.name) {
			return nil, &modules.ExceptionError{Type: "TypeError", Msg: kind.name + " is neither a text nor a list"}
		}
		for _, key := range keys {
			asked = true
			v, err := c.Module(ctx, "pillar.get", []any{key, nil}, nil)
			if err != nil {
				return nil, err
			}
			switch {
			case v == nil:
				res.Result = false
				res.Comment += "Pillar key \"" + pystr(key) + "\" is missing.\n"
			case !kind.is(v):
				res.Result = false
				res.Comment += "Pillar key \"" + pystr(key) + "\" is not " + kind.class + ".\n"
			default:
				class := kind.class
				if class == "" {
					class = "None"
				}
				fine += "- " + pystr(key) + " (" + class + ")\n"
			}
		}
	}
	if !asked {
		return nil, &modules.InvocationError{Msg: "Missing required argument text."}
	}
	if c.Truth("verbose") && fine != "" {
		res.Comment += "Those keys passed the check:\n" + fine
	}
	return res, nil
}

func testWatch(_ context.Context, c *Call) (*states.Result, error) {
	changed := []any{}
	for _, v := range c.Requisites.List("watch") {
		req, _ := v.(*value.Map)
		res := c.Running.Map(states.Tag(req))
		if pyfmt.Truth(get(res, "changes")) {
			changed = append(changed, pystr(get(req, "state"))+": "+pystr(get(req, "__id__")))
		}
	}
	res := good(c.Name(), comment(c, "Watch statement fired."))
	res.Changes = value.NewMap("Requisites with changes", changed)
	if v, ok := c.Kwargs.Get("result"); ok {
		res.Result = v
	}
	if m, ok := get(c.Kwargs, "changes").(*value.Map); ok {
		res.Changes = m
	}
	return res, nil
}
