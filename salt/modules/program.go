package modules

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/momtree/mom/internal/posix"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

// program is a program of the host that a module runs, from a list of words and without a
// shell: an argument always stays one argument.
type program struct {
	env     map[string]string // merged over the minion's own and the C locale
	stdin   *string           // nil: no input
	timeout time.Duration     // 0: until the job ends
	dir     string            // "": /
	merge   bool              // stderr goes to stdout
	cred    *posix.Credential
}

// ran is the result of a program. Trailing white space of texts is removed.
type ran struct {
	pid, retcode   int
	stdout, stderr string
}

// failed returns the error output of a failed program, else its output.
func (r ran) failed() string {
	if r.stderr != "" {
		return r.stderr
	}
	return r.stdout
}

// all returns the result in the form of cmd.run_all.
func (r ran) all() *value.Map {
	return value.NewMap("pid", r.pid, "retcode", r.retcode, "stdout", r.stdout, "stderr", r.stderr)
}

// exec runs a program with default settings.
func (c *Call) exec(ctx context.Context, words ...string) (ran, error) {
	return c.program(ctx, program{}, words...)
}

// program runs a program to its end. It returns an error if the host lacks the program, or
// if it cannot start or was ended with the job. An exit code is not an error. words[0] is
// searched in PATH.
func (c *Call) program(ctx context.Context, p program, words ...string) (ran, error) {
	path := which(words[0])
	if path == "" {
		return ran{}, &NotFoundError{words[0]}
	}
	//mutant:modules-no-shell
	proc := process{
		argv: append([]string{path}, words[1:]...), dir: p.dir, env: programEnv(p.env), stdin: p.stdin,
		merge: p.merge, umask: -1, timeout: p.timeout, max: outputMax(c.Env), cred: p.cred,
	}
	if proc.dir == "" {
		proc.dir = "/"
	}
	logger(c.Env).Debug("running program", "words", words, "jid", c.JID)
	out, err := proc.run(ctx)
	var signal *SignalledError
	switch {
	case errors.As(err, &signal), err != nil && ctx.Err() != nil:
		return ran{}, err
	case err != nil:
		return ran{}, CommandErrorf("Unable to run command '%s', reason: %v", PyRepr(wire.AnyList(words)), err)
	case out.timedOut:
		return ran{}, CommandErrorf("%s : Timed out after %s seconds", strings.Join(words, " "), seconds10(p.timeout))
	case out.stdout.cut() || out.stderr.cut():
		// Truncated output would be parsed as complete.
		return ran{}, CommandErrorf("%s wrote more than %d bytes; raise %s", words[0], outputMax(c.Env), OptionOutputMax)
	}
	return ran{out.pid, out.retcode, trimRight(out.stdout.kept), trimRight(out.stderr.kept)}, nil
}

func trimRight(b []byte) string { return strings.TrimRight(string(b), " \t\n\v\f\r") }

// seconds10 writes a duration as seconds.
func seconds10(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'g', -1, 64) }

// programEnv returns the environment of a program: that of the minion, with messages in
// English.
func programEnv(more map[string]string) []string {
	vars := map[string]string{}
	for _, kv := range os.Environ() {
		if k, v, _ := strings.Cut(kv, "="); k != "NOTIFY_SOCKET" {
			vars[k] = v
		}
	}
	for _, k := range localeVars {
		vars[k] = "C"
	}
	vars["LC_ALL"], vars["LANG"] = "C", "C"
	for k, v := range more {
		vars[k] = v
	}
	env := make([]string, 0, len(vars))
	for k, v := range vars {
		env = append(env, k+"="+v)
	}
	return env
}

// octal writes a number in octal digits.
func octal(n uint32) string { return strconv.FormatUint(uint64(n), 8) }

// plainArg returns an error for a value that a program would parse as an option, or that
// cannot be an argument.
func plainArg(what, v string) error {
	//mutant:modules-names-are-words
	if v == "" || strings.HasPrefix(v, "-") || strings.ContainsAny(v, "\x00\n") {
		return InvocationErrorf("%s %s is invalid: it is empty, begins with -, or contains a line break", what, PyRepr(v))
	}
	return nil
}

// plainArgs is plainArg for several values.
func plainArgs(what string, vs []string) error {
	for _, v := range vs {
		if err := plainArg(what, v); err != nil {
			return err
		}
	}
	return nil
}

// keyword returns an argument accepted through VarKw.
func (c *Call) keyword(name string) any {
	v, _ := c.Kwargs.Get(name)
	return v
}

// option returns an option of the minion, or the pillar value or grain of that name
// (config.get).
func (c *Call) option(name string) any {
	if v := c.Env.Option(name); v != nil {
		return v
	}
	for _, m := range []*value.Map{c.Env.Grains(), c.Env.Pillar()} {
		if v, ok := traverse(m, name, defaultDelimiter); ok {
			return v
		}
	}
	return nil
}
