package client

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/wire"
)

func (m *fakeMaster) returns(id string, value any, more ...any) {
	kv := append([]any{"cmd", "_return", "id", id, "jid", jobID, "return", value, "fun", "test.ping", "fun_args", []any{}}, more...)
	m.fire("salt/job/"+jobID+"/ret/"+id, kv...)
}

func TestFollowToTheEnd(t *testing.T) {
	m := startMaster(t)
	f, err := m.client().Follow(within(t), ping("*"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if f.JID != jobID {
		t.Errorf("jid %s", f.JID)
	}
	m.fire("salt/job/20260301120000000001/ret/other", "id", "other", "jid", "20260301120000000001", "return", 1)
	m.fire("salt/job/"+jobID+"/new", "jid", jobID)
	m.fire(jobID, "jid", jobID, "minions", []any{"web-1"}, "mom", wire.NewMap("node", "syn-a", "asked", []any{"syn-b"}, "unreachable", wire.NewMap()))
	m.fire(jobID, "minions", []any{"a Python master's"})
	m.returns("web-1", true, "retcode", 0, "success", true)
	m.returns("web-1", true, "retcode", 0, "success", true) // a Python master may repeat a return
	m.returns("web-2", "boom", "retcode", 3, "out", "txt")
	m.fire("salt/job/"+jobID+"/missing", "jid", jobID, "missing", wire.NewMap())
	// The report of a single node, which the master may overrule.
	m.fire("salt/job/"+jobID+"/missing", "jid", jobID, "missing", wire.NewMap("web-2", wire.NewMap("reason", "not connected", "path", "syn-a")), "from", "syn-a")
	m.fire("salt/job/"+jobID+"/missing", "jid", jobID, "missing", wire.NewMap("db-1", wire.NewMap("reason", "not connected", "path", "syn-a/syn-b")))
	m.fire("salt/job/"+jobID+"/complete", "jid", jobID, "expected", 3, "returned", 2, "failed", 1, "seconds", 1.5,
		"missing", wire.NewMap("db-1", wire.NewMap("reason", "not connected", "path", "syn-a/syn-b")), "nodes", wire.NewMap("syn-a", "answered"))

	next := func() Update {
		t.Helper()
		u, err := f.Next(within(t))
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	if x := next().Expectation; x == nil || x.Node != "syn-a" || !slices.Equal(x.Minions, []string{"web-1"}) || !slices.Equal(x.Asked, []string{"syn-b"}) {
		t.Errorf("expectation %+v", x)
	}
	if r := next().Return; r == nil || r.ID != "web-1" || !r.Success || r.Fun != "test.ping" || string(r.Value) != "\xc3" {
		t.Errorf("first %+v", r)
	}
	if r := next().Return; r == nil || r.ID != "web-2" || r.Success || r.Retcode != 3 || r.Out != "txt" {
		t.Errorf("second %+v", r)
	}
	if g := next().Missing; g["db-1"] != (Missing{"not connected", "syn-a/syn-b"}) {
		t.Errorf("missing %+v", g)
	}
	a := next().Complete
	if a == nil || a.JID != jobID || a.Expected != 3 || a.Returned != 2 || a.Failed != 1 || a.Took != 1500*time.Millisecond ||
		len(a.Missing) != 1 || a.Nodes["syn-a"] != "answered" {
		t.Errorf("account %+v", a)
	}
}

func TestBusLostInTheMiddle(t *testing.T) {
	m := startMaster(t)
	f, err := m.client().Follow(within(t), ping("*"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m.returns("web-1", true)
	if _, err := f.Next(within(t)); err != nil {
		t.Fatal(err)
	}
	_ = m.server.Close()
	_, err = f.Next(within(t))
	if !errors.Is(err, ErrBusLost) || !strings.Contains(err.Error(), "lookup_jid "+jobID) {
		t.Errorf("%v", err)
	}
}

func TestNextEndsWithItsContext(t *testing.T) {
	m := startMaster(t)
	f, err := m.client().Follow(within(t), ping("*"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	ctx, cancel := context.WithCancel(within(t))
	cancel()
	if _, err := f.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	m.returns("web-1", true) // nothing was lost
	if u, err := f.Next(within(t)); err != nil || u.Return == nil {
		t.Errorf("%+v, %v", u, err)
	}
}

func TestUnreadableEventDoesNotEndTheFollowing(t *testing.T) {
	m := startMaster(t)
	f, err := m.client().Follow(within(t), ping("*"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m.fire("salt/job/"+jobID+"/ret/web-1", "id", "web-1")
	m.returns("web-1", true)
	if _, err := f.Next(within(t)); err == nil || errors.Is(err, ErrBusLost) {
		t.Errorf("%v", err)
	}
	if u, err := f.Next(within(t)); err != nil || u.Return == nil || u.Return.ID != "web-1" {
		t.Errorf("%+v, %v", u, err)
	}
}

func TestFollowFailures(t *testing.T) {
	m := startMaster(t)
	m.answer = func(*wire.Map) any { return wire.NewMap("load", wire.NewMap("jid", nil)) }
	f, err := m.client().Follow(within(t), ping("nosuch"))
	if !errors.Is(err, ErrNoMatch) || f.Close() != nil {
		t.Errorf("%v", err)
	}
	f, err = m.client(func(o *Options) { o.Bus.Dir = "/nonexistent" }).Follow(within(t), ping("*"))
	if err == nil || !strings.Contains(err.Error(), "/nonexistent") || !strings.Contains(err.Error(), "is the master running") || f.Close() != nil {
		t.Errorf("%v", err)
	}
}

// Events of a subscription are parsed like those of a followed job.
func TestEventUpdate(t *testing.T) {
	event := func(tag string, kv ...any) Event {
		data, err := RawOf(wire.NewMap(kv...))
		if err != nil {
			t.Fatal(err)
		}
		return Event{Tag: tag, Data: data}
	}
	for _, c := range []struct {
		e     Event
		jid   string
		is    func(Update) bool
		fails bool
	}{
		{event("salt/job/"+jobID+"/ret/web-1", "id", "web-1", "jid", jobID, "return", 1), jobID, func(u Update) bool { return u.Return.ID == "web-1" }, false},
		{event(jobID, "minions", []any{"a"}, "mom", wire.NewMap("node", "n")), jobID, func(u Update) bool { return u.Expectation.Node == "n" }, false},
		{event(jobID, "minions", []any{"a"}), "", nil, false},
		{event("salt/job/"+jobID+"/complete", "expected", 7), jobID, func(u Update) bool { return u.Complete.Expected == 7 }, false},
		{event("salt/job/" + jobID + "/new"), "", nil, false},
		{event("salt/presence/change"), "", nil, false},
		{event("salt/job/"+jobID+"/ret/web-1", "id", "web-1"), jobID, nil, true},
	} {
		jid, u, err := c.e.Update()
		if jid != c.jid || (err != nil) != c.fails || c.is != nil && !c.is(u) {
			t.Errorf("%s: %s, %+v, %v", c.e.Tag, jid, u, err)
		}
	}
}
