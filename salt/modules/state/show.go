package state

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/momtree/mom/salt/modules"
	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

func init() {
	modules.Register("state",
		modules.Function{Name: "show_highstate", Args: []modules.Arg{queueArg}, VarKw: true, Run: showHighstate, Doc: `
Return the high data of the top file: what its SLS files render to.

CLI Example:

    salt '*' state.show_highstate
`},
		modules.Function{Name: "show_lowstate", Args: []modules.Arg{queueArg}, VarKw: true, Run: showLowstate, Doc: `
Return the low data of the top file: its states in the order they would run.

CLI Example:

    salt '*' state.show_lowstate
`},
		modules.Function{Name: "show_sls", Args: []modules.Arg{modsArg, testArg, queueArg}, VarKw: true, Run: showSLS, Doc: `
Return the high data of SLS files (mods).

CLI Example:

    salt '*' state.show_sls core,edit.vim saltenv=dev
`},
		modules.Function{Name: "show_low_sls", Args: []modules.Arg{modsArg, testArg, queueArg}, VarKw: true, Run: showLowSLS, Doc: `
Return the low data of SLS files (mods).

CLI Example:

    salt '*' state.show_low_sls core
`},
		modules.Function{Name: "show_top", Args: []modules.Arg{queueArg}, VarKw: true, Run: showTop, Doc: `
Return the SLS files of the top file for this minion, by environment.

CLI Example:

    salt '*' state.show_top
`},
		modules.Function{Name: "show_states", Args: []modules.Arg{queueArg}, VarKw: true, Run: showStates, Doc: `
Return the names of the SLS files in a highstate.

CLI Example:

    salt '*' state.show_states
`},
		modules.Function{Name: "sls_exists", Args: []modules.Arg{modsArg, testArg, queueArg}, VarKw: true, Run: slsExists, Doc: `
Return whether SLS files (mods) exist and render.

CLI Example:

    salt '*' state.sls_exists core,edit.vim
`},
		modules.Function{Name: "id_exists", Args: []modules.Arg{{Name: "ids", Required: true}, modsArg, testArg, queueArg}, VarKw: true, Run: idExists, Doc: `
Return whether SLS files (mods) have states of all these IDs (ids).

CLI Example:

    salt '*' state.id_exists create_myfile,update_template filestate
`},
	)
}

// look prepares a run that only shows something. conflict is the result if another run is
// active.
func look(ctx context.Context, c *modules.Call, fallback string) (j *job, conflict []any, err error) {
	if conflict, err := begin(ctx, c, c.Value("queue")); conflict != nil || err != nil {
		return nil, conflict, err
	}
	j, problems, err := prepare(ctx, c, nil, "", fallback)
	if err != nil {
		return nil, nil, err
	}
	if problems != nil {
		c.Retcode = states.PillarError
		lines := make([]string, len(problems))
		for i, p := range problems {
			lines[i] = modules.PyStr(p)
		}
		return nil, nil, &modules.CommandError{Msg: "Pillar failed to render\n" + strings.Join(lines, "\n")}
	}
	return j, nil, nil
}

// problems returns compile errors as the result.
func (j *job) problems(errs []string) any {
	j.Retcode = states.CompileError
	return states.Outcome{Errors: errs}.Value()
}

// topHigh returns the high data of the top file; done replaces the result if it is not nil.
func (j *job) topHigh(ctx context.Context) (high *value.Map, done any, err error) {
	high, out, err := j.run.CompileHighstate(ctx, nil)
	switch {
	case err != nil:
		return nil, nil, explain(err)
	case out != nil && out.Errors != nil:
		return nil, j.problems(out.Errors), nil
	case out != nil:
		return value.NewMap(), nil, nil // the top file matches nothing for this minion
	}
	return high, nil, nil
}

func showHighstate(ctx context.Context, c *modules.Call) (any, error) {
	j, conflict, err := look(ctx, c, "")
	if j == nil {
		return given(conflict), err
	}
	high, done, err := j.topHigh(ctx)
	if high == nil {
		return done, err
	}
	return high, nil
}

func showLowstate(ctx context.Context, c *modules.Call) (any, error) {
	j, conflict, err := look(ctx, c, "")
	if j == nil {
		return given(conflict), err
	}
	low, done, err := j.topLow(ctx)
	if low == nil {
		return done, err
	}
	return list(low), nil
}

// topLow returns the low data of the top file.
func (j *job) topLow(ctx context.Context) (low []*value.Map, done any, err error) {
	high, done, err := j.topHigh(ctx)
	if high == nil {
		return nil, done, err
	}
	low, errs, err := j.run.ShowLow(high)
	if err != nil || errs != nil {
		return nil, j.problems(errs), err
	}
	if low == nil {
		low = []*value.Map{}
	}
	return low, nil, nil
}

func list(chunks []*value.Map) []any {
	out := make([]any, len(chunks))
	for i, c := range chunks {
		out[i] = c
	}
	return out
}

// slsHigh returns the high data of SLS files; done replaces the result if it is not nil.
func slsHigh(ctx context.Context, c *modules.Call) (j *job, high *value.Map, done any, err error) {
	j, conflict, err := look(ctx, c, "base")
	if j == nil {
		return nil, nil, given(conflict), err
	}
	high, errs, err := j.run.CollectSLS(ctx, names(c.Value("mods")))
	if err != nil {
		return nil, nil, nil, explain(err)
	}
	if errs = append(errs, states.VerifyHigh(high)...); len(errs) > 0 {
		return nil, nil, j.problems(errs), nil
	}
	return j, high, nil, nil
}

func showSLS(ctx context.Context, c *modules.Call) (any, error) {
	_, high, done, err := slsHigh(ctx, c)
	if high == nil {
		return done, err
	}
	return high, nil
}

func showLowSLS(ctx context.Context, c *modules.Call) (any, error) {
	j, high, done, err := slsHigh(ctx, c)
	if high == nil {
		return done, err
	}
	low, err := j.run.Chunks(high)
	if err != nil {
		return nil, err
	}
	return list(low), nil
}

func showTop(ctx context.Context, c *modules.Call) (any, error) {
	j, conflict, err := look(ctx, c, "")
	if j == nil {
		return given(conflict), err
	}
	t, err := j.run.Top(ctx)
	if err != nil {
		return nil, topError(err)
	}
	if errs := states.VerifyTop(t); len(errs) > 0 {
		return j.problems(errs), nil
	}
	m, err := j.run.Matches(ctx, t)
	if err != nil {
		return nil, topError(err)
	}
	return m, nil
}

// topError converts an error of the top file.
func topError(err error) error {
	var top *states.TopError
	if errors.As(err, &top) {
		return &modules.CommandError{Msg: fmt.Sprintf("Unable to render top file: %v", top)}
	}
	return err
}

func showStates(ctx context.Context, c *modules.Call) (any, error) {
	j, conflict, err := look(ctx, c, "")
	if j == nil {
		return given(conflict), err
	}
	low, done, err := j.topLow(ctx)
	if low == nil {
		return done, err
	}
	out := []any{}
	for _, chunk := range low {
		if sls, _ := chunk.Get("__sls__"); !slices.Contains(out, sls) {
			out = append(out, sls)
		}
	}
	return out, nil
}

func slsExists(ctx context.Context, c *modules.Call) (any, error) {
	_, high, _, err := slsHigh(ctx, c)
	if err != nil {
		return nil, err
	}
	c.Retcode = 0
	return high != nil, nil
}

func idExists(ctx context.Context, c *modules.Call) (any, error) {
	j, high, done, err := slsHigh(ctx, c)
	if high == nil {
		return done, err
	}
	low, err := j.run.Chunks(high)
	if err != nil {
		return nil, err
	}
	for _, id := range names(c.Value("ids")) {
		if !slices.ContainsFunc(low, func(m *value.Map) bool { v, _ := m.Get("__id__"); return modules.PyStr(v) == id }) {
			return false, nil
		}
	}
	return true, nil
}
