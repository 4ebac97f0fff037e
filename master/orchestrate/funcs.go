package orchestrate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/momtree/mom/salt/pyfmt"

	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

// funcs holds the state functions of one run.
type funcs struct {
	asked
	jid string
}

// function is one of them.
type function struct {
	spec states.Spec
	run  func(f *funcs, ctx context.Context, c *states.Call) (*states.Result, error)
}

func args(required string, optional ...any) (out []states.Arg) {
	for n := range strings.FieldsSeq(required) {
		out = append(out, states.Arg{Name: n, Required: true})
	}
	for i := 0; i+1 < len(optional); i += 2 {
		out = append(out, states.Arg{Name: optional[i].(string), Default: optional[i+1]})
	}
	return out
}

var table map[string]function

func init() {
	table = map[string]function{
		"salt.state": {states.Spec{VarKw: true, Args: args("name tgt", "ssh", false, "tgt_type", "glob", "ret", "", "ret_config", nil, "ret_kwargs", nil,
			"highstate", nil, "sls", nil, "top", nil, "saltenv", nil, "test", nil, "pillar", nil, "pillarenv", nil, "expect_minions", true, "exclude", nil,
			"fail_minions", nil, "allow_fail", int64(0), "concurrent", false, "timeout", nil, "batch", nil, "queue", false, "subset", nil, "orchestration_jid", nil, "failhard", nil)}, (*funcs).state},
		"salt.function": {states.Spec{VarKw: true, Args: args("name tgt", "ssh", false, "tgt_type", "glob", "ret", "", "ret_config", nil, "ret_kwargs", nil,
			"expect_minions", false, "fail_minions", nil, "fail_function", nil, "arg", nil, "kwarg", nil, "timeout", nil, "batch", nil, "subset", nil, "failhard", nil)}, (*funcs).function},
		"salt.runner":                  {states.Spec{VarKw: true, Args: args("name")}, (*funcs).runner},
		"salt.wheel":                   {states.Spec{VarKw: true, Args: args("name")}, (*funcs).wheel},
		"salt.parallel_runners":        {states.Spec{VarKw: true, Args: args("name runners")}, (*funcs).parallel},
		"salt.wait_for_event":          {states.Spec{Args: args("name id_list", "event_id", "id", "timeout", int64(300), "node", "master")}, (*funcs).waitForEvent},
		"test.nop":                     {states.Spec{VarKw: true, Args: args("name")}, always(true, "Success!", false)},
		"test.succeed_without_changes": {states.Spec{VarKw: true, Args: args("name")}, always(true, "Success!", false)},
		"test.succeed_with_changes":    {states.Spec{VarKw: true, Args: args("name")}, always(true, "Success!", true)},
		"test.fail_without_changes":    {states.Spec{VarKw: true, Args: args("name")}, always(false, "Failure!", false)},
		"test.fail_with_changes":       {states.Spec{VarKw: true, Args: args("name")}, always(false, "Failure!", true)},
	}
}

// Has reports whether a master runs a state function.
func Has(name string) bool {
	_, ok := table[name]
	return ok
}

// Refused lists the arguments of salt.state and salt.function that are refused.
func Refused() []string { return append(slices.Clone(notServed), "fail_function") }

// Spec returns the arguments of a function.
func (f *funcs) Spec(name string) (states.Spec, bool) {
	x, ok := table[name]
	return x.spec, ok
}

// Run calls a function.
func (f *funcs) Run(ctx context.Context, c *states.Call) (*states.Result, error) {
	return table[c.Fun].run(f, ctx, c)
}

// Missing returns why a function does not exist.
func (f *funcs) Missing(name string) string {
	if module, _, _ := strings.Cut(name, "."); module == "salt" || module == "test" {
		return fmt.Sprintf("'%s' is not available.", name)
	}
	return fmt.Sprintf("'%s' is not available: a master runs the states of salt.* and test.*; use salt.state for the minion beside it.", name)
}

// always returns a state function of the module test.
func always(result bool, comment string, changes bool) func(*funcs, context.Context, *states.Call) (*states.Result, error) {
	return func(_ *funcs, _ context.Context, c *states.Call) (*states.Result, error) {
		r := &states.Result{Name: c.Name(), Result: result, Comment: comment}
		if changes {
			r.Changes = value.NewMap("testing", value.NewMap("old", "Unchanged", "new", "Something pretended to change"))
		}
		if c.Test && (changes || !result) {
			r.Result, r.Comment = nil, "If we weren't testing, this would be a "+strings.ToLower(strings.TrimSuffix(comment, "!"))+"!"
			if !changes {
				r.Result = false
			}
		}
		return r, nil
	}
}

// test reports whether a state only describes its effect.
func (f *funcs) test(c *states.Call) bool { return c.Test }

// refused returns an error text for arguments that are set and not supported.
func refused(c *states.Call, names ...string) string {
	for _, n := range names {
		if pyfmt.Truth(c.Value(n)) {
			return fmt.Sprintf("%s=%v is not served by this master: take it out of %s", n, c.Value(n), c.Fun)
		}
	}
	return ""
}

func failed(c *states.Call, comment string) *states.Result {
	return &states.Result{Name: c.Name(), Result: false, Comment: comment}
}

// list parses a list or comma-separated text; ok is false for anything else but nil.
func list(v any) (out []string, ok bool) {
	switch v := v.(type) {
	case nil:
		return nil, true
	case string, []any:
		return slices.Clip(names(v)), true
	}
	return nil, false
}
