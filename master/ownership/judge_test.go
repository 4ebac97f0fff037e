package ownership

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/presence"
	"github.com/momtree/mom/master/roles"
	"github.com/momtree/mom/topology"
)

// fakeState is the state that a judge reads.
type fakeState struct {
	accepted map[string]bool
	roles    map[string]string
	up       map[string]bool
	admitted map[string]bool
}

func (w *fakeState) Of(id string) roles.Role { return roles.Role(w.roles[id]) }
func (w *fakeState) Admitted(id string) bool { return w.admitted[id] }

func (w *fakeState) Accepted(id string) bool { return w.accepted[id] }

func (w *fakeState) Announces(role, id string) bool { return w.roles[id] == role }

func (w *fakeState) Announced(id string) (engine.Liveness, time.Duration) {
	return w.live(presence.Minion, id)
}

func (w *fakeState) Node(id string) (engine.Liveness, time.Duration) {
	return w.live(presence.Syndic, id)
}

func (w *fakeState) live(role, id string) (engine.Liveness, time.Duration) {
	switch {
	case !w.Announces(role, id):
		return engine.Untracked, 0
	case w.up[id]:
		return engine.Up, 0
	}
	return engine.Down, 0
}

func newJudge(t *testing.T, w *fakeState, syndicIDs ...string) *Judge {
	t.Helper()
	claims, err := OpenClaims(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	nodes, err := OpenNodes(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"n1", "n2", "py"} {
		if _, err := nodes.Add(id); err != nil {
			t.Fatal(err)
		}
	}
	return NewJudge(Config{
		Claims: claims, Nodes: nodes, SyndicIDs: syndicIDs, OrderMasters: true, Roles: w, Keys: w, Presence: w, Running: func(jid string) bool { return jid == "run" },
	})
}

func TestMayAnswer(t *testing.T) {
	w := &fakeState{
		accepted: map[string]bool{"n1": true, "n2": true, "py": true, "here": true, "silent": true, "away": true},
		roles:    map[string]string{"n1": "syndic", "n2": "syndic", "here": "minion", "away": "minion"},
		up:       map[string]bool{"n1": true, "n2": true, "here": true},
	}
	j := newJudge(t, w)
	j.c.Claims.Report(topology.Node{ID: "n1", State: topology.Up, Minions: []topology.Minion{{ID: "a", State: topology.Up}}})
	for _, c := range []struct {
		node, id, want string
	}{
		{"n1", "a", ""},
		{"n2", "a", "connected to node n1"},
		{"py", "a", "connected to node n1"},
		{"n1", "here", "answers for itself"},
		{"n1", "silent", "its key is accepted here"},
		{"n1", "away", ""}, // it may have moved
		{"py", "stranger", ""},
		{"py", "py", ""}, // a syndic that is also a minion
		{"py", "../x", "id"},
	} {
		err := j.MayAnswer(c.node, c.id)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s for %s: %v, want %q", c.node, c.id, err, c.want)
		}
	}
	// A return waits for the report of the node that the minion has moved to.
	ctx, cancel := context.WithCancel(t.Context())
	settled := make(chan error, 1)
	go func() { settled <- j.Settle(ctx, "n2", "a") }()
	j.c.Claims.Report(topology.Node{ID: "n2", State: topology.Up, Minions: []topology.Minion{{ID: "a", State: topology.Up}}})
	if err := <-settled; err != nil {
		t.Error(err)
	}
	// After another move n2 may still send returns of it, but does not speak for it.
	j.c.Claims.Report(topology.Node{ID: "n2", State: topology.Up})
	if err := j.Settle(ctx, "n2", "a"); err != nil {
		t.Errorf("n2 had it before: %v", err)
	}
	if j.MayAnswer("n2", "a") == nil {
		t.Error("n2 still speaks for it")
	}
	j.c.Claims.Forget("n2")
	cancel()
	var elsewhere ElsewhereError
	if err := j.Settle(ctx, "n2", "a"); !errors.As(err, &elsewhere) || elsewhere.Node != "n1" {
		t.Errorf("no node reports it: %v", err)
	}
}

func TestMayBeNode(t *testing.T) {
	w := &fakeState{
		roles:    map[string]string{"m": "minion", "up": "minion", "both": "minion", "n2": "syndic", "admitted": "minion"},
		up:       map[string]bool{"up": true, "both": true},
		admitted: map[string]bool{"both": true, "admitted": true},
	}
	for _, c := range []struct {
		listed []string
		id     string
		want   bool
	}{
		{nil, "new", true},
		{nil, "m", false},
		{nil, "up", false},
		{nil, "n2", true},       // it was one before
		{nil, "admitted", true}, // by an operator
		{nil, "both", true},     // also a minion
		{[]string{"x*"}, "admitted", true},
		{[]string{"x*"}, "new", false},
		{[]string{"x*"}, "n2", false},
		{[]string{"x*"}, "up", false},
	} {
		j := newJudge(t, w, c.listed...)
		if err := j.MayBeNode(c.id); (err == nil) != c.want {
			t.Errorf("%s with syndic_ids %v: %v", c.id, c.listed, err)
		}
		j.c.OrderMasters = false
		if err := j.MayBeNode(c.id); (err == nil) != w.admitted[c.id] {
			t.Errorf("%s with syndic_ids %v, and no order_masters: %v", c.id, c.listed, err)
		}
	}
}

func TestMayRelay(t *testing.T) {
	w := &fakeState{
		roles: map[string]string{"m1": "minion", "n1": "syndic", "n2": "syndic"},
		up:    map[string]bool{"m1": true, "n1": true, "n2": true},
	}
	j := newJudge(t, w)
	for tag, want := range map[string]bool{
		"custom": true, "syndic/n1/x": true, "salt/syndic/n9/start": true, "salt/minion/m9/start": true, "salt/run/other/ret": true,
		"salt/job/1/new": true, "salt/job/1/missing": true,

		"key": false, "mom/audit": false, "syndic/n2/x": false, "salt/syndic/n2/start": false, "salt/minion/m1/start": false, "salt/run/run/ret": false,
		"salt/job/1/complete": false, "salt/job/1/ret/m9": false, "salt/job/1/ret": false,
	} {
		if err := j.MayRelay("n1", tag); (err == nil) != want {
			t.Errorf("%s: %v", tag, err)
		}
	}
	j.c.Claims.Report(topology.Node{ID: "n1", Nodes: []topology.Node{{ID: "n2"}}})
	if err := j.MayRelay("n1", "syndic/n2/x"); err != nil {
		t.Errorf("a node that is also below n1: %v", err)
	}
}

// Nodes survive a restart, except those that may not be nodes any more.
func TestNodes(t *testing.T) {
	dir := t.TempDir()
	open := func() *Nodes {
		s, err := OpenNodes(dir)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := open()
	for _, id := range []string{"b", "a", "c"} {
		if fresh, err := s.Add(id); err != nil || !fresh {
			t.Fatal(fresh, err)
		}
	}
	if fresh, err := s.Add("a"); err != nil || fresh {
		t.Errorf("added twice: %v, %v", fresh, err)
	}
	if err := errors.Join(s.Remove("c"), s.Remove("never")); err != nil {
		t.Error(err)
	}
	s = open()
	log := slog.New(slog.DiscardHandler)
	s.Bar(func(string) string { return "" }, log)
	if got := s.List(); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("known are %v", got)
	}
	s.Bar(func(id string) string { return map[string]string{"a": "a reason"}[id] }, log)
	if got := open().List(); !slices.Equal(got, []string{"b"}) || s.Has("a") {
		t.Errorf("left are %v", got)
	}
}
