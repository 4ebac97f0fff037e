package state

import (
	"context"
	"fmt"
	"strings"

	"github.com/momtree/mom/salt/pyfmt"

	"github.com/momtree/mom/salt/modules"
	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

// common ends the documentation of the functions that run states.
const common = `
Keywords: test (only show what would change), pillar (a map merged over the
pillar), saltenv, pillarenv, exclude (SLS names, or maps with sls or id), queue
(True: wait for active runs; a number: at most that many wait), concurrent (run
beside others), mock (call no state functions), force (run although the pillar
has errors), terse (only failures and changes), state_events (an event for each
state).
`

var (
	testArg  = modules.Arg{Name: "test"}
	queueArg = modules.Arg{Name: "queue"}
	modsArg  = modules.Arg{Name: "mods", Required: true}
)

func init() {
	modules.Register("state",
		modules.Function{Name: "apply", Args: []modules.Arg{{Name: "mods"}}, VarKw: true, Run: apply, Doc: `
Run states: the given SLS files (mods, a list or names with commas), or those of
the top file.
` + common + `
CLI Example:

    salt '*' state.apply
    salt '*' state.apply web.nginx,users test=True pillar='{port: 8080}'
`},
		modules.Function{Name: "highstate", Args: []modules.Arg{testArg, queueArg}, VarKw: true, Run: highstate, Doc: `
Run the states of the top file for this minion. whitelist restricts them to the
SLS names in a list.
` + common + `
CLI Example:

    salt '*' state.highstate exclude=bad.sls
`},
		modules.Function{Name: "sls", Args: []modules.Arg{modsArg, testArg, {Name: "exclude"}, queueArg, {Name: "sync_mods"}}, VarKw: true, Run: sls, Doc: `
Run the states of SLS files (mods). sync_mods names kinds of modules to sync
first.
` + common + `
CLI Example:

    salt '*' state.sls core,edit.vim
`},
		modules.Function{Name: "test", Args: []modules.Arg{{Name: "mods"}}, VarKw: true, Run: applyTest, Doc: `
As state.apply with test=True.

CLI Example:

    salt '*' state.test web
`},
		modules.Function{Name: "top", Args: []modules.Arg{{Name: "topfn", Required: true}, testArg, queueArg}, VarKw: true, Run: top, Doc: `
Run the states of another top file (topfn).
` + common + `
CLI Example:

    salt '*' state.top reverse_top.sls
`},
		modules.Function{Name: "sls_id", Args: []modules.Arg{{Name: "id_", Required: true}, modsArg, testArg, queueArg}, VarKw: true, Run: slsID, Doc: `
Run one state (id_) of SLS files (mods), and the states it requires.

CLI Example:

    salt '*' state.sls_id my_state my_module
`},
		modules.Function{Name: "high", Args: []modules.Arg{{Name: "data", Required: true}, testArg, queueArg}, VarKw: true, Run: high, Doc: `
Run high data (data), the form that SLS files render to.

CLI Example:

    salt '*' state.high '{vim: {pkg: [installed]}}'
`},
	)
}

// begin checks the keywords of a call and serializes runs. conflict is the result of the
// call if another run is active.
func begin(ctx context.Context, c *modules.Call, q any) (conflict []any, err error) {
	if err := checkKeywords(c); err != nil {
		return nil, err
	}
	if q == nil {
		q, _ = c.Kwargs.Get("queue")
	}
	return queue(ctx, c, q, pyfmt.Truth(mustGet(c, "concurrent")))
}

// apply runs a highstate or SLS files.
func apply(ctx context.Context, c *modules.Call) (any, error) {
	if pyfmt.Truth(c.Value("mods")) {
		return runSLS(ctx, c, c.Value("mods"), nil, nil, mustGet(c, "exclude"))
	}
	return runHighstate(ctx, c, nil, nil, "")
}

func applyTest(ctx context.Context, c *modules.Call) (any, error) {
	c.Kwargs.Set("test", true)
	return apply(ctx, c)
}

func highstate(ctx context.Context, c *modules.Call) (any, error) {
	return runHighstate(ctx, c, c.Value("test"), c.Value("queue"), "")
}

func top(ctx context.Context, c *modules.Call) (any, error) {
	return runHighstate(ctx, c, c.Value("test"), c.Value("queue"), c.Str("topfn"))
}

func runHighstate(ctx context.Context, c *modules.Call, test, q any, topFile string) (any, error) {
	if msgs := disabledSLS(c.Env, []string{"highstate"}); len(msgs) > 0 {
		return value.NewMap("name", "Salt highstate run is disabled. To re-enable, run state.enable highstate",
			"result", "False", "comment", "Disabled"), nil
	}
	if conflict, err := begin(ctx, c, q); conflict != nil || err != nil {
		return given(conflict), err
	}
	j, problems, err := prepare(ctx, c, test, topFile, "")
	if err != nil {
		return nil, err
	}
	if problems != nil {
		return pillarProblems(c, problems), nil
	}
	return j.end(j.run.Highstate(ctx, split(mustGet(c, "exclude")), names(mustGet(c, "whitelist"))))
}

// given returns a list as a result; nil if it is empty.
func given(list []any) any {
	if list == nil {
		return nil
	}
	return list
}

func sls(ctx context.Context, c *modules.Call) (any, error) {
	if err := syncModules(ctx, c, or(c.Value("sync_mods"), mustGet(c, "sync_mods"))); err != nil {
		return nil, err
	}
	return runSLS(ctx, c, c.Value("mods"), c.Value("test"), c.Value("queue"), or(c.Value("exclude"), mustGet(c, "exclude")))
}

func runSLS(ctx context.Context, c *modules.Call, mods, test, q, exclude any) (any, error) {
	if conflict, err := begin(ctx, c, q); conflict != nil || err != nil {
		return given(conflict), err
	}
	list := names(mods)
	if msgs := disabledSLS(c.Env, list); len(msgs) > 0 {
		c.Retcode = states.CompileError
		return given(msgs), nil
	}
	j, problems, err := prepare(ctx, c, test, "", "base")
	if err != nil {
		return nil, err
	}
	if problems != nil {
		return pillarProblems(c, problems), nil
	}
	return j.end(j.run.SLS(ctx, list, split(exclude)))
}

// split returns a list, or splits a string at commas.
func split(v any) []any {
	switch v := v.(type) {
	case nil:
		return nil
	case []any:
		return v
	case string:
		if v == "" {
			return nil
		}
		var out []any
		for _, s := range strings.Split(v, ",") {
			out = append(out, strings.TrimSpace(s))
		}
		return out
	}
	return []any{v}
}

// names returns SLS names from any of the accepted forms.
func names(v any) []string {
	var out []string
	for _, e := range split(v) {
		out = append(out, modules.PyStr(e))
	}
	return out
}

func slsID(ctx context.Context, c *modules.Call) (any, error) {
	if conflict, err := begin(ctx, c, c.Value("queue")); conflict != nil || err != nil {
		return given(conflict), err
	}
	j, problems, err := prepare(ctx, c, c.Value("test"), "", "base")
	if err != nil {
		return nil, err
	}
	if problems != nil {
		return pillarProblems(c, problems), nil
	}
	mods := names(c.Value("mods"))
	out, err := j.run.ID(ctx, modules.PyStr(c.Value("id_")), mods)
	if err == nil && out.Errors == nil && out.Results.Len() == 0 {
		saltenv, _, _ := j.environments()
		if saltenv == "" {
			saltenv = "base"
		}
		return nil, &modules.InvocationError{Msg: fmt.Sprintf("No matches for ID '%s' found in SLS '%s' within saltenv '%s'",
			modules.PyStr(c.Value("id_")), modules.PyStr(c.Value("mods")), saltenv)}
	}
	return j.end(out, err)
}

func high(ctx context.Context, c *modules.Call) (any, error) {
	data, ok := c.Value("data").(*value.Map)
	if !ok {
		return nil, &modules.ArgumentError{Msg: "data must be a map, not " + modules.PyRepr(c.Value("data"))}
	}
	if conflict, err := begin(ctx, c, c.Value("queue")); conflict != nil || err != nil {
		return given(conflict), err
	}
	j, problems, err := prepare(ctx, c, c.Value("test"), "", "")
	if err != nil {
		return nil, err
	}
	if problems != nil {
		return pillarProblems(c, problems), nil
	}
	return j.end(j.run.High(ctx, states.Copy(data)))
}

// syncModules syncs kinds of modules before a run (saltutil.sync_KIND).
func syncModules(ctx context.Context, c *modules.Call, kinds any) error {
	if kinds == true {
		kinds = "all"
	}
	for _, kind := range names(kinds) {
		if _, err := (moduleCalls{c.Env, c.JID}).Call(ctx, "saltutil.sync_"+kind, nil, nil); err != nil {
			return fmt.Errorf("sync_mods %s: %w", kind, err)
		}
	}
	return nil
}
