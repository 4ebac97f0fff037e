package modules

import (
	"bufio"
	"context"
	"os"
	"strings"
	"time"

	"github.com/momtree/mom/value"
)

// cmdOptions are the arguments of every cmd function after cmd.
var cmdOptions = []Arg{
	{Name: "cwd"},
	{Name: "stdin"},
	{Name: "runas"},
	{Name: "group"},
	{Name: "shell"},
	{Name: "python_shell"},
	{Name: "env"},
	{Name: "clean_env", Default: false},
	{Name: "template"},
	{Name: "rstrip", Default: true},
	{Name: "umask"},
	{Name: "output_encoding"},
	{Name: "output_loglevel", Default: "debug"},
	{Name: "hide_output", Default: false},
	{Name: "timeout"},
	{Name: "reset_system_locale", Default: true},
	{Name: "ignore_retcode", Default: false},
	{Name: "use_vt", Default: false},
	{Name: "prepend_path"},
	{Name: "success_retcodes"},
	{Name: "success_stdout"},
	{Name: "success_stderr"},
	{Name: "stdin_raw_newlines", Default: false},
}

// cmdArgs returns cmd, the common arguments, and those of one function.
func cmdArgs(more ...Arg) []Arg {
	args := append([]Arg{{Name: "cmd", Required: true}}, cmdOptions...)
	return append(args, more...)
}

const cmdOptionsDoc = `
Arguments:

  cmd              the command line, or a list of words
  cwd              absolute folder to run in; the home of the user by default
  stdin            text for the standard input; \n in it is a line break
                   unless stdin_raw_newlines=True
  runas, group     user (with all groups of that user) and group to run as
  python_shell     True runs the line in a shell, False runs the program itself.
                   A job, a schedule and salt-call default to True; templates,
                   states, slots and other functions default to False
  shell            the shell; $SHELL of the minion or /bin/sh by default
  env              map, or list of maps, of variables to set
  clean_env        True leaves out the minion's own variables
  prepend_path     folders to put before PATH
  umask            octal file mode mask
  timeout          seconds after which the command, with all processes it
                   started, is killed
  rstrip           False keeps white space at the end of the output
  output_encoding  utf-8, ascii or latin-1
  output_loglevel  level at which output is logged; quiet logs nothing
  hide_output      True returns no output
  ignore_retcode   True lets the job succeed whatever the command says
  success_retcodes, success_stdout, success_stderr
                   return codes and texts that count as success
  reset_system_locale
                   False keeps the minion's locale instead of C
  template         jinja renders cmd and cwd first
  use_vt           True lets the command write to a terminal; salt-call shows
                   the output as it comes

At most cmd_output_max bytes (minion option, 16 MiB) of each output stream are
kept; the text then ends with a line that says so.
`

func init() {
	Register("cmd",
		Function{
			Name: "run", Run: cmdRun,
			Args: cmdArgs(Arg{Name: "bg", Default: false}, Arg{Name: "raise_err", Default: false}),
			Doc: `
Run a command and return its output, standard output and errors together. With
bg=True it is started in the background; with raise_err=True a return code other
than 0 is an error of the job.
` + cmdOptionsDoc + `
CLI Example:

    salt '*' cmd.run 'ls -l | grep root' cwd=/etc
`,
		},
		Function{
			Name: "shell", Run: cmdShell,
			Args: cmdArgs(Arg{Name: "bg", Default: false}, Arg{Name: "raise_err", Default: false}),
			Doc: `
Run a command in a shell, even from where cmd.run would not use one. bg and
raise_err are those of cmd.run.
` + cmdOptionsDoc + `
CLI Example:

    salt '*' cmd.shell 'echo $HOME'
`,
		},
		Function{
			Name: "run_stdout", Run: cmdStdout, Args: cmdArgs(),
			Doc: `
Run a command and return its standard output only.
` + cmdOptionsDoc + `
CLI Example:

    salt '*' cmd.run_stdout 'id -u'
`,
		},
		Function{
			Name: "run_stderr", Run: cmdStderr, Args: cmdArgs(),
			Doc: `
Run a command and return its error output only.
` + cmdOptionsDoc + `
CLI Example:

    salt '*' cmd.run_stderr 'ls /nowhere'
`,
		},
		Function{
			Name: "run_all", Run: cmdAll, Args: cmdArgs(Arg{Name: "redirect_stderr", Default: false}),
			Doc: `
Run a command and return a map of pid, retcode, stdout and stderr. With
redirect_stderr=True errors are part of stdout.
` + cmdOptionsDoc + `
CLI Example:

    salt '*' cmd.run_all 'make' cwd=/srv/app timeout=600
`,
		},
		Function{
			Name: "retcode", Run: cmdRetcode, Args: cmdArgs(),
			Doc: `
Run a command and return its return code.
` + cmdOptionsDoc + `
CLI Example:

    salt '*' cmd.retcode 'test -e /etc/passwd'
`,
		},
		Function{
			Name: "run_bg", Run: cmdBackground, Args: cmdArgs(),
			Doc: `
Start a command in the background and return its pid. Its output is dropped.
` + cmdOptionsDoc + `
CLI Example:

    salt '*' cmd.run_bg '/usr/bin/backup --all'
`,
		},
		Function{
			Name: "which", Args: []Arg{{Name: "cmd", Required: true}},
			Run: func(_ context.Context, c *Call) (any, error) { return textOrNone(which(c.Str("cmd"))), nil },
			Doc: `
Return the full path of a program, None when the host has none of that name.

CLI Example:

    salt '*' cmd.which tar
`,
		},
		Function{
			Name: "which_bin", Args: []Arg{{Name: "cmds", Required: true}}, Run: cmdWhichBin,
			Doc: `
Return the path of the first program of the list cmds that the host has.

CLI Example:

    salt '*' cmd.which_bin '[pip3, pip]'
`,
		},
		Function{
			Name: "has_exec", Args: []Arg{{Name: "cmd", Required: true}},
			Run: func(_ context.Context, c *Call) (any, error) { return which(c.Str("cmd")) != "", nil },
			Doc: `
Return whether the host has a program.

CLI Example:

    salt '*' cmd.has_exec cat
`,
		},
		Function{
			Name: "shells", Run: cmdShells,
			Doc: `
List the shells that /etc/shells names.

CLI Example:

    salt '*' cmd.shells
`,
		},
	)
}

func cmdRun(ctx context.Context, c *Call) (any, error) {
	if c.IsTrue("bg") {
		_, err := startBackground(ctx, c)
		return "", err
	}
	return runMerged(ctx, c)
}

func cmdShell(ctx context.Context, c *Call) (any, error) {
	if c.Value("python_shell") == nil {
		c.set("python_shell", true)
	}
	return cmdRun(ctx, c)
}

func runMerged(ctx context.Context, c *Call) (any, error) {
	cmd, err := newCommand(ctx, c, true)
	if err != nil {
		return nil, err
	}
	r, err := cmd.run(ctx, c)
	if err != nil {
		return nil, err
	}
	out := r.Stdout
	if c.IsTrue("hide_output") {
		out = ""
	}
	if r.Retcode != 0 && c.IsTrue("raise_err") && !c.IsTrue("ignore_retcode") {
		return nil, &CommandError{Msg: out}
	}
	return out, nil
}

// runSplit runs a command with separate streams.
func runSplit(ctx context.Context, c *Call, merge bool) (commandResult, error) {
	cmd, err := newCommand(ctx, c, merge)
	if err != nil {
		return commandResult{}, err
	}
	r, err := cmd.run(ctx, c)
	if c.IsTrue("hide_output") {
		r.Stdout, r.Stderr = "", ""
	}
	return r, err
}

func cmdStdout(ctx context.Context, c *Call) (any, error) {
	r, err := runSplit(ctx, c, false)
	return r.Stdout, err
}

func cmdStderr(ctx context.Context, c *Call) (any, error) {
	r, err := runSplit(ctx, c, false)
	return r.Stderr, err
}

func cmdAll(ctx context.Context, c *Call) (any, error) {
	r, err := runSplit(ctx, c, c.IsTrue("redirect_stderr"))
	if err != nil {
		return nil, err
	}
	return value.NewMap("pid", r.PID, "retcode", r.Retcode, "stdout", r.Stdout, "stderr", r.Stderr), nil
}

func cmdRetcode(ctx context.Context, c *Call) (any, error) {
	r, err := runSplit(ctx, c, true)
	return r.Retcode, err
}

func cmdBackground(ctx context.Context, c *Call) (any, error) {
	pid, err := startBackground(ctx, c)
	if err != nil {
		return nil, err
	}
	return value.NewMap("pid", pid), nil
}

// startBackground starts a command that outlives its job.
func startBackground(ctx context.Context, c *Call) (int, error) {
	cmd, err := newCommand(ctx, c, true)
	if err != nil {
		return 0, err
	}
	if cmd.proc.stdin != nil {
		return 0, InvocationErrorf("a command in the background reads no standard input, stdin cannot be given")
	}
	cmd.proc.discard = true
	p, group, _, err := cmd.proc.start()
	if err != nil {
		return 0, CommandErrorf("Unable to run command '%s' in '%s', reason: %v", cmd.line, cmd.proc.dir, err)
	}
	pid := p.Process.Pid
	stop := func() bool { return true }
	if cmd.proc.timeout > 0 {
		stop = time.AfterFunc(cmd.proc.timeout, group.Kill).Stop
	}
	go func() {
		_ = p.Wait() // otherwise it stays a zombie
		stop()
		group.Close()
	}()
	return pid, nil
}

func cmdWhichBin(_ context.Context, c *Call) (any, error) {
	names := []string{c.Str("cmds")}
	if l, ok := c.Value("cmds").([]any); ok {
		names = textList(l)
	}
	for _, name := range names {
		if p := which(name); p != "" {
			return p, nil
		}
	}
	return nil, nil
}

func cmdShells(context.Context, *Call) (any, error) {
	list := []any{}
	f, err := os.Open("/etc/shells")
	if err != nil {
		return list, nil // a host without the file has no listed shell
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if line := strings.TrimSpace(s.Text()); line != "" && line[0] != '#' {
			list = append(list, line)
		}
	}
	return list, nil
}

// textOrNone returns None for "".
func textOrNone(s string) any {
	if s == "" {
		return nil
	}
	return s
}
