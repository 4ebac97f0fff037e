package pillar

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/momtree/mom/master/pillar/ext"
	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/salt/render"
	"github.com/momtree/mom/value"
)

// function is a function that pillar templates may call on the master.
type function struct {
	args []string // parameter names; "=" follows optional ones
	// steady means that equal requests have equal results.
	steady bool
	run    func(ctx context.Context, a args) (any, error)
}

// args are the arguments of a call by name.
type args map[string]any

// calls are the functions of this package for pillar templates. As in Salt, the authors of
// pillar_roots files decide what runs on the master. A minion influences it only through the grains
// that a template uses.
var calls = map[string]function{
	"cmd.retcode":           {args: cmdArgs, run: cmdRetcode},
	"cmd.run":               {args: cmdArgs, run: cmdRun(false)},
	"cmd.run_stdout":        {args: cmdArgs, run: cmdRun(false)},
	"cmd.shell":             {args: cmdArgs, run: cmdRun(true)},
	"cp.get_file_str":       {args: []string{"path", "saltenv="}, run: cpGetFileStr},
	"environ.get":           {args: []string{"key", "default="}, run: environGet},
	"file.directory_exists": {args: []string{"path"}, run: fileIs(fs.FileMode.IsDir)},
	"file.file_exists":      {args: []string{"path"}, run: fileIs(fs.FileMode.IsRegular)},
	"file.read":             {args: []string{"path", "binary="}, run: fileRead},
	"pillar.file_exists":    {args: []string{"path", "saltenv="}, steady: true, run: pillarFileExists},
}

// functions are all functions for templates: calls, and more, which may be nil.
type functions struct{ more Callables }

// Call calls a function for the pass of ctx.
func (fs functions) Call(ctx context.Context, name string, positional []any, kwargs *value.Map) (any, error) {
	p := passOf(ctx)
	if p == nil {
		return nil, render.ErrNoFunction
	}
	f, ok := calls[name]
	own := (strings.HasPrefix(name, "match.") || strings.HasPrefix(name, "cp.")) && fs.more != nil && fs.more.Has(name) // of a minion without a master
	if !ok || own {
		if fs.more == nil || !fs.more.Has(name) {
			return nil, render.ErrNoFunction
		}
		p.seen.unfit("a template calls " + name)
		return fs.more.Call(ctx, name, positional, kwargs)
	}
	if !f.steady {
		p.seen.unfit("a template calls " + name)
	}
	return OnHost(ctx, name, positional, kwargs)
}

// OnHost calls one of [Functions] that does not need a pillar, for other templates that a master
// renders.
func OnHost(ctx context.Context, name string, positional []any, kwargs *value.Map) (any, error) {
	f, ok := calls[name]
	if !ok {
		return nil, render.ErrNoFunction
	}
	a, err := f.bind(name, positional, kwargs)
	if err != nil {
		return nil, err
	}
	return f.run(ctx, a)
}

// Has reports whether a function with this name exists.
func (fs functions) Has(name string) bool {
	_, ok := calls[name]
	return ok || fs.more != nil && fs.more.Has(name)
}

// Functions lists the functions for pillar templates, in addition to those of every template.
func Functions() []string { return slices.Sorted(maps.Keys(calls)) }

func (f function) bind(name string, positional []any, kwargs *value.Map) (args, error) {
	a := args{}
	if len(positional) > len(f.args) {
		return nil, fmt.Errorf("%s() takes %d positional arguments but %d were given", name, len(f.args), len(positional))
	}
	for i, v := range positional {
		a[strings.TrimSuffix(f.args[i], "=")] = v
	}
	for _, k := range kwargs.Keys() {
		key := fmt.Sprint(k)
		if !slices.Contains(f.args, key) && !slices.Contains(f.args, key+"=") {
			return nil, fmt.Errorf("%s() got an unexpected keyword argument '%s'", name, key)
		}
		a[key], _ = kwargs.GetKey(k)
	}
	for _, n := range f.args {
		if _, ok := a[n]; !ok && !strings.HasSuffix(n, "=") {
			return nil, fmt.Errorf("%s() missing 1 required positional argument: '%s'", name, n)
		}
	}
	return a, nil
}

func (a args) text(name string) string {
	if a[name] == nil {
		return ""
	}
	return pyfmt.Str(a[name])
}

var cmdArgs = []string{"cmd", "cwd=", "python_shell=", "timeout=", "ignore_retcode="}

// cmdRun runs a program with the rights of the master and returns its output without trailing
// newlines. As in Salt it uses no shell unless python_shell is set. Unlike in Salt a failing
// program is an error, unless ignore_retcode is set.
func cmdRun(shell bool) func(context.Context, args) (any, error) {
	return func(ctx context.Context, a args) (any, error) {
		out, err := runProgram(ctx, shell, pyfmt.Truth(a["ignore_retcode"]), a)
		if err != nil {
			return nil, fmt.Errorf("cmd.run: %w", err)
		}
		return strings.TrimRight(string(out), "\r\n"), nil
	}
}

// cmdRetcode runs a program in the same way and returns its exit code.
func cmdRetcode(ctx context.Context, a args) (any, error) {
	_, err := runProgram(ctx, false, false, a)
	var exit *exec.ExitError
	switch {
	case err == nil:
		return int64(0), nil
	case errors.As(err, &exit) && exit.ExitCode() > 0:
		return int64(exit.ExitCode()), nil
	}
	return nil, fmt.Errorf("cmd.retcode: %w", err)
}

func runProgram(ctx context.Context, shell, anyCode bool, a args) ([]byte, error) {
	argv := []string{"/bin/sh", "-c", a.text("cmd")}
	if list, ok := a["cmd"].([]any); ok {
		argv = argv[:0]
		for _, w := range list {
			argv = append(argv, pyfmt.Str(w))
		}
	} else if !shell && !pyfmt.Truth(a["python_shell"]) {
		var err error
		if argv, err = pyfmt.SplitCommand(a.text("cmd")); err != nil {
			return nil, err
		}
	}
	if len(argv) == 0 {
		return nil, errors.New("no command")
	}
	if n, ok := pyfmt.Number(a["timeout"]); ok && n > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(n*float64(time.Second)))
		defer cancel()
	}
	return ext.Run(ctx, ext.Program{Argv: argv, Dir: a.text("cwd"), Any: anyCode})
}

func environGet(_ context.Context, a args) (any, error) {
	if v, ok := os.LookupEnv(a.text("key")); ok {
		return v, nil
	}
	if d, ok := a["default"]; ok {
		return d, nil
	}
	return "", nil
}

func fileIs(is func(fs.FileMode) bool) func(context.Context, args) (any, error) {
	return func(_ context.Context, a args) (any, error) {
		st, err := os.Stat(a.text("path"))
		return err == nil && is(st.Mode()), nil
	}
}

// fileRead returns the content of a file of the master.
func fileRead(_ context.Context, a args) (any, error) {
	b, err := readRegular(a.text("path"), maxFile)
	if err != nil {
		return nil, fmt.Errorf("file.read: %w", err)
	}
	if pyfmt.Truth(a["binary"]) {
		return b, nil
	}
	return string(b), nil
}
