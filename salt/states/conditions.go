package states

import (
	"context"
	"errors"
	"os"

	"github.com/momtree/mom/salt/pyfmt"

	"github.com/momtree/mom/value"
)

// errNoModules is the error of a state that needs an execution function when there are
// none.
var errNoModules = errors.New("no execution functions can be called here")

// commandOptions are the options of a state that apply to the commands of unless and
// onlyif.
var commandOptions = []string{"cwd", "root", "runas", "env", "prepend_path", "umask", "timeout", "success_retcodes"}

// conditions checks onlyif, unless and creates. A result of true means that the state must
// not run.
func (r *Run) conditions(ctx context.Context, c *value.Map) (*value.Map, error) {
	res := value.NewMap("result", false, "comment", []any{})
	identify(res, c)
	add := func(one *value.Map, err error) error {
		if err != nil {
			return err
		}
		res.Set("result", pyfmt.Truth(get(one, "result")) || pyfmt.Truth(get(res, "result")))
		appendTo(res, "comment", get(one, "comment"))
		if v, ok := one.Get("skip_watch"); ok {
			res.Set("skip_watch", pyfmt.Truth(v) || pyfmt.Truth(get(res, "skip_watch")))
		}
		return nil
	}
	opts := r.commandOptions(c)
	if v, ok := c.Get("onlyif"); ok {
		if err := add(r.onlyIf(ctx, v, opts)); err != nil {
			return nil, err
		}
	}
	if v, ok := c.Get("unless"); ok {
		if err := add(r.unless(ctx, v, opts)); err != nil {
			return nil, err
		}
	}
	if v, ok := c.Get("creates"); ok {
		_ = add(creates(v), nil)
	}
	return res, nil
}

// commandOptions returns the keywords for the commands of a state's conditions.
func (r *Run) commandOptions(c *value.Map) *value.Map {
	excluded := get(c, "cmd_opts_exclude")
	skip := listOf(excluded)
	if skip == nil && excluded != nil {
		skip = []any{excluded}
	}
	opts := value.NewMap()
	for _, name := range commandOptions {
		if v, ok := c.Get(name); ok && !has(skip, name) {
			opts.Set(name, v)
		}
	}
	if v, ok := c.Get("shell"); ok && !has(skip, "shell") {
		setShell(opts, v)
	} else if v, ok := r.o.Grains().Get("shell"); ok {
		setShell(opts, v)
	}
	return opts
}

// setShell sets the shell for the commands, unless it is a shell that prevents logins.
func setShell(opts *value.Map, shell any) {
	if shell != nil && shell != "/sbin/nologin" {
		opts.Set("shell", shell)
	}
}

// retcode runs a command and returns its exit code, or failed if it cannot run.
func (r *Run) retcode(ctx context.Context, command string, opts *value.Map, failed int64) (int64, error) {
	if r.o.Modules == nil {
		return 0, errNoModules
	}
	kw := opts.Clone()
	kw.Set("ignore_retcode", true)
	kw.Set("python_shell", true)
	v, _, err := r.o.Modules.Retcode(ctx, "cmd.retcode", []any{command}, kw)
	switch {
	case ctx.Err() != nil:
		return 0, ctx.Err()
	case errors.Is(err, ErrNoFunction):
		return 0, err
	case err != nil:
		return failed, nil
	}
	return value.NewMap("retcode", v).Int("retcode"), nil
}

func entries(v any) []any {
	if l, ok := v.([]any); ok {
		return l
	}
	return []any{v}
}

// onlyIf lets a state run if all of its conditions are true.
func (r *Run) onlyIf(ctx context.Context, v any, opts *value.Map) (*value.Map, error) {
	good := value.NewMap("result", false, "comment", "onlyif condition is true")
	bad := value.NewMap("result", true, "comment", "onlyif condition is false", "skip_watch", true)
	last := value.NewMap("result", false)
	for _, e := range entries(v) {
		var ok bool
		switch e := e.(type) {
		case string:
			n, err := r.retcode(ctx, e, opts, 100)
			if err != nil {
				return nil, err
			}
			ok = n == 0
		case *value.Map:
			if !e.Has("fun") {
				return value.NewMap("result", false, "comment", "no `fun` argument in onlyif: "+str(e)), nil
			}
			truth, code, err := r.condition(ctx, e)
			if err != nil {
				return nil, err
			}
			ok = code == 0 && truth
		default:
			return value.NewMap("result", false, "comment", "onlyif execution failed, bad type passed"), nil
		}
		if !ok {
			return bad, nil
		}
		last = good
	}
	return last, nil
}

// unless lets a state run if one of its conditions is false.
func (r *Run) unless(ctx context.Context, v any, opts *value.Map) (*value.Map, error) {
	holds := value.NewMap("result", true, "comment", "unless condition is true", "skip_watch", true)
	not := value.NewMap("result", false, "comment", "unless condition is false")
	last := value.NewMap("result", false)
	for _, e := range entries(v) {
		switch e := e.(type) {
		case string:
			n, err := r.retcode(ctx, e, opts, 0)
			if err != nil {
				return nil, err
			}
			if n != 0 {
				return not, nil
			}
			last = holds
		case *value.Map:
			if !e.Has("fun") {
				return value.NewMap("result", false, "comment", "no `fun` argument in unless: "+str(e)), nil
			}
			truth, code, err := r.condition(ctx, e)
			if err != nil {
				return nil, err
			}
			if code != 0 || !truth {
				return not, nil
			}
			last = holds
		default:
			last = value.NewMap("result", false, "comment", "unless condition is false, bad type passed")
		}
	}
	return last, nil
}

// condition calls the execution function in an entry of unless or onlyif.
func (r *Run) condition(ctx context.Context, e *value.Map) (truth bool, retcode int, err error) {
	if r.o.Modules == nil {
		return false, 0, errNoModules
	}
	kw := copied(e).(*value.Map)
	fun, args, path := kw.String("fun"), kw.List("args"), get(kw, "get_return")
	for _, name := range []string{"fun", "args", "get_return"} {
		kw.Delete(name)
	}
	call := &Call{Args: value.NewMap("args", args), Kwargs: kw}
	if err := r.fillSlots(ctx, call); err != nil {
		return false, 0, err
	}
	v, retcode, err := r.o.Modules.Retcode(ctx, fun, call.Args.List("args"), call.Kwargs)
	if err != nil {
		return false, 0, err
	}
	if pyfmt.Truth(path) {
		v = traverse(v, str(path), ":")
	}
	return pyfmt.Truth(v), retcode, nil
}

// creates prevents a state from running if its files exist.
func creates(v any) *value.Map {
	there := func(e any) bool {
		path, ok := e.(string)
		if !ok {
			return false
		}
		_, err := os.Stat(path)
		return err == nil
	}
	switch v := v.(type) {
	case string:
		if there(v) {
			return value.NewMap("result", true, "comment", v+" exists", "skip_watch", true)
		}
	case []any:
		all := true
		for _, e := range v {
			all = all && there(e)
		}
		if all {
			return value.NewMap("result", true, "comment", "All files in creates exist", "skip_watch", true)
		}
	}
	return value.NewMap("result", false, "comment", "Creates files not found")
}

// checkCmd runs the commands that decide whether a state succeeded.
func (r *Run) checkCmd(ctx context.Context, c *value.Map) (*value.Map, error) {
	opts := value.NewMap()
	if v, ok := r.o.Grains().Get("shell"); ok {
		opts.Set("shell", v)
	}
	res := value.NewMap("result", false)
	identify(res, c)
	for _, e := range entries(get(c, "check_cmd")) {
		command, ok := e.(string)
		if !ok {
			return nil, errors.New("check_cmd: a command must be a string, not " + str(e))
		}
		n, err := r.retcode(ctx, command, opts, 1)
		if err != nil {
			return nil, err
		}
		if n != 0 {
			res.Set("comment", "check_cmd determined the state failed")
			res.Set("result", false)
			return res, nil
		}
		res.Set("comment", "check_cmd determined the state succeeded")
		res.Set("result", true)
	}
	return res, nil
}
