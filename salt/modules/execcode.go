package modules

import (
	"context"
	"os"
	"os/user"
	"strconv"
	"strings"

	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

func init() {
	args := []Arg{{Name: "lang", Required: true}, {Name: "code", Required: true}, {Name: "cwd"}, {Name: "args"}}
	Register("cmd",
		Function{Name: "exec_code", Args: args, VarKw: true, Run: func(ctx context.Context, c *Call) (any, error) {
			out, err := execCode(ctx, c)
			if err != nil {
				return nil, err
			}
			return out.String("stdout"), nil
		}, Doc: `
Run code, a text, with the program lang, such as python3 or ruby, and return its
output. cwd is the folder to run in, args is an argument or a list of them;
further keywords are those of cmd.run_all.

CLI Example:

    salt '*' cmd.exec_code ruby 'puts "cheese"'
    salt '*' cmd.exec_code ruby 'puts "cheese"' args='["arg1", "arg2"]' env='{"FOO": "bar"}'
`},
		Function{Name: "exec_code_all", Args: args, VarKw: true, Run: func(ctx context.Context, c *Call) (any, error) { return execCode(ctx, c) }, Doc: `
Run code as cmd.exec_code does, with lang, code, cwd, args and further keywords, and return
a map of pid, retcode, stdout and stderr.

CLI Example:

    salt '*' cmd.exec_code_all ruby 'puts "cheese"'
`},
	)
}

// execCode writes the code to a file that only its user can read, and runs a program with
// it.
func execCode(ctx context.Context, c *Call) (*value.Map, error) {
	f, err := os.CreateTemp("", "__salt.tmp.*")
	if err != nil {
		return nil, err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(strings.ReplaceAll(PyStr(c.Value("code")), "\r\n", "\n"))
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return nil, err
	}
	if name, _ := c.Kwargs.Get("runas"); pyfmt.Truth(name) {
		if err := giveTo(f.Name(), PyStr(name)); err != nil {
			return nil, err
		}
	}
	cmd := []any{c.Value("lang"), f.Name()}
	switch args := c.Value("args").(type) {
	case string:
		cmd = append(cmd, args)
	case []any:
		cmd = append(cmd, args...)
	}
	kwargs := value.NewMap("cwd", c.Value("cwd"), "python_shell", false)
	c.Kwargs.Range(func(k, v any) bool {
		kwargs.Set(k, v)
		return true
	})
	return c.callAll(ctx, cmd, kwargs)
}

// giveTo changes the owner of a file.
func giveTo(path, name string) error {
	u, err := user.Lookup(name)
	if err != nil {
		return CommandErrorf("User '%s' is not available", name)
	}
	uid, err := strconv.Atoi(u.Uid)
	if err != nil {
		return err
	}
	return os.Chown(path, uid, -1)
}

// runAll is cmd.run_all for words, without a shell, whatever the exit code.
func (c *Call) runAll(ctx context.Context, words []any) (*value.Map, error) {
	return c.callAll(ctx, words, value.NewMap("python_shell", false, "ignore_retcode", true))
}

func (c *Call) callAll(ctx context.Context, words []any, kwargs *value.Map) (*value.Map, error) {
	marked := kwargs.Clone()
	marked.Set("__kwarg__", true)
	res := Execute(ctx, c.Env, Invocation{Fun: "cmd.run_all", Args: []any{words, marked}, JID: c.JID})
	if res.Err != nil {
		return nil, res.Err
	}
	c.Retcode = res.Retcode
	out, _ := res.Value.(*value.Map)
	return out, nil
}
