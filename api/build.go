package api

import (
	"context"
	"fmt"
	"net/http"

	"github.com/momtree/mom/api/stream"
	"github.com/momtree/mom/client"
)

// build makes the handlers of a server, in the order in which their parts depend on each other, and
// the handler that serves its requests. Streams end with ending.
func build(ending context.Context, o Options, b Backend, hub *stream.Hub) (http.Handler, handlers, error) {
	d, ok := dialects[o.Dialect]
	if !ok {
		return nil, handlers{}, fmt.Errorf("unknown dialect %q: use %s or %s", o.Dialect, CherryPy, Tornado)
	}
	table := handlers{}.routes(d)
	if err := checkPaths(table, o); err != nil {
		return nil, handlers{}, fmt.Errorf("%s: %w", o.Dialect, err)
	}
	doc, err := describe(table, o)
	if err != nil {
		return nil, handlers{}, fmt.Errorf("%s: describe the routes: %w", o.Dialect, err)
	}
	origins, err := newOrigins(o.Origins)
	if err != nil {
		return nil, handlers{}, fmt.Errorf("%s: %w", o.Dialect, err)
	}
	files, err := openFiles(o)
	if err != nil {
		return nil, handlers{}, fmt.Errorf("%s: %w", o.Dialect, err)
	}

	plain := o.DisableTLS || o.Cert == ""
	counts, budget, repeats := &figures{}, newBudget(o.MaxInFlight, o.MaxBody), newRepeatStore(o.Now)
	tokens := newTokenChecker(b, origins, budget.strangers, o.Now)
	logins := newLoginQueue(b, tokens)
	open := &streams{tokens: b, rules: eventRules{all: o.AllEvents, masterUser: o.MasterUser}, max: o.MaxStreams, ending: ending, now: o.Now}
	trees := &treeCache{as: func(l client.Login) treeReader { return b.As(l) }, ending: ending, time: o.RunnerTime, now: o.Now}
	bodies := newBodyReader(budget, o.MaxBody, o.BodyTime)
	verify := &verifier{tokens: tokens, logins: logins, budget: budget, master: b, log: o.Log}
	chunks := &chunkRunner{
		as: func(l client.Login) chunkSession { return b.As(l) }, enabled: o.Clients, noMatch: noMatchOf(o.Dialect),
		local: &localClient{time: o.CallTime, log: o.Log}, runner: &runnerClient{time: o.RunnerTime}, wheel: &wheelClient{time: o.RunnerTime},
	}
	h := handlers{
		login: &loginHandler{rules: d, origins: origins, bodies: bodies, logins: logins, master: b, secure: !plain, now: o.Now},
		lowData: &lowDataHandler{
			origins: origins, tokens: tokens, bodies: bodies, logins: verify, chunks: chunks, repeats: repeats,
			typed: d.typed, chunkToken: o.Dialect == Tornado,
		},
		minions: &minionHandler{
			tokens: tokens, bodies: bodies, chunks: chunks, repeats: repeats,
			typed: d.typed, links: d.links, asyncOnly: o.Dialect == Tornado,
		},
		jobs: &jobHandler{
			as: func(l client.Login) jobSession { return b.As(l) }, streams: open, time: o.RunnerTime, info: d.info, log: o.Log,
		},
		tree:    &treeHandler{trees: trees},
		preview: &previewHandler{as: func(l client.Login) targetReader { return b.As(l) }, time: o.RunnerTime},
		keys: &keyHandler{
			as: func(l client.Login) keyCaller { return b.As(l) }, origins: origins, tokens: tokens, bodies: bodies, logins: verify,
			time: o.RunnerTime, now: o.Now,
		},
		hooks:  &hookHandler{tokens: tokens, bodies: bodies, master: b, open: o.OpenWebhooks, raw: d.rawHook},
		events: &eventHandler{streams: open, hub: hub, master: b, none: o.NoEvents},
		files:  files,
		stats: &statsHandler{
			dialect: o.Dialect, version: o.Version, open: o.OpenStats, tokens: tokens, figures: counts, budget: budget,
			streams: open, hub: hub, begun: o.Now(), now: o.Now,
		},
		health: &healthHandler{master: b, log: o.Log},
		doc:    &docHandler{doc: doc},
	}

	fail := &errorWriter{log: o.Log, redirects: d.redirects, debug: o.Debug}
	g := &guard{origins: origins, tokens: tokens, budget: budget, tracer: o.Tracer}
	return chain(newRouter(h.routes(d), o, origins, fail, g.endpoint),
		addressed(o.Proxies), logged(o.Log, o.Dialect, counts, o.Now), fresh, recovered(fail), unambiguous(fail), frontEnd(files, o, fail)), h, nil
}
