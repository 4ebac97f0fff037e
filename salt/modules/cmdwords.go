package modules

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/pyfmt"
)

// fixedShell runs commands whose python_shell is true without being True.
const fixedShell = "/bin/sh"

// words sets what the process runs: a shell with the line, or the program
// itself with its arguments.
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
	wanted := pythonShell(c)
	argv := textList(list)
	switch {
	case isList:
	case wanted == true:
		argv = []string{cmd.line}
	default:
		var err error
		if argv, err = pyfmt.SplitCommand(cmd.line); err != nil {
			return &ExceptionError{Type: "ValueError", Msg: err.Error()}
		}
		cmd.line = PyRepr(wire.AnyList(argv)) // a timeout names the words
	}
	if pyfmt.Truth(wanted) {
		return cmd.shellWords(c, wanted == true, argv)
	}
	return cmd.programWords(argv)
}

// shellWords runs a shell: the first word is its script, the others are the
// script's parameters.
func (cmd *command) shellWords(c *Call, chosen bool, argv []string) error {
	shell := c.Str("shell")
	if shell == "" {
		shell = defaultShell()
	}
	if !executable(shell) {
		return CommandErrorf("The shell %s is not available (python_shell=False runs a program without one)", shell)
	}
	if !chosen {
		shell = fixedShell
	}
	cmd.proc.argv = append([]string{shell, "-c"}, argv...)
	return nil
}

// programWords runs the program that the first word names, which is its name
// for itself as well.
func (cmd *command) programWords(argv []string) error {
	if len(argv) == 0 || argv[0] == "" {
		return argErrorf("cmd is empty")
	}
	name := argv[0]
	if strings.Contains(name, "/") && !filepath.IsAbs(name) {
		name = filepath.Join(cmd.proc.dir, name)
	}
	if name = whichIn(name, envValue(cmd.proc.env, "PATH")); name == "" {
		return CommandErrorf("Unable to run command '%s': no such program", cmd.line)
	}
	cmd.proc.path, cmd.proc.argv = name, argv
	return nil
}

// pythonShell returns the value of python_shell: as given, else True for a direct
// call or with cmd_safe: False.
func pythonShell(c *Call) any {
	if v := c.Value("python_shell"); v != nil {
		return v
	}
	//mutant:cmd-safe,shell-jid
	return c.Direct || c.Env != nil && c.Env.Option("cmd_safe") == false
}

// permitted applies cmd_blacklist_glob and cmd_whitelist_glob, which guard
// direct calls.
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

func defaultShell() string {
	if s := os.Getenv("SHELL"); s != "" {
		return s
	}
	return "/bin/sh"
}
