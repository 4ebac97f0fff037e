package syndic

import (
	"fmt"
	"testing"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/syndic/events"
	"github.com/momtree/mom/topology"
)

func TestEventsOncePerName(t *testing.T) {
	p := startParent(t, channeltest.Rules{})
	n := start(t, nil, p)
	// A master below fires an event of its own node twice.
	raw, err := wire.Encode(wire.NewMap("a", 1))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []bus.Event{
		{Tag: "my/tag", Data: raw, Origin: "syn-c"},
		{Tag: "syndic/syn-c/my/tag", Data: raw, Origin: "syn-c", Copy: true},
	} {
		if err := n.local.bus.FireEvent(e); err != nil {
			t.Fatal(err)
		}
	}
	n.local.fire(t, job(1), wire.NewMap("minions", []any{}))
	n.local.fire(t, "last", wire.NewMap("a", 2))
	waiting.Until(t, "the last event", func() bool { return p.heard("last") >= 1 })
	if p.heard("my/tag") != 1 || p.heard("syndic/syn-c/my/tag") != 0 {
		t.Errorf("got events %v", p.events)
	}
	for _, l := range p.Seen("_minion_event") {
		if l.Has("events") && l.String("pretag") != "syndic/syn-a" {
			t.Errorf("pretag %q", l.String("pretag"))
		}
	}
}

func TestUrgentEventsGoAtOnce(t *testing.T) {
	p := startParent(t, channeltest.Rules{})
	n := start(t, never, p)
	n.local.fire(t, "my/tag", wire.NewMap("a", 1))
	for _, tag := range []string{job(1), "salt/job/" + job(1) + "/new", "salt/job/" + job(1) + "/missing"} {
		n.local.fire(t, tag, wire.NewMap("jid", job(1)))
		waiting.Until(t, tag, func() bool { return p.heard(tag) >= 1 })
	}
}

func TestEventsWaitForTheParent(t *testing.T) {
	p := startParent(t, channeltest.Rules{})
	n := start(t, nil, p)
	p.Down()
	waiting.Until(t, "the loss to be noticed", func() bool { return !n.parents.links[0].IsUp() })
	for i := range 5 {
		n.local.fire(t, fmt.Sprint("my/", i), wire.NewMap("a", 1))
	}
	u := n.parents.links[0].events
	waiting.Until(t, "the events to wait", func() bool { return u.Load().Normal == 5 })
	n.local.mu.Lock()
	n.local.open = []bus.Event{events.NoMatch(returners.Part{JID: job(7)})}
	n.local.mu.Unlock()
	p.Up()
	for i := range 5 {
		waiting.Until(t, "the events", func() bool { return p.heard(fmt.Sprint("my/", i)) >= 1 })
	}
	waiting.Until(t, "the open job's expectation", func() bool { return p.heard(job(7)) >= 1 })
}

func TestRefusedEventIsDroppedAlone(t *testing.T) {
	p := startParent(t, channeltest.Rules{Handle: map[string]channeltest.Handler{}})
	hear := p.hear
	p.Change(func(r *channeltest.Rules) {
		r.Handle = map[string]channeltest.Handler{"_syndic_return": p.take, "_minion_event": func(id string, load *wire.Map) any {
			for _, v := range load.List("events") {
				if e, _ := v.(*wire.Map); e.String("tag") == "bad" {
					return ""
				}
			}
			return hear(id, load)
		}}
	})
	n := start(t, never, p)
	for i := range 20 {
		tag := fmt.Sprint("my/", i)
		if i == 11 {
			tag = "bad"
		}
		n.local.fire(t, tag, wire.NewMap("a", 1))
	}
	n.local.fire(t, job(1), wire.NewMap("minions", []any{}))
	waiting.Until(t, "the others", func() bool { return p.heard("my/0") >= 1 && p.heard("my/19") >= 1 && p.heard(job(1)) >= 1 })
	for i := range 20 {
		if i != 11 && p.heard(fmt.Sprint("my/", i)) != 1 {
			t.Errorf("event %d came %d times", i, p.heard(fmt.Sprint("my/", i)))
		}
	}
}

func TestPresence(t *testing.T) {
	p := startParent(t, channeltest.Rules{})
	rules := map[string]channeltest.Handler{
		"_syndic_return": p.take, "_minion_event": p.hear,
		"_presence": func(_ string, load *wire.Map) any {
			return wire.NewMap("session", true, "node", "top", "heartbeat", 10.0)
		},
	}
	p.Change(func(r *channeltest.Rules) { r.Handle = rules })
	n := start(t, nil, p)
	first := p.Await(t, "_presence", 1)[0]
	if first.String("role") != "syndic" || first.String("version") != "1.0" || first.Map("tree").String("id") != "syn-a" {
		t.Errorf("presence %#v", first)
	}
	if id := p.AwaitSubscribers(t, 1)[0]; id != first.String("session") {
		t.Errorf("session %q, subscription has %q", first.String("session"), id)
	}
	n.local.tree.SetMinion(topology.Minion{ID: "web-1", State: topology.Up})
	waiting.Until(t, "the change", func() bool {
		seen := p.Seen("_presence")
		tree := seen[len(seen)-1].Map("tree")
		return tree != nil && len(tree.List("minions")) == 1
	})
	// Without changes, reports carry no tree.
	waiting.Until(t, "a report without tree", func() bool {
		seen := p.Seen("_presence")
		return !seen[len(seen)-1].Has("tree")
	})
}

func TestDeafParentIsSubscribedAnew(t *testing.T) {
	p := startParent(t, channeltest.Rules{})
	p.Change(func(r *channeltest.Rules) {
		r.Handle = map[string]channeltest.Handler{
			"_syndic_return": p.take, "_minion_event": p.hear,
			"_presence": func(string, *wire.Map) any { return wire.NewMap("session", false, "node", "top") },
		}
	})
	start(t, nil, p)
	p.AwaitSubscribers(t, 3)
}

// Frequent changes of the tree cause frequent reports. A subscription that these do not find still
// gets deafReports intervals, until its heartbeat fails; no rescue is needed.
func TestChangesDoNotMakeAParentDeaf(t *testing.T) {
	p := startParent(t, channeltest.Rules{})
	p.Change(func(r *channeltest.Rules) {
		r.Handle = map[string]channeltest.Handler{
			"_syndic_return": p.take, "_minion_event": p.hear,
			"_presence": func(string, *wire.Map) any { return wire.NewMap("session", false, "node", "top") },
		}
	})
	n := plant(t, nil, p)
	n.pace.Report = time.Hour
	n.run(t)
	n.awaitUp(t)
	for i := range 9 { // three times deafReports
		seen := len(p.Seen("_presence"))
		n.local.tree.SetMinion(topology.Minion{ID: fmt.Sprint("web-", i), State: topology.Up})
		waiting.Until(t, "a report of the change", func() bool { return len(p.Seen("_presence")) > seen })
	}
	if total := n.rescues.Total(); total != 0 {
		t.Errorf("%d rescues", total)
	}
}

func TestPythonParentIsAskedOnce(t *testing.T) {
	p := startParent(t, channeltest.Rules{})
	n := start(t, nil, p)
	n.local.tree.SetMinion(topology.Minion{ID: "web-1", State: topology.Up})
	for i := range 3 {
		n.local.commit(t, job(i), "web-1")
		waiting.Until(t, "the return", func() bool { return p.has(job(i), "web-1") == 1 })
	}
	if got := len(p.Seen("_presence")); got != 1 {
		t.Errorf("asked %d times", got)
	}
	// It may be a mom master when it is back.
	p.Down()
	waiting.Until(t, "the loss to be noticed", func() bool { return !n.parents.links[0].IsUp() })
	p.Up()
	n.awaitUp(t)
	if got := len(p.Seen("_presence")); got != 2 {
		t.Errorf("asked %d times in two connections", got)
	}
}

// A mom master that refuses the announcement, for example because the node's key is a minion's, is
// not taken for a Salt master. The announcement is repeated until it is accepted, and then carries
// the tree.
func TestParentThatRefusesIsGreetedAgain(t *testing.T) {
	p := startParent(t, channeltest.Rules{})
	answer := func(v any) {
		p.Change(func(r *channeltest.Rules) {
			r.Handle = map[string]channeltest.Handler{
				"_syndic_return": p.take, "_minion_event": p.hear, "_presence": func(string, *wire.Map) any { return v },
			}
		})
	}
	answer("")
	n := plant(t, nil, p)
	n.run(t)
	n.local.tree.SetMinion(topology.Minion{ID: "web-1", State: topology.Up})
	p.Await(t, "_presence", 3)
	if n.parents.links[0].IsUp() {
		t.Error("link is up although the parent refuses the node")
	}
	answer(wire.NewMap("session", true, "node", "top"))
	n.awaitUp(t)
	seen := p.Seen("_presence")
	if tree := seen[len(seen)-1].Map("tree"); tree == nil || len(tree.List("minions")) != 1 {
		t.Errorf("parent got the tree %v", tree)
	}
}

func TestParentWithANewPublishPort(t *testing.T) {
	p := startParent(t, channeltest.Rules{})
	n := start(t, nil, p)
	p.Down()
	waiting.Until(t, "the loss to be noticed", func() bool { return !n.parents.links[0].IsUp() })
	p.MovePublications()
	p.Up()
	waiting.Until(t, "the new subscription", func() bool { return n.parents.links[0].IsUp() })
	p.Publish(channeltest.Job(job(1), "*", "test.ping"))
	waiting.Until(t, "the job", func() bool { return len(n.master.published()) == 1 })
}
