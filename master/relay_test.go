package master

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/returners"
)

func event(tag string, data *wire.Map) *wire.Map { return wire.NewMap("tag", tag, "data", data) }

func bulk(pretag any, events ...any) *wire.Map {
	return wire.NewMap("cmd", "_minion_event", "pretag", pretag, "events", events)
}

func TestMinionEvents(t *testing.T) {
	r := newRig(t, ordersMasters)
	r.start()
	m := r.minion("m1", "minion", "minion")
	events := r.events()
	m.must(wire.NewMap("cmd", "_minion_event", "tag", "custom/tag", "data", wire.NewMap("x", 1), "pretag", nil))
	if d := events.take("custom/tag"); d.Map("data").Int("x") != 1 || d.String("id") != "m1" || d.Has("tok") {
		t.Errorf("event %v", plain(t, d))
	}
	data := wire.NewMap("y", 2)
	m.must(bulk("pre", event("a/b", data), event("salt/auth", data), event("c", data)))
	events.take("a/b")
	events.take("pre/a/b")
	events.take("c")
	events.take("pre/c")
	// Neither as a whole nor composed with a pretag.
	const ret = "salt/job/20240102030405678901/ret"
	m.must(wire.NewMap("cmd", "_minion_event", "tag", ret+"/m2", "data", data))
	m.must(bulk(ret, event("m2", data)))
	m.must(bulk("syndic/n1", event("x", data)))
	m.must(bulk("syndic/m1x", event("x", data)))
	m.must(bulk(nil, event("20240102030405678901", data)))
	if tags := events.tags(); len(tags) != 0 || r.policy.IsNode("m1") {
		t.Errorf("fired %v, node %v", tags, r.policy.IsNode("m1"))
	}
	if n := r.Stats().Refused; n != 6 {
		t.Errorf("%d refused, want 6", n)
	}
	// An invalid event does not affect the others.
	if v, err := m.send(bulk(nil, event("bad\n\ntag", data), event("good", data))); err != nil || v != "" {
		t.Errorf("answered by %v, %v", v, err)
	}
	events.take("good")
}

// A node's events are also fired under its own name, and marked.
func TestRelayedEvents(t *testing.T) {
	r := newRig(t, ordersMasters)
	r.start()
	node := r.minion("n1", "syndic", "syndic")
	events := r.events()
	data := wire.NewMap("y", 2)
	node.must(bulk("syndic/n1", event("salt/minion/x/start", data), event("syndic/n2/a", data),
		event("salt/job/20240102030405678901/complete", data), event("salt/job/20240102030405678901/ret/x", data)))
	events.take("salt/minion/x/start")
	events.take("syndic/n2/a")
	rest := events.rest()
	if len(rest) != 2 || rest[0].Tag != "syndic/n1/salt/minion/x/start" || !rest[0].Copy || rest[0].Origin != "n1" || rest[1].Tag != "syndic/n1/syndic/n2/a" {
		t.Errorf("left are %v", rest)
	}
	if v, err := node.send(bulk("syndic/n2", event("x", data))); err != nil || v != "" {
		t.Errorf("another's pretag: %v, %v", v, err)
	}
	if len(events.rest()) != 2 {
		t.Errorf("fired %v", events.tags())
	}
}

// Two tiers: the expectation of n1 names n2, whose own expectation arrives through n1. Missing
// minions are reported with their path, and the last report ends the job.
func TestExpectationsOverTwoTiers(t *testing.T) {
	r := newRig(t, func(c *config.Master) { c.OrderMasters = true })
	r.start()
	node := r.minion("n1", "syndic", "syndic").listen().announce()
	events := r.events()
	jid := r.say(testJob("*", "glob")).Map("load").String("jid")
	if p := node.hear(); p.JID != jid {
		t.Fatalf("heard %v", p.JID)
	}
	mom := func(node string, asked ...any) *wire.Map {
		return wire.NewMap("node", node, "asked", append([]any{}, asked...), "unreachable", wire.NewMap())
	}
	node.must(bulk("syndic/n1", event(jid, wire.NewMap("minions", []any{"a"}, "jid", jid, "mom", mom("", "n2")))))
	node.must(bulk("syndic/n1", event(jid, wire.NewMap("minions", []any{"b", "c"}, "jid", jid, "mom", mom("n2")))))
	events.find("the expectation of n1/n2", func(e bus.Event) bool {
		d, err := wire.DecodeMap(e.Data)
		return e.Tag == jid && err == nil && d.Map("mom").String("node") == "n1/n2"
	})
	node.must(syndicReturn("n1", jid, "a", "b"))
	if a, _ := r.jobs.State(jid); a.Expected != 3 || len(a.Waiting) != 1 || a.Waiting["c"] != "n1/n2" {
		t.Errorf("account %+v", a)
	}
	gone := wire.NewMap("c", wire.NewMap("reason", engine.NotConnected, "path", "n2"))
	node.must(bulk("syndic/n1", event("salt/job/"+jid+"/missing", wire.NewMap("jid", jid, "missing", gone, "nodes", wire.NewMap()))))
	d := events.take("salt/job/" + jid + "/complete")
	want := map[string]any{"c": map[string]any{"reason": engine.NotConnected, "path": "n1/n2"}}
	if diff := cmp.Diff(any(want), plain(t, d.Map("absent"))); diff != "" || d.Int("expected") != 3 || d.Int("returned") != 2 {
		t.Errorf("complete %v\n%s", plain(t, d), diff)
	}
	// A parent that was away receives the full account.
	eventually(t, "the expectations stored", func() bool {
		xs, err := r.store.Local().GetExpectations(t.Context(), jid)
		return err == nil && len(xs) == 3
	})
	// An invalid expectation is refused and changes nothing.
	refused := r.Stats().Refused
	node.must(bulk("syndic/n1", event("salt/job/"+jid+"/missing", wire.NewMap("missing", wire.NewMap("d", 7)))))
	if r.Stats().Refused == refused {
		t.Error("a broken event was believed")
	}
}

// A node without a connection here ran a job of another master and connects before the job arrives.
// Its returns count.
func TestReturnsFromBeforeTheJob(t *testing.T) {
	r := newRig(t, func(c *config.Master) { c.OrderMasters = true })
	r.opts.Parent = returners.DestAbove
	r.start()
	node := r.minion("n1", "syndic", "syndic").listen().announce()
	events := r.events()
	node.must(syndicReturn("n1", someJob, "m1"))
	events.take("salt/job/" + someJob + "/ret/m1")
	r.say(testJob("*", "glob", "jid", someJob))
	node.must(bulk("syndic/n1", event(someJob, wire.NewMap("minions", []any{"m1"}, "jid", someJob,
		"mom", wire.NewMap("node", "", "asked", []any{}, "unreachable", wire.NewMap())))))
	d := events.take("salt/job/" + someJob + "/complete")
	if d.Int("expected") != 1 || d.Int("returned") != 1 {
		t.Errorf("closed with %v", plain(t, d))
	}
}

// A request that the node gave up on but that still arrives does not overwrite later reports.
func TestLateReports(t *testing.T) {
	r := newRig(t, func(c *config.Master) { c.OrderMasters = true })
	r.start()
	node := r.minion("n1", "syndic", "syndic").listen().announce()
	events := r.events()
	jid := r.say(testJob("*", "glob")).Map("load").String("jid")
	inOrder := func(number, oldest int, events ...any) *wire.Map {
		load := bulk("syndic/n1", events...)
		load.Set("order", []any{number, oldest})
		return load
	}
	expectation := event(jid, wire.NewMap("minions", []any{"a", "b"}, "jid", jid,
		"mom", wire.NewMap("node", "", "asked", []any{}, "unreachable", wire.NewMap())))
	gone := wire.NewMap()
	for _, id := range []string{"a", "b"} {
		gone.Set(id, wire.NewMap("reason", engine.NotConnected, "path", ""))
	}
	missing := event("salt/job/"+jid+"/missing", wire.NewMap("jid", jid, "missing", gone, "nodes", wire.NewMap()))

	node.must(inOrder(7, 7, expectation, missing)) // request 5 timed out
	events.take("salt/job/" + jid + "/complete")
	v, err := node.send(inOrder(5, 5, expectation))
	if late, ok := v.(*wire.Map); err != nil || !ok || late.Int("late") != 7 {
		t.Errorf("what came late is answered by %v, %v", v, err)
	}
	if a, _ := r.jobs.State(jid); a.Expected != 2 || len(a.Missing) != 2 || len(a.Waiting) != 0 {
		t.Errorf("account %+v", a)
	}
	xs, err := r.store.Local().GetExpectations(t.Context(), jid)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range xs {
		if x.Node == "n1" && len(x.Missing) != 2 {
			t.Errorf("stored %+v", x)
		}
	}
	for _, order := range []any{"7", []any{8, 9}, []any{8}} { // invalid order
		load := inOrder(8, 8, expectation)
		load.Set("order", order)
		if v, err := node.send(load); err != nil || v != "" {
			t.Errorf("the mark %v is answered by %v, %v", order, v, err)
		}
	}
}

// Reports about invalid job ids change nothing and do not block others.
func TestReportsOfNoJob(t *testing.T) {
	r := newRig(t, func(c *config.Master) { c.OrderMasters = true })
	r.start()
	node := r.minion("n1", "syndic", "syndic").listen().announce()
	events := r.events()
	gone := wire.NewMap("a", wire.NewMap("reason", engine.NotConnected, "path", ""))
	for _, jid := range []string{"", "7", "../x"} {
		node.must(bulk("syndic/n1", event("salt/job/"+jid+"/missing", wire.NewMap("jid", jid, "missing", gone, "nodes", wire.NewMap()))))
		if d := events.take("salt/job/" + jid + "/missing"); d.Has("from") {
			t.Errorf("%q is reported as %v", jid, plain(t, d))
		}
	}
	node.must(bulk("syndic/n1", event(someJob, wire.NewMap("minions", []any{"b"}, "jid", someJob,
		"mom", wire.NewMap("node", "", "asked", []any{}, "unreachable", wire.NewMap())))))
	eventually(t, "the next word stored", func() bool {
		xs, err := r.store.Local().GetExpectations(t.Context(), someJob)
		return err == nil && len(xs) == 1
	})
}
