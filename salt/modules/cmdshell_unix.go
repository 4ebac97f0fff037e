//go:build unix

package modules

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/pyfmt"
)

// fixedShell runs commands if python_shell is true but not True.
const fixedShell = "/bin/sh"

// arguments sets the program and the arguments of the process. wanted is the value of
// python_shell, and list has the words of a command that is a list.
func (cmd *command) arguments(c *Call, wanted any, list []any, isList bool) error {
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
		cmd.line = PyRepr(wire.AnyList(argv)) // a timeout message shows the words
	}
	if pyfmt.Truth(wanted) {
		return cmd.shellWords(c, wanted == true, argv)
	}
	return cmd.programWords(argv)
}

// shellWords runs a shell: the first word is its script, the others are the parameters of
// the script.
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

// programWords runs the program in the first word, which is also its argv[0].
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

func defaultShell() string {
	if s := os.Getenv("SHELL"); s != "" {
		return s
	}
	return "/bin/sh"
}

// consoleText returns the output of a program as the bytes of a text.
func consoleText(b []byte) []byte { return b }

// variable returns a name of the environment as it is stored.
func variable(name string) string { return name }
