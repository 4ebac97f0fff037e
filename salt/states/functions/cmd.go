package functions

import (
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/momtree/mom/salt/pyfmt"

	"github.com/momtree/mom/salt/modules"
	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

// commandArgs are the common arguments of the states of cmd.
var commandArgs = []any{
	"cwd", nil, "root", nil, "runas", nil, "shell", nil, "env", nil, "prepend_path", nil, "stateful", false,
	"output_loglevel", "debug", "hide_output", false, "timeout", nil, "ignore_timeout", false, "use_vt", false,
	"success_retcodes", nil, "success_stdout", nil, "success_stderr", nil,
}

const commandDoc = `
name
    The command.
cwd, runas, shell, env, prepend_path, timeout, success_retcodes, success_stdout,
success_stderr and other arguments of cmd.run_all
    How to run it.
stateful : False
    The output reports whether something has changed: a JSON object, or a last line of
    name=value pairs, with changed and comment. A list [{test_name: command}] names
    another command for test=True.
bg : False
    True starts it in the background (cmd.run).
ignore_timeout : False
    A command that times out succeeds.

root and python_shell are not supported.
`

func init() {
	run := states.Spec{Args: args(onlyName, commandArgs...), VarKw: true}
	script := states.Spec{Args: args(onlyName, append([]any{"source", nil, "template", nil, "args", nil, "context", nil, "defaults", nil}, commandArgs...)...), VarKw: true}
	Register("cmd",
		Function{Name: "run", Spec: run, Run: cmdRun, Doc: "\nRuns a command.\n" + commandDoc},
		Function{Name: "wait", Spec: run, Run: cmdWait, Doc: "\nRuns a command when a state that it watches has changed.\n" + commandDoc},
		Function{Name: "watch", Spec: run, Run: cmdWait, Doc: "\nAs cmd.wait.\n" + commandDoc},
		Function{Name: "script", Spec: script, Run: cmdScript, Doc: "\nRuns a script of salt:// or of this host (source, by default name; template: jinja renders it with context and defaults) with arguments (args).\n" + commandDoc},
		Function{Name: "wait_script", Spec: script, Run: cmdWait, Doc: "\nRuns a script when a state that it watches has changed.\n" + commandDoc},
		Function{Name: "mod_watch", Spec: states.Spec{Args: script.Args, VarKw: true}, Run: cmdWatch, Doc: "\nRuns the command or script of a state whose watch has fired.\n"},
	)
}

func cmdWait(_ context.Context, c *Call) (*states.Result, error) { return good(c.Name(), ""), nil }

func cmdWatch(ctx context.Context, c *Call) (*states.Result, error) {
	switch fun := pystr(get(c.Kwargs, "sfun")); fun {
	case "wait", "run", "watch":
		return cmdRun(ctx, c)
	case "wait_script", "script":
		return cmdScript(ctx, c)
	default:
		return bad(c.Name(), "cmd.%s does not work with the watch requisite, please use cmd.wait or cmd.wait_script", fun), nil
	}
}

// testCommand returns the command for test=True, which stateful may name.
func testCommand(c *Call) string {
	if list, ok := c.Value("stateful").([]any); ok && len(list) > 0 {
		if m, ok := list[0].(*value.Map); ok {
			return m.String("test_name")
		}
	}
	return ""
}

func stateful(c *Call) bool {
	if _, list := c.Value("stateful").([]any); list {
		return true
	}
	return c.Value("stateful") == true
}

// commandKwargs returns the keywords for the command. As in Salt, it ignores unknown ones.
func commandKwargs(c *Call) *value.Map {
	kw := value.NewMap()
	run, _ := modules.Lookup("cmd.run_all")
	c.Kwargs.Range(func(k, v any) bool {
		if slices.ContainsFunc(run.Args, func(a modules.Arg) bool { return a.Name == k }) {
			kw.Set(k, v)
		} else if k != "sfun" && k != "__reqs__" && k != "bg" {
			c.Env.Log().Warn("unknown argument ignored", "state", c.Fun, "name", c.Name(), "argument", k)
		}
		return true
	})
	for _, name := range []string{
		"cwd", "runas", "env", "prepend_path", "output_loglevel", "hide_output", "timeout",
		"success_retcodes", "success_stdout", "success_stderr", "use_vt",
	} {
		if v := c.Value(name); v != nil && v != false && v != "debug" {
			kw.Set(name, v)
		}
	}
	if shell := c.Value("shell"); pyfmt.Truth(shell) {
		kw.Set("shell", shell)
	} else if shell := c.Env.Grains().String("shell"); shell != "" {
		kw.Set("shell", shell)
	}
	kw.Set("python_shell", true)
	return kw
}

// checkCommand returns a failed result for invalid arguments, else nil.
func checkCommand(c *Call, name string) *states.Result {
	if c.Truth("root") {
		return bad(name, "The option root of %s is not supported by this minion: leave it out", c.Fun)
	}
	if c.Kwargs.Has("python_shell") {
		return bad(name, "The option python_shell of %s is refused: a state runs its command in a shell", c.Fun)
	}
	switch c.Value("env").(type) {
	case nil, []any, *value.Map:
	default:
		return bad(name, "Invalidly-formatted 'env' parameter. See documentation.")
	}
	return nil
}

// workFolder returns a failed result if the working directory does not exist, else nil.
func workFolder(c *Call, name string) *states.Result {
	if cwd := c.Str("cwd"); cwd != "" {
		if st, err := os.Stat(cwd); err != nil || !st.IsDir() {
			return bad(name, "Desired working directory \"%s\" is not available", cwd)
		}
	}
	return nil
}

func cmdRun(ctx context.Context, c *Call) (*states.Result, error) {
	name, tested := c.Name(), false
	if t := testCommand(c); t != "" && c.Test {
		name, tested = t, true
	}
	res := bad(c.Name(), "")
	if wrong := checkCommand(c, res.Name); wrong != nil {
		return wrong, nil
	}
	if c.Test && !tested {
		res.Result, res.Comment = nil, fmt.Sprintf("Command \"%s\" would have been executed", name)
		res.Changes = value.NewMap("cmd", name)
		if stateful(c) {
			res.Comment, res.Changes = "", value.NewMap()
		}
		return res, nil
	}
	if wrong := workFolder(c, res.Name); wrong != nil {
		return wrong, nil
	}
	if pyfmt.Truth(get(c.Kwargs, "bg")) {
		return started(ctx, c, res, name)
	}
	out, err := c.Module(ctx, "cmd.run_all", []any{name}, commandKwargs(c))
	if err != nil {
		res.Comment = err.Error()
		return res, ctx.Err()
	}
	return ran(c, res, out, fmt.Sprintf("Command \"%s\" run", name)), nil
}

// started starts a command in the background (bg), such as one that restarts the minion.
func started(ctx context.Context, c *Call, res *states.Result, name string) (*states.Result, error) {
	out, err := c.mapOfKw(ctx, "cmd.run_bg", commandKwargs(c), name)
	if err != nil {
		res.Comment = err.Error()
		return res, ctx.Err()
	}
	res.Changes = value.NewMap("pid", get(out, "pid"), "retcode", nil, "stdout", "", "stderr", "")
	res.Result, res.Comment = true, fmt.Sprintf("Command \"%s\" run", name)
	return res, nil
}

// ran converts the result of a command to that of its state.
func ran(c *Call, res *states.Result, out any, comment string) *states.Result {
	m, ok := out.(*value.Map)
	if !ok {
		res.Comment = fmt.Sprintf("the command gave no result: %s", pystr(out))
		return res
	}
	code := m.Int("retcode")
	res.Changes, res.Result, res.Comment = m, code == 0, comment
	if c.Truth("ignore_timeout") && code == 1 && timedOut(m) {
		m = m.Clone()
		m.Set("retcode", int64(0))
		res.Changes, res.Result = m, true
	}
	if stateful(c) {
		restate(res)
	}
	if c.Test && code == 0 && res.Changes.Len() > 0 {
		res.Result = nil
	}
	return res
}
