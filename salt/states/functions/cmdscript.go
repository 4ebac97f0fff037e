package functions

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/momtree/mom/salt/pyfmt"

	"github.com/momtree/mom/salt/fileclient"
	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

// cmdScript fetches a script and runs it.
func cmdScript(ctx context.Context, c *Call) (*states.Result, error) {
	name, tested := c.Name(), false
	if t := testCommand(c); t != "" && c.Test {
		name, tested = t, true
	}
	if wrong := checkCommand(c, name); wrong != nil {
		return wrong, nil
	}
	if pyfmt.Truth(get(c.Kwargs, "bg")) {
		return bad(name, "The option bg of %s is not supported by this minion: the copy of a script goes when the state has ended", c.Fun), nil
	}
	for _, arg := range []string{"context", "defaults"} {
		if _, ok := c.Value(arg).(*value.Map); !ok && c.Truth(arg) {
			return bad(name, "Invalidly-formatted '%s' parameter. Must be formed as a dict.", arg), nil
		}
	}
	if c.Test && !tested {
		return would(name, fmt.Sprintf("Command '%s' would have been executed", name), nil), nil
	}
	if wrong := workFolder(c, name); wrong != nil {
		return wrong, nil
	}
	source, words := c.Str("source"), pystr(c.Value("args"))
	if source == "" {
		source = name
	}
	if _, given, ok := strings.Cut(name, " "); ok && !c.Truth("args") {
		words = given
	}
	if !c.Truth("args") && !strings.Contains(name, " ") {
		words = ""
	}
	file, err := c.scriptFile(ctx, source)
	if errors.Is(err, fs.ErrNotExist) {
		res := bad(name, "Unable to cache script %s from saltenv '%s'", source, c.Saltenv)
		res.Changes = value.NewMap("pid", int64(0), "retcode", int64(1), "stdout", "", "stderr", "", "cache_error", true)
		return res, nil
	}
	if err != nil {
		return bad(name, "%s", err.Error()), ctx.Err()
	}
	defer func() { _ = os.Remove(file) }()
	line := quoteWord(file)
	if words != "" {
		line += " " + words
	}
	res := bad(name, "")
	kw := commandKwargs(c)
	out, err := c.Module(ctx, "cmd.run_all", []any{line}, kw)
	if err != nil {
		res.Comment = err.Error()
		return res, ctx.Err()
	}
	return ran(c, res, out, fmt.Sprintf("Command '%s' run", name)), nil
}

// scriptFile copies a script to a file that its user may run. It uses the working
// directory, since programs may not be runnable from the folder of temporary files.
func (c *Call) scriptFile(ctx context.Context, source string) (file string, err error) {
	data, err := c.Env.Files().Read(ctx, source, fileclient.Want{Saltenv: c.Saltenv})
	if err != nil {
		return "", err
	}
	if c.Truth("template") {
		if data, err = c.rendered(ctx, data, source, value.NewMap()); err != nil {
			return "", err
		}
	}
	plain, _ := fileclient.Split(source)
	f, err := os.CreateTemp(c.Str("cwd"), "__salt.tmp.*"+path.Ext(plain))
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	mode := fs.FileMode(0o500)
	if user := c.Str("runas"); user != "" && err == nil {
		var uid, gid int
		if uid, gid, err = ownerOf(user); err == nil {
			err = f.Chown(uid, gid)
		}
	}
	err = errors.Join(err, f.Chmod(mode), f.Close())
	if err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), nil
}

// quoteWord quotes a word for a shell.
func quoteWord(s string) string { return "'" + strings.ReplaceAll(s, "'", `'"'"'`) + "'" }
