package modules

import (
	"slices"
	"strings"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
)

// words sets the arguments of the process: a shell with the command line, or the program
// with its arguments.
func (cmd *command) words(c *Call) error {
	v := wire.Normal(c.Value("cmd"))
	list, isList := v.([]any)
	cmd.line = PyStr(v)
	plain := cmd.line
	if isList {
		plain = strings.Join(textList(list), " ")
	}
	if f := strings.Fields(plain); len(f) > 0 {
		cmd.name = f[0]
	}
	if err := permitted(c, plain); err != nil {
		return err
	}
	return cmd.arguments(c, pythonShell(c), list, isList)
}

// pythonShell returns the value of python_shell: as given, else True for a direct call or
// with cmd_safe: False.
func pythonShell(c *Call) any {
	if v := c.Value("python_shell"); v != nil {
		return v
	}
	//mutant:cmd-safe,shell-jid
	return c.Direct || c.Env != nil && c.Env.Option("cmd_safe") == false
}

// permitted applies cmd_blacklist_glob and cmd_whitelist_glob to direct calls.
func permitted(c *Call, line string) error {
	if !c.Direct || c.Env == nil {
		return nil
	}
	matches := func(pattern string) bool { return target.Glob(pattern, line) }
	bad := slices.ContainsFunc(textList(c.Env.Option("cmd_blacklist_glob")), matches)
	if allowed := textList(c.Env.Option("cmd_whitelist_glob")); len(allowed) > 0 {
		bad = bad || !slices.ContainsFunc(allowed, matches)
	}
	if bad {
		return CommandErrorf("The shell command %q is not permitted", line)
	}
	return nil
}
