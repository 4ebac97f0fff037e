package runnerenv

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/momtree/mom/master/files"
	"github.com/momtree/mom/master/orchestrate"
	"github.com/momtree/mom/master/pillar"
	"github.com/momtree/mom/master/runners"
	"github.com/momtree/mom/master/wheels"
	"github.com/momtree/mom/salt/render"
	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

var _ orchestrate.Env = Env{}

// Orchestration returns what a run of states on this master needs.
func (e Env) Orchestration() orchestrate.Parts {
	p := e.p
	id := p.ID // a default id already ends with _master
	return orchestrate.Parts{
		ID: id, JID: e.orchestrationJID, Source: stateFiles{p.Files},
		Modules: stateModules{functions{env: e, host: true}},
		Renderer: func(vars *value.Map) states.Renderer {
			known := p.Engines.Vars()
			vars.Range(func(k, v any) bool { known.Set(k, v); return true })
			return stateRenderer{e, known}
		},
		Pillar: func(ctx context.Context, saltenv, pillarenv string, override *value.Map) (*value.Map, error) {
			return p.Pillars.Compile(ctx, pillar.Request{ID: id, Saltenv: saltenv, Pillarenv: pillarenv, Override: override, Passing: true})
		},
		Call: e.orchestrated, Fire: p.Fire, Failhard: p.Config.Failhard, StateEvents: p.Config.StateEvents, Pauses: p.Pauses, Now: p.Now, Log: p.Log,
	}
}

// orchestrationJID returns the id of a run. It records the cause of the run, so that the reactor
// can attribute its events.
func (e Env) orchestrationJID(ctx context.Context) string {
	jid := e.p.JIDs.Next()
	e.p.Causes.Begin(jid, runners.CallOf(ctx))
	return jid
}

// orchestrated calls a runner or wheel function for a run of states.
func (e Env) orchestrated(ctx context.Context, kind, fun string, args []any, kwargs *value.Map) orchestrate.Ended {
	p := e.p
	jid := p.JIDs.Next()
	if kind == "wheel" {
		call := wheels.Bind(wheels.Request{Fun: fun, Args: args, Kwargs: kwargs})
		data, err := p.Wheels.Do(ctx, wheels.Start{JID: jid, User: e.owner.Name, Eauth: e.owner.Eauth, Call: call})
		ret, _ := data.Get("return")
		return orchestrate.Ended{JID: jid, Return: ret, OK: err == nil}
	}
	p.Causes.Begin(jid, runners.CallOf(ctx))
	v, err := e.s.runners.Do(ctx, runners.Bind(runners.Request{Fun: fun, Args: args, Kwargs: kwargs}), runners.Start{JID: jid, User: e.owner.Name, Eauth: e.owner.Eauth, Keep: !runners.Private(fun)})
	if err != nil && v == nil {
		v = err.Error()
	}
	return orchestrate.Ended{JID: jid, Return: v, OK: err == nil}
}

// stateFiles reads file_roots for states.
type stateFiles struct{ server *files.Server }

// Envs lists the environments.
func (s stateFiles) Envs(ctx context.Context) ([]string, error) { return s.server.Envs(ctx, "") }

// Files lists the paths of an environment.
func (s stateFiles) Files(ctx context.Context, saltenv string) ([]string, error) {
	return s.server.List(ctx, saltenv, files.Files, "", "")
}

// Open reads a file.
func (s stateFiles) Open(ctx context.Context, saltenv, path string) ([]byte, error) {
	return files.Loader(s.server).Open(ctx, saltenv, path)
}

// Tops returns nil: an orchestration has no top file.
func (stateFiles) Tops(context.Context) (*value.Map, error) { return nil, nil } //nolint:nilnil // nothing is an answer

// stateModules are the functions for conditions and slots of states on a master.
type stateModules struct{ functions }

// Call calls a function.
func (s stateModules) Call(ctx context.Context, fun string, args []any, kwargs *value.Map) (any, error) {
	v, err := s.functions.Call(ctx, fun, args, kwargs)
	if errors.Is(err, render.ErrNoFunction) {
		err = fmt.Errorf("%w at a master: %s", states.ErrNoFunction, fun)
	}
	return v, err
}

// Retcode is Call, since none of these functions sets an exit code. An unavailable function is an
// error, because false would pass for a failed command.
func (s stateModules) Retcode(ctx context.Context, fun string, args []any, kwargs *value.Map) (any, int, error) {
	for _, k := range kwargs.Keys() {
		if name, _ := k.(string); fun == "cmd.retcode" && !slices.Contains([]string{"cwd", "timeout", "python_shell", "ignore_retcode"}, name) {
			return nil, 0, fmt.Errorf("%w at a master: %s with %s", states.ErrNoFunction, fun, name)
		}
	}
	v, err := s.Call(ctx, fun, args, kwargs)
	return v, 0, err
}

// stateRenderer renders the files of one run.
type stateRenderer struct {
	env  Env
	vars *value.Map
}

// Render renders a file.
func (r stateRenderer) Render(ctx context.Context, t states.Template) (any, error) {
	p := r.env.p
	engine, err := p.Engines.New(files.Loader(p.Files), functions{env: r.env, host: true})
	if err != nil {
		return nil, fmt.Errorf("make the renderer: %w", err)
	}
	return engine.SLS(ctx, render.Template{Source: t.Data, SLS: t.SLS, Saltenv: cmp.Or(t.Saltenv, "base"), Path: t.Path, Vars: r.vars.Clone()}, p.Config.Renderer)
}
