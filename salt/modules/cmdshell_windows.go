package modules

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf16"
	"unicode/utf8"

	win "golang.org/x/sys/windows"

	"github.com/momtree/mom/salt/pyfmt"
)

// arguments sets the program and the command line of the process. wanted is the value of
// python_shell, and list has the words of a command that is a list. As with Salt, a line for
// cmd.exe and one without a shell are passed on as they are; PowerShell gets it as one argument.
func (cmd *command) arguments(c *Call, wanted any, list []any, isList bool) error {
	line := cmd.line
	if isList {
		line = joinWords(textList(list))
	}
	name := c.Str("shell")
	if name == "" {
		name = defaultShell()
	}
	shell := whichIn(name, envValue(cmd.proc.env, "PATH"))
	if shell == "" {
		return CommandErrorf("shell binary not found: %s", name)
	}
	switch strings.ToLower(filepath.Base(shell)) {
	case "powershell.exe", "pwsh.exe":
		if isList {
			line = strings.Join(textList(list), " ")
		}
		words := []string{shell, "-NonInteractive", "-NoProfile", "-ExecutionPolicy", "Bypass", "-Command", line}
		cmd.proc.path, cmd.proc.argv, cmd.proc.raw = shell, words, joinWords(words)
		return nil
	case "cmd.exe":
	default:
		return CommandErrorf("unsupported shell type: %s", shell)
	}
	if pyfmt.Truth(wanted) {
		// cmd.exe runs the first line only.
		line = strings.ReplaceAll(strings.ReplaceAll(line, "\r\n", " "), "\n", " ")
		cmd.proc.path, cmd.proc.argv, cmd.proc.raw = shell, []string{shell}, shell+" /c "+line
		return nil
	}
	return cmd.programLine(line)
}

// programLine runs the program that a command line begins with.
func (cmd *command) programLine(line string) error {
	words, err := win.DecomposeCommandLine(line)
	if err != nil || len(words) == 0 || words[0] == "" {
		return argErrorf("cmd is empty")
	}
	name := words[0]
	if strings.ContainsAny(name, `\/`) && !filepath.IsAbs(name) {
		name = filepath.Join(cmd.proc.dir, name)
	}
	if name = whichIn(name, envValue(cmd.proc.env, "PATH")); name == "" {
		return CommandErrorf("Unable to run command '%s': no such program", cmd.line)
	}
	cmd.proc.path, cmd.proc.argv, cmd.proc.raw = name, words, line
	return nil
}

// joinWords joins words to a command line that a program of C splits into the same words.
func joinWords(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = syscall.EscapeArg(w)
	}
	return strings.Join(quoted, " ")
}

func defaultShell() string { return cmp.Or(os.Getenv("COMSPEC"), `C:\Windows\system32\cmd.exe`) }

// oemPage is the code page of programs without a console.
const oemPage = 1

// consoleText returns the output of a program as the bytes of a text: what is not UTF-8 is in
// the code page of consoles.
func consoleText(b []byte) []byte {
	if len(b) == 0 || utf8.Valid(b) {
		return b
	}
	n, err := win.MultiByteToWideChar(oemPage, 0, &b[0], int32(len(b)), nil, 0)
	if err != nil || n <= 0 {
		return b
	}
	wide := make([]uint16, n)
	if n, err = win.MultiByteToWideChar(oemPage, 0, &b[0], int32(len(b)), &wide[0], n); err != nil {
		return b
	}
	return []byte(string(utf16.Decode(wide[:n])))
}

// variable returns a name of the environment as it is stored: Windows ignores its case.
func variable(name string) string { return strings.ToUpper(name) }
