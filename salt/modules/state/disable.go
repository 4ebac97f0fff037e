package state

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/momtree/mom/salt/modules"
	"github.com/momtree/mom/value"
)

// disabledGrain is the grain that holds the disabled states, as in Salt.
const disabledGrain = "state_runs_disabled"

func init() {
	arg := []modules.Arg{{Name: "states", Required: true}}
	modules.Register("state",
		modules.Function{Name: "disable", Args: arg, Run: disable, Doc: `
Disable SLS names, state functions (globs such as pkg.*) or the word highstate:
runs fail with them until state.enable. They are saved as a grain.

CLI Example:

    salt '*' state.disable highstate,bind.config
`},
		modules.Function{Name: "enable", Args: arg, Run: enable, Doc: `
Enable what state.disable disabled (states).

CLI Example:

    salt '*' state.enable highstate
`},
		modules.Function{Name: "list_disabled", Run: func(_ context.Context, c *modules.Call) (any, error) {
			return listOf(c.Env), nil
		}, Doc: `
Return what state.disable has disabled.

CLI Example:

    salt '*' state.list_disabled
`},
	)
}

func listOf(env modules.Env) []any {
	out := []any{}
	return append(out, env.Grains().List(disabledGrain)...)
}

func disable(ctx context.Context, c *modules.Call) (any, error) {
	return change(ctx, c, "Info: %s state already disabled.", "Info: %s state disabled.", func(off []any, s string) ([]any, bool) {
		if slices.Contains(off, any(s)) {
			return off, false
		}
		return append(off, s), true
	})
}

func enable(ctx context.Context, c *modules.Call) (any, error) {
	return change(ctx, c, "Info: %s state already enabled.", "Info: %s state enabled.", func(off []any, s string) ([]any, bool) {
		i := slices.Index(off, any(s))
		if i < 0 {
			return off, false
		}
		return slices.Delete(off, i, i+1), true
	})
}

func change(ctx context.Context, c *modules.Call, already, done string, one func(off []any, s string) ([]any, bool)) (any, error) {
	off := listOf(c.Env)
	var msgs []string
	changed := false
	for _, s := range names(c.Value("states")) {
		var now bool
		if off, now = one(off, s); now {
			changed = true
			msgs = append(msgs, fmt.Sprintf(done, s))
		} else {
			msgs = append(msgs, fmt.Sprintf(already, s))
		}
	}
	if changed {
		if _, err := (moduleCalls{c.Env, c.JID}).Call(ctx, "grains.setval", []any{disabledGrain, off}, nil); err != nil {
			return nil, err
		}
	}
	return value.NewMap("res", true, "msg", strings.Join(msgs, "\n")), nil
}

// disabledSLS returns a message for each disabled name.
func disabledSLS(env modules.Env, sls []string) []any {
	var out []any
	for _, name := range sls {
		for _, v := range listOf(env) {
			off := modules.PyStr(v)
			switch before, _, wild := strings.Cut(off, ".*"); {
			case wild && strings.HasPrefix(name, before+"."):
				out = append(out, fmt.Sprintf("The state file \"%s\" is currently disabled by \"%s\", to re-enable, run state.enable %s.", name, off, off))
			case off == name:
				out = append(out, fmt.Sprintf("The state file \"%s\" is currently disabled, to re-enable, run state.enable %s.", name, name))
			}
		}
	}
	return out
}
