package modules

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/momtree/mom/salt/pyfmt"
)

// OptionOutputMax is the minion option that bounds how many bytes of each output stream of
// a command are kept. The rest is read and dropped. The end of the text says so, and the
// exit code is that of the command.
const OptionOutputMax = "cmd_output_max"

// DefaultOutputMax is the default of [OptionOutputMax]: 16 MiB, a quarter of the largest
// message.
const DefaultOutputMax = 16 << 20

// command is one call of a cmd function, prepared to run.
type command struct {
	proc          process
	name          string // first word, for messages
	line          string // as Python would print the command
	timeoutText   string
	rstrip        bool
	latin1        bool
	ignoreRetcode bool
	successCodes  []int64
	successOut    []string
	successErr    []string
	level         logLevel
	runas         string
}

// commandResult is the result of a command.
type commandResult struct {
	PID            int
	Retcode        int
	Stdout, Stderr string
}

// newCommand parses the arguments of a cmd function.
func newCommand(ctx context.Context, c *Call, merge bool) (*command, error) {
	cmd := &command{rstrip: c.IsTrue("rstrip") || c.Value("rstrip") == nil, ignoreRetcode: c.IsTrue("ignore_retcode")}
	err := renderCommand(ctx, c)
	if err != nil {
		return nil, err
	}
	if cmd.level, err = parseLevel(c.Value("output_loglevel")); err != nil {
		return nil, err
	}
	if cmd.latin1, err = parseEncoding(c.Value("output_encoding")); err != nil {
		return nil, err
	}
	if err := cmd.successRules(c); err != nil {
		return nil, err
	}
	cmd.proc = process{merge: merge, umask: -1, max: outputMax(c.Env), terminal: c.IsTrue("use_vt")}
	if cmd.proc.terminal && c.Env != nil && c.Env.Option("__cli") == "salt-call" {
		cmd.proc.show = os.Stdout
	}
	who, err := lookupAccount(c.Value("runas"), c.Value("group"))
	if err != nil {
		return nil, err
	}
	cmd.proc.cred, cmd.runas = who.cred, who.name
	if cmd.proc.umask, err = parseUmask(c.Value("umask")); err != nil {
		return nil, err
	}
	if cmd.proc.dir, err = workingDir(c.Value("cwd"), who); err != nil {
		return nil, err
	}
	cmd.proc.env = environment(c, who)
	if v := c.Value("stdin"); v != nil {
		text := PyStr(v)
		if !c.IsTrue("stdin_raw_newlines") {
			text = strings.ReplaceAll(text, `\n`, "\n")
		}
		cmd.proc.stdin = &text
	}
	if v := c.Value("timeout"); v != nil && v != false {
		secs, ok := number(v)
		if !ok || secs < 0 {
			return nil, argErrorf("timeout must be a number of seconds, not %s", PyRepr(v))
		}
		cmd.proc.timeout, cmd.timeoutText = seconds(secs), PyStr(v)
	}
	return cmd, cmd.words(c)
}

func parseUmask(v any) (int, error) {
	if v == nil {
		return -1, nil
	}
	text := strings.TrimLeft(PyStr(v), "0")
	if text == "" {
		return 0, CommandErrorf("Zero umask is not allowed.")
	}
	mask, err := strconv.ParseUint(text, 8, 12)
	if err != nil {
		return 0, CommandErrorf("Invalid umask: '%s'", PyStr(v))
	}
	return int(mask), nil
}

func (cmd *command) successRules(c *Call) error {
	cmd.successCodes = []int64{0}
	if v := c.Value("success_retcodes"); v != nil {
		cmd.successCodes = nil
		for _, s := range textList(v) {
			n, ok := Integer(s)
			if !ok {
				return InvocationErrorf("success_retcodes must be a list of integers")
			}
			cmd.successCodes = append(cmd.successCodes, n)
		}
	}
	cmd.successOut = textList(c.Value("success_stdout"))
	cmd.successErr = textList(c.Value("success_stderr"))
	return nil
}

// parseEncoding parses output_encoding. The default is UTF-8.
func parseEncoding(v any) (latin1 bool, err error) {
	if v == nil || v == "" {
		return false, nil
	}
	switch strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(PyStr(v))) {
	case "utf8", "ascii", "usascii":
		return false, nil
	case "latin1", "iso88591", "l1":
		return true, nil
	}
	return false, InvocationErrorf("output_encoding %s is not supported; utf-8, ascii and latin-1 are", PyRepr(v))
}

func outputMax(env Env) int64 {
	if env != nil {
		if n, ok := Integer(env.Option(OptionOutputMax)); ok && n > 0 {
			return n
		}
	}
	return DefaultOutputMax
}

// run runs the command and sets the call's return code.
func (cmd *command) run(ctx context.Context, c *Call) (commandResult, error) {
	log := logger(c.Env)
	if !cmd.level.quiet {
		log.Info("executing command", "cmd", cmd.name, "cwd", cmd.proc.dir, "runas", cmd.runas, "jid", c.JID)
	}
	out, err := cmd.proc.run(ctx)
	var signal *SignalledError
	switch {
	case errors.As(err, &signal), err != nil && ctx.Err() != nil:
		return commandResult{}, err
	case err != nil:
		return commandResult{}, CommandErrorf("Unable to run command '%s' in '%s', reason: %v", cmd.line, cmd.proc.dir, err)
	}
	r := commandResult{PID: out.pid, Retcode: out.retcode, Stdout: cmd.text(out.stdout), Stderr: cmd.text(out.stderr)}
	if out.timedOut {
		r.Retcode = 1
		note := fmt.Sprintf("%s : Timed out after %s seconds", cmd.line, cmd.timeoutText)
		if r.Stdout != "" {
			note = r.Stdout + "\n" + note
		}
		r.Stdout = note
	} else if cmd.succeeded(r) {
		r.Retcode = 0
	}
	c.Retcode = r.Retcode
	if cmd.ignoreRetcode {
		c.Retcode = 0
	}
	cmd.level.report(ctx, log, cmd, r)
	return r, nil
}

func (cmd *command) succeeded(r commandResult) bool {
	if slices.Contains(cmd.successCodes, int64(r.Retcode)) {
		return true
	}
	in := func(text string) func(string) bool {
		return func(s string) bool { return strings.Contains(text, s) }
	}
	return slices.ContainsFunc(cmd.successOut, in(r.Stdout)) || slices.ContainsFunc(cmd.successErr, in(r.Stderr))
}

// text returns a stream in the form of the result.
func (cmd *command) text(c *capture) string {
	b := consoleText(c.kept)
	if cmd.latin1 {
		wide := make([]byte, 0, len(b))
		for _, x := range b {
			wide = utf8.AppendRune(wide, rune(x))
		}
		b = wide
	}
	s := pyfmt.Decode(b)
	if cmd.rstrip {
		s = strings.TrimRight(s, " \t\n\v\f\r")
	}
	if c.cut() {
		s += fmt.Sprintf("\n[output cut: %d of %d bytes kept, option %s]", len(c.kept), c.total, OptionOutputMax)
	}
	return s
}
