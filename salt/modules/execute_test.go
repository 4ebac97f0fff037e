package modules

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/momtree/mom/value"
)

// register adds functions for one test.
func register(t *testing.T, module string, fns ...Function) {
	for i := range fns {
		fns[i].Doc = "for a test"
	}
	Register(module, fns...)
	t.Cleanup(func() {
		for _, fn := range fns {
			registered.Remove(module + "." + fn.Name)
		}
	})
}

func returns(v any, err error) func(context.Context, *Call) (any, error) {
	return func(context.Context, *Call) (any, error) { return v, err }
}

func TestExecute_Results(t *testing.T) {
	register(
		t, "exec",
		Function{Name: "plain", Run: returns(errors.New("plain"), errors.New("plain"))},
		Function{Name: "panic", Run: func(context.Context, *Call) (any, error) { panic("oh no") }},
		Function{Name: "index", Run: func(_ context.Context, c *Call) (any, error) { return c.Args[7], nil }},
		Function{Name: "command", Run: returns(nil, CommandErrorf("cmd"))},
		Function{Name: "missing", Run: returns(nil, &NotFoundError{"git"})},
		Function{Name: "bad", Run: returns(value.NewMap("result", false), nil)},
		Function{Name: "good", Run: returns(value.NewMap("result", true, "success", int64(1)), nil)},
		Function{Name: "retcode", Run: func(_ context.Context, c *Call) (any, error) { c.Retcode = 3; return "x", nil }},
	)
	tests := []struct {
		fun     string
		args    []any
		value   any
		retcode int
		is      error
	}{
		{"test.ping", nil, true, 0, nil},
		{"no.such", nil, "'no.such' is not available.", 1, ErrNotAvailable},
		{"test.nosuch", nil, "'test.nosuch' is not available.", 1, ErrNotAvailable},
		{"notdotted", nil, "'notdotted' is not available.", 1, ErrNotAvailable},
		{"test.sleep", nil, "Passed invalid arguments to test.sleep: sleep() missing 1 required positional argument: 'length'", 1, nil},
		{"test.ping", []any{"extra"}, "Passed invalid arguments to test.ping: ping() takes 0 positional arguments but 1 was given", 1, nil},
		{"test.ping", []any{kw("bogus", int64(1))}, "ERROR executing 'test.ping': The following keyword arguments are not valid: bogus=1", 1, nil},
		{"exec.plain", nil, "The minion function caused an exception: plain", 1, nil},
		{"exec.panic", nil, "The minion function caused an exception: panic: oh no (the traceback is in the log of the minion)", 1, nil},
		{"exec.command", nil, "ERROR: cmd", 1, nil},
		{"exec.missing", nil, "Command required for 'exec.missing' not found: git", 1, nil},
		{"exec.bad", nil, m{"result": false}, 1, nil},
		{"exec.good", nil, m{"result": true, "success": int64(1)}, 0, nil},
		{"exec.retcode", nil, "x", 3, nil},
	}
	for _, tt := range tests {
		t.Run(tt.fun, func(t *testing.T) {
			r := run(t, newEnv(), tt.fun, tt.args...)
			same(t, "value", plainValue(r.Value), tt.value)
			if r.Retcode != tt.retcode || r.Success != (tt.retcode == 0) {
				t.Errorf("retcode %d, success %v; want %d", r.Retcode, r.Success, tt.retcode)
			}
			if tt.is != nil && !errors.Is(r.Err, tt.is) {
				t.Errorf("err = %v, want %v", r.Err, tt.is)
			}
			if r.Err != nil && r.Out != "nested" {
				t.Errorf("out = %q, want nested", r.Out)
			}
		})
	}
	env := newEnv()
	run(t, env, "exec.index")
	if !strings.Contains(env.logged(), "execute_test.go") {
		t.Error("the log lacks the traceback of a panic")
	}
}

func TestExecute_DisabledModules(t *testing.T) {
	env := newEnv()
	env.options.Set("disable_modules", []string{"cmd"})
	same(t, "disabled", run(t, env, "cmd.run", "true").Value, any("'cmd.run' is not available."))
	same(t, "other", run(t, env, "test.ping").Value, any(true))
	same(t, "not_loaded", result(t, env, "test.not_loaded"), any([]any{"cmd"}))
	env = newEnv()
	env.options.Set("whitelist_modules", []any{"test", "sys"})
	same(t, "not on the list", run(t, env, "cmd.run", "true").Value, any("'cmd.run' is not available."))
	same(t, "modules", result(t, env, "sys.list_modules"), any([]any{"sys", "test"}))
}

func TestExecute_Blackout(t *testing.T) {
	env := newEnv()
	env.pillar.Set("minion_blackout", true)
	env.pillar.Set("minion_blackout_whitelist", []any{"test.true"})
	if r := run(t, env, "test.ping"); r.Success || !strings.HasPrefix(r.Value.(string), "ERROR executing 'test.ping': Minion in blackout mode.") {
		t.Errorf("result = %v", r.Value)
	}
	for _, fun := range []string{"test.true", "saltutil.refresh_pillar"} {
		if r := run(t, env, fun); !r.Success {
			t.Errorf("%s: %v", fun, r.Value)
		}
	}
}

func TestExecute_EndedJobSaysSo(t *testing.T) {
	ctx, ctl := WithControl(t.Context())
	defer ctl.End()
	ctl.Signal(syscall.SIGTERM)
	r := Execute(ctx, newEnv(), Invocation{Fun: "test.sleep", Args: []any{int64(3600)}, JID: "7"})
	if want := "ERROR: job 7 was ended: signal 15 (terminated)"; r.Value != want || r.Success {
		t.Errorf("result = %v, want %s", r.Value, want)
	}
}

func TestRegister_RefusesMistakes(t *testing.T) {
	ok := returns(nil, nil)
	for name, fn := range map[string]Function{
		"twice":                   {Name: "ping", Doc: "d", Run: ok},
		"no name":                 {Doc: "d", Run: ok},
		"dotted":                  {Name: "a.b", Doc: "d", Run: ok},
		"no doc":                  {Name: "x1", Run: ok},
		"no code":                 {Name: "x2", Doc: "d"},
		"argument twice":          {Name: "x3", Doc: "d", Run: ok, Args: []Arg{{Name: "a"}, {Name: "a"}}},
		"required after optional": {Name: "x4", Doc: "d", Run: ok, Args: []Arg{{Name: "a"}, {Name: "b", Required: true}}},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			Register("test", fn)
		})
	}
}

func TestRegistry_EveryFunctionIsDocumented(t *testing.T) {
	for _, name := range Functions() {
		fn, _ := Lookup(name)
		if !strings.Contains(fn.Doc, "CLI Example:") {
			t.Errorf("%s has no example", name)
		}
	}
}
