package state

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/momtree/mom/salt/pyfmt"

	"github.com/momtree/mom/internal/config"

	"github.com/momtree/mom/salt/modules"
	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/salt/states/functions"
	"github.com/momtree/mom/value"
)

// keywords are those that runs of states take; others are refused.
var keywords = []string{
	"saltenv", "pillarenv", "pillar", "exclude", "test", "queue", "mock", "concurrent", "force", "whitelist", "terse",
	"state_events", "orchestration_jid", "sync_mods",
}

// refused are keywords that Salt has and that are not carried out here.
var refused = map[string]string{
	"pillar_enc":  "give the pillar in clear, or in pillar_roots with the renderer gpg",
	"localconfig": "set the options in the minion's own configuration",
	"cache":       "leave it out: the states are compiled anew",
	"cache_name":  "leave it out: the states are compiled anew",
	"snapper":     "leave it out",
}

// job is one call of a function of this module.
type job struct {
	*modules.Call
	env   *runEnv
	force bool
	run   *states.Run
	set   settings
}

// checkKeywords refuses keywords that would change nothing.
func checkKeywords(c *modules.Call) error {
	var bad error
	c.Kwargs.Range(func(k, v any) bool {
		name := k.(string)
		if how, ok := refused[name]; ok && pyfmt.Truth(v) {
			bad = &modules.InvocationError{Msg: fmt.Sprintf("the keyword %s is not carried out by this minion: %s", name, how)}
		} else if !ok && !slices.Contains(keywords, name) && config.Similar(name, keywords) != "" { // Salt ignores others
			bad = &modules.InvocationError{Msg: fmt.Sprintf("unknown keyword %s; there are %s", name, strings.Join(keywords, ", "))}
		}
		return bad == nil
	})
	return bad
}

func (j *job) keyword(name string) any {
	v, _ := j.Kwargs.Get(name)
	return v
}

// prepare makes the run of one call. top is another top file; "" is the option's. A
// pillar that failed to render is told as problems.
func prepare(ctx context.Context, c *modules.Call, test any, top string, fallback string) (j *job, problems []any, err error) {
	set, err := settingsOf(ctx, c.Env)
	if err != nil {
		return nil, nil, err
	}
	j = &job{Call: c, set: set, force: pyfmt.Truth(mustGet(c, "force"))}
	saltenv, pillarenv, err := j.environments()
	if err != nil {
		return nil, nil, err
	}
	j.env = &runEnv{Env: c.Env, test: j.testing(test)}
	if err := j.env.givePillar(ctx, j.keyword("pillar"), saltenv, pillarenv); err != nil {
		return nil, nil, err
	}
	if list, ok := j.env.pillar.Get("_errors"); ok && !j.force {
		problems = append(problems, asList(list)...)
		return j, problems, nil
	}
	if saltenv == "" {
		saltenv = fallback
	}
	return j, nil, j.build(saltenv, top)
}

func mustGet(c *modules.Call, name string) any {
	v, _ := c.Kwargs.Get(name)
	return v
}

func asList(v any) []any {
	if l, ok := v.([]any); ok {
		return l
	}
	return []any{v}
}

// environments are saltenv and pillarenv of the run; "" is none.
func (j *job) environments() (saltenv, pillarenv string, err error) {
	saltenv, pillarenv = text(j.Env.Option("saltenv")), text(j.Env.Option("pillarenv"))
	if v, ok := j.Kwargs.Get("saltenv"); ok && v != nil {
		asked := modules.PyStr(v)
		if pyfmt.Truth(j.Env.Option("lock_saltenv")) && asked != saltenv {
			return "", "", &modules.CommandError{Msg: "lock_saltenv is enabled, saltenv cannot be changed"}
		}
		saltenv = asked
	}
	if v := j.keyword("pillarenv"); v != nil {
		pillarenv = modules.PyStr(v)
	} else if v := j.keyword("saltenv"); v != nil && (j.Kwargs.Has("pillarenv") || pyfmt.Truth(j.Env.Option("pillarenv_from_saltenv"))) {
		pillarenv = modules.PyStr(v)
	}
	return saltenv, pillarenv, nil
}

// testing tells whether the run only tells what would change.
func (j *job) testing(test any) bool {
	if test == nil {
		test = j.keyword("test")
	}
	if test == nil && testByData(j.Env) {
		return true
	}
	if test == nil {
		test = j.Env.Option("test")
	}
	return pyfmt.Truth(test)
}

// testByData reports whether grains or pillar say `test: True`, which as in Salt makes the runs of
// a minion test runs where the call says nothing.
func testByData(e modules.Env) bool {
	for _, from := range []*value.Map{e.Grains(), e.Pillar().Map("master"), e.Pillar()} {
		if v, ok := from.Get("test"); ok {
			return v == true
		}
	}
	return false
}

// build makes the run.
func (j *job) build(saltenv, top string) error {
	e := j.env
	files := e.Files()
	fns := moduleCalls{e, j.JID}
	engine, err := newEngine(e, j.set, j.JID)
	if err != nil {
		return err
	}
	pipe := text(j.set.Option("renderer"))
	if pipe == "" {
		pipe = "jinja|yaml"
	}
	rend := renderer{engine, e, pipe, time.Duration(whole(e.Option("render_timeout"))) * time.Second}
	id := text(e.Option("id"))
	o := states.Options{
		Functions: functions.Set{Env: e, Text: rend, JID: j.JID}, Modules: fns,
		Source: source{files, e}, Renderer: rend,
		Subject: subject{e, id}, Nodegroups: j.set.nodegroups(),
		ID: id, JID: j.JID, OrchestrationJID: modules.PyStr(or(j.keyword("orchestration_jid"), "")),
		Grains:  e.Grains,
		Saltenv: saltenv, LockSaltenv: pyfmt.Truth(e.Option("lock_saltenv")),
		StateTop: j.set.top(), StateTopSaltenv: text(j.set.Option("state_top_saltenv")),
		MergingStrategy: text(j.set.Get("top_file_merging_strategy")), DefaultTop: text(j.set.Get("default_top")),
		EnvOrder: texts(j.set.Get("env_order")), MasterTopsFirst: pyfmt.Truth(e.Option("master_tops_first")),
		NoAutoOrder: j.set.Get("state_auto_order") == false, Failhard: pyfmt.Truth(j.set.Option("failhard")),
		DisabledRequisites: texts(e.Option("disabled_requisites")),
		Test:               e.test, Mock: pyfmt.Truth(j.keyword("mock")),
		Paused: func(ctx context.Context, id string) (bool, error) { return paused(ctx, e, j.JID, id) },
		Fire:   e.Fire, Events: j.events(), Reload: e.reload, Umask: functions.WithUmask, Log: e.Log(),
	}
	if top != "" {
		o.StateTop = strings.TrimPrefix(top, "salt://")
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if masterless(e) {
		o.Fire = nil
	}
	j.run = states.New(o)
	return nil
}

func or(v, w any) any {
	if v == nil {
		return w
	}
	return v
}

// events tells whether each state is told as an event.
func (j *job) events() bool {
	if v := j.keyword("state_events"); v != nil {
		return pyfmt.Truth(v)
	}
	return pyfmt.Truth(j.Env.Option("state_events")) || pyfmt.Truth(j.set.Option("state_events"))
}

// subject is the minion as the top file is matched with.
type subject struct {
	env modules.Env
	id  string
}

// ID implements target.Subject.
func (s subject) ID() string { return s.id }

// Grains implements target.Subject.
func (s subject) Grains() any { return s.env.Grains() }

// Pillar implements target.Subject.
func (s subject) Pillar() any { return s.env.Pillar() }

// end turns the outcome of a run into the result of the function.
func (j *job) end(out states.Outcome, err error) (any, error) {
	if err != nil {
		return nil, explain(err)
	}
	j.Retcode = out.Retcode()
	j.Out = "highstate"
	if out.Results != nil && (pyfmt.Truth(j.keyword("terse")) || j.Env.Option("state_data") == "terse") {
		return changedOnly(out.Results), nil
	}
	return out.Value(), nil
}

// changedOnly leaves out the states that are right and changed nothing.
func changedOnly(results *value.Map) *value.Map {
	out := value.NewMap()
	results.Range(func(tag, v any) bool {
		res, _ := v.(*value.Map)
		if r, _ := res.Get("result"); !pyfmt.Truth(r) || res.Map("changes").Len() > 0 {
			out.Set(tag, v)
		}
		return true
	})
	return out
}

// explain gives an error of the runner its kind among those of modules.
func explain(err error) error {
	if e, ok := errors.AsType[*states.InvocationError](err); ok {
		return &modules.InvocationError{Msg: e.Msg}
	}
	if e, ok := errors.AsType[*states.RequisiteError](err); ok {
		return &modules.CommandError{Msg: e.Error()}
	}
	return err
}

// pillarProblems is the result of a run whose pillar failed to render.
func pillarProblems(c *modules.Call, problems []any) any {
	c.Retcode, c.Out = states.PillarError, "highstate"
	return append([]any{"Pillar failed to render with the following messages:"}, problems...)
}
