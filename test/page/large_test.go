package page

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/momtree/mom/api"
	"github.com/momtree/mom/client"
	"github.com/momtree/mom/topology"
	"github.com/momtree/mom/topology/trace"
	"github.com/momtree/mom/value"
)

// large is a master that plays a tree: the API asks it as it asks a real one. What it lacks
// is refused.
type large struct {
	top    topology.Node
	mu     sync.Mutex
	tokens map[string]api.Token
	events chan client.Event
	jobs   *value.Map         // what the runner jobs.list_jobs gives
	record *value.Map         // what jobs.list_job gives
	rets   map[string]any     // of the job
	step   trace.Step         // where the job is
	meant  client.Meant       // by any target
	listed map[string][]any   // keys by their folder
	runner map[string]any     // what further runners give
	follow chan client.Update // of the job
}

const playedJob = "20260102030405000001"

func play(top topology.Node) *large {
	return &large{top: top, tokens: map[string]api.Token{}, events: make(chan client.Event, 100), jobs: value.NewMap(), follow: make(chan client.Update, 10), listed: map[string][]any{}}
}

func (l *large) Ping(context.Context) error { return nil }

func (l *large) MakeToken(_ context.Context, login client.Login, _ time.Duration) (api.Token, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	id := fmt.Sprintf("%064x", len(l.tokens)+1)
	l.tokens[id] = api.Token{Token: id, Name: login.Username, Eauth: login.Eauth, Start: time.Now(), Expire: time.Now().Add(time.Hour), Perms: []any{".*"}}
	return l.tokens[id], nil
}

func (l *large) Token(_ context.Context, id string) (api.Token, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if t, ok := l.tokens[id]; ok {
		return t, nil
	}
	return api.Token{}, api.ErrNoToken
}

func (l *large) RevokeToken(_ context.Context, id string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.tokens, id)
	return nil
}

func (l *large) As(client.Login) api.Session                { return playedSession{l} }
func (l *large) Events(context.Context) (api.Events, error) { return playedEvents{l}, nil }
func (l *large) Fire(context.Context, string, any) error    { return nil }
func (playedEvents) Close() error                           { return nil }
func (playedFollowing) Close() error                        { return nil }

// JobUsers is not asked: whoever logs in here may hear all.
func (l *large) JobUsers(context.Context, []string) (map[string]string, error) {
	return nil, client.ErrNotReported
}

func lacks(what string) error {
	return &client.Refused{Name: "SaltClientError", Message: what + " is not played"}
}
func (s playedSession) Tree(context.Context) (topology.Node, error) { return s.l.top, nil }

type playedEvents struct{ l *large }

func (e playedEvents) Next(ctx context.Context) (client.Event, error) {
	select {
	case ev := <-e.l.events:
		return ev, nil
	case <-ctx.Done():
		return client.Event{}, ctx.Err()
	}
}

type playedSession struct{ l *large }

func (s playedSession) Publish(context.Context, client.Job) (client.Published, error) {
	return client.Published{JID: playedJob, ReportsEnd: true}, nil
}

func (s playedSession) Meant(context.Context, client.Job, int) (client.Meant, error) {
	return s.l.meant, nil
}

func (s playedSession) Run(_ context.Context, j client.Job) (client.Outcome, error) {
	o := client.Outcome{Published: client.Published{JID: playedJob}, Returns: map[string]client.Return{}, Account: &client.Account{JID: playedJob}}
	for id, v := range s.l.rets {
		raw, err := client.RawOf(v)
		if err != nil {
			return o, err
		}
		o.Returns[id] = client.Return{JID: playedJob, ID: id, Fun: strings.Join(j.Fun, ","), Value: raw, Success: true}
	}
	return o, nil
}

func (s playedSession) Batch(context.Context, client.Job, client.Batch, func(client.Return)) (client.Account, error) {
	return client.Account{}, lacks("batch")
}

func (s playedSession) Subset(_ context.Context, j client.Job, _ int) (client.Job, error) {
	return j, lacks("subset")
}

func (s playedSession) Runner(_ context.Context, c client.RunnerCall) (client.Raw, error) {
	switch c.Fun {
	case "jobs.active":
		return client.RawOf(value.NewMap())
	case "jobs.list_jobs":
		return client.RawOf(s.l.jobs)
	case "jobs.list_job":
		return client.RawOf(s.l.record)
	}
	if v, ok := s.l.runner[c.Fun]; ok {
		return client.RawOf(v)
	}
	return nil, lacks(c.Fun)
}

func (s playedSession) StartRunner(context.Context, client.RunnerCall) (client.Started, error) {
	return client.Started{}, lacks("a runner without waiting")
}

func (s playedSession) StartWheel(context.Context, string, map[string]any) (client.Started, error) {
	return client.Started{}, lacks("a wheel function without waiting")
}

func (s playedSession) Wheel(_ context.Context, fun string, _ map[string]any) (client.WheelAnswer, error) {
	var v any = value.NewMap()
	if fun == "key.list_all" {
		m := value.NewMap()
		for _, folder := range []string{"minions", "minions_pre", "minions_rejected", "minions_denied", "local"} {
			m.Set(folder, append([]any{}, s.l.listed[folder]...))
		}
		v = m
	}
	data, err := client.RawOf(value.NewMap("fun", "wheel."+fun, "jid", playedJob, "return", v, "success", true))
	return client.WheelAnswer{Tag: "salt/wheel/" + playedJob, Data: data}, err
}

type playedFollowing struct{ l *large }

func (s playedSession) Follow(context.Context, string) (api.Following, error) {
	return playedFollowing(s), nil
}

func (f playedFollowing) Next(ctx context.Context) (client.Update, error) {
	select {
	case u := <-f.l.follow:
		return u, nil
	case <-ctx.Done():
		return client.Update{}, ctx.Err()
	}
}

func (s playedSession) Returns(context.Context, string) iter.Seq2[client.Return, error] {
	return func(yield func(client.Return, error) bool) {
		for id, v := range s.l.rets {
			raw, err := client.RawOf(v)
			if !yield(client.Return{JID: playedJob, ID: id, Fun: "test.echo", Value: raw, Success: true}, err) {
				return
			}
		}
	}
}

func (s playedSession) Trace(context.Context, string, time.Duration) (trace.Step, error) {
	return s.l.step, nil
}

// huge is a tree of 200 nodes in four tiers with 100,000 minions.
func huge() topology.Node {
	minions := func(node string, n int) (out []topology.Minion) {
		for i := range n {
			m := topology.Minion{ID: fmt.Sprintf("%s-%04d", node, i), State: topology.Up, Version: "1.0"}
			if i%97 == 0 {
				m.State = topology.Down
			}
			out = append(out, m)
		}
		return out
	}
	node := func(id string, n int, below ...topology.Node) topology.Node {
		slices.SortFunc(below, func(a, b topology.Node) int { return strings.Compare(a.ID, b.ID) })
		return topology.Node{ID: id, Role: "syndic", Version: "1.0", State: topology.Up, Since: time.Now().Add(-time.Hour), Life: id, Minions: minions(id, n), Nodes: below}
	}
	top := node("top", 0)
	top.Role = "master"
	// 1 + 9 + 18 + 172 = 200 nodes, 100,000 minions at the 172 leaves
	leaf := 0
	for r := range 9 {
		var regions []topology.Node
		for s := range 2 {
			var sites []topology.Node
			for range 9 + boolInt(leaf < 100) {
				n := 581 + boolInt(leaf < 68)
				sites = append(sites, node(fmt.Sprintf("rack-%03d", leaf), n))
				leaf++
			}
			regions = append(regions, node(fmt.Sprintf("site-%d-%d", r, s), 0, sites...))
		}
		top.Nodes = append(top.Nodes, node(fmt.Sprintf("region-%d", r), 0, regions...))
	}
	return top
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// 100,000 minions in 200 nodes are seen in one picture, each of them is found, and the
// browser holds few elements.
func TestLarge(t *testing.T) {
	top := huge()
	nodes, minions, up := top.Count()
	if nodes+1 != 200 || minions != 100000 {
		t.Fatalf("%d nodes, %d minions", nodes+1, minions)
	}
	url, stop, err := serve(play(top))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	}()
	b := open(t, url)
	b.logIn("alice", "wonder")
	few := func() {
		t.Helper()
		if n := eval[int](b, `document.querySelectorAll("*").length`); n >= 5000 {
			t.Errorf("%d elements", n)
		}
	}
	b.true(`document.querySelectorAll("[role=treeitem]").length === 200`)
	few()
	figures := fmt.Sprintf("%d,%03d", up/1000, up%1000)
	b.text(figures + " of 100,000")
	b.press("treeitem", "rack-007:")
	b.true(`document.querySelector('[aria-label="Details"]').innerText.includes("rack-007-0000")`)
	b.true(`document.querySelector('[role=list][aria-label="Minions of rack-007"] [aria-setsize="582"]') !== null`)
	if !eval[bool](b, `(() => { const l = document.querySelector('[role=list][aria-label="Minions of rack-007"]'); l.scrollTop = l.scrollHeight; return true })()`) {
		t.Error("no list")
	}
	b.text("rack-007-0581")
	few()
	b.write("searchbox", "Search nodes and minions", "rack-171-0500")
	b.press("link", "rack-171-0500")
	b.true(`location.hash.startsWith("#/minion/rack-171-0500")`)
	b.text("site-8-1")
}
