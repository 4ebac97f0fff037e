package state

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/momtree/mom/salt/modules"
	"github.com/momtree/mom/salt/render"
	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/salt/states/functions"
	"github.com/momtree/mom/value"
)

// moduleCalls calls execution modules for templates and conditions of states.
type moduleCalls struct {
	env modules.Env
	jid string
}

var (
	_ render.Functions = moduleCalls{}
	_ render.Lister    = moduleCalls{}
	_ states.Modules   = moduleCalls{}
)

// Functions returns the execution modules of a minion for templates, in the job with the id
// jid.
func Functions(env modules.Env, jid string) interface {
	render.Functions
	render.Lister
} {
	return moduleCalls{env, jid}
}

// Has reports whether the minion has a function, for `'a.b' in salt`.
func (f moduleCalls) Has(name string) bool { return modules.Has(f.env, name) }

// Names returns the minion's functions, including those of external modules.
func (f moduleCalls) Names(ctx context.Context) []string { return modules.Available(ctx, f.env) }

// Call implements both interfaces.
func (f moduleCalls) Call(ctx context.Context, fun string, args []any, kwargs *value.Map) (any, error) {
	//mutant:shell-template
	v, _, err := f.Retcode(ctx, fun, args, kwargs)
	return v, err
}

// Retcode implements [states.Modules].
func (f moduleCalls) Retcode(ctx context.Context, fun string, args []any, kwargs *value.Map) (any, int, error) {
	v, code, err := functions.Execute(ctx, f.env, f.jid, fun, args, kwargs)
	if errors.Is(err, modules.ErrNotAvailable) {
		err = &noFunction{fun}
	}
	return v, code, err
}

// noFunction means that the minion lacks a function.
type noFunction struct{ name string }

func (e *noFunction) Error() string { return fmt.Sprintf("'%s' %v.", e.name, modules.ErrNotAvailable) }

// Is matches the errors with which templates, conditions and modules report a missing
// function.
func (e *noFunction) Is(target error) bool {
	return target == modules.ErrNotAvailable || target == render.ErrNoFunction || target == states.ErrNoFunction
}

// renderer renders SLS files and the sources of file states with the minion's data.
type renderer struct {
	engine *render.Engine
	env    modules.Env
	pipe   string
	within time.Duration // of one rendering; 0: no limit
}

// bounded returns ctx with the time limit of one rendering.
func (r renderer) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	if r.within <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, r.within)
}

var (
	_ states.Renderer = renderer{}
	_ functions.Text  = renderer{}
)

func (r renderer) vars() *value.Map {
	return value.NewMap("grains", r.env.Grains(), "pillar", r.env.Pillar(), "opts", r.env.Options())
}

// Render implements [states.Renderer].
func (r renderer) Render(ctx context.Context, t states.Template) (any, error) {
	ctx, done := r.bounded(ctx)
	defer done()
	return r.engine.SLS(ctx, render.Template{Source: t.Data, SLS: t.SLS, Saltenv: t.Saltenv, Path: t.Path, Vars: r.vars()}, r.pipe)
}

// Text implements [functions.Text].
func (r renderer) Text(ctx context.Context, t functions.Template) (string, error) {
	ctx, done := r.bounded(ctx)
	defer done()
	vars := r.vars()
	t.Vars.Range(func(k, v any) bool {
		vars.Set(k, v)
		return true
	})
	return r.engine.Text(ctx, render.Template{
		Source: t.Source, Saltenv: t.Saltenv, Path: t.Path, Vars: vars, Context: t.Context, Defaults: t.Defaults,
	})
}
