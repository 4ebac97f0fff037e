package syndic

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/bounds"
	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/topology"
)

func TestWhichEventsGoUp(t *testing.T) {
	data := func(kv ...any) *wire.Map { return wire.NewMap(kv...) }
	for _, c := range []struct {
		tag           string
		data          *wire.Map
		copy          bool
		sync, cluster bool
	}{
		{tag: "my/tag", data: data("a", 1), sync: true},
		{tag: "salt/auth", data: data("id", "web-1", "result", true), sync: true},
		{tag: "my/tag2", data: data("retcode", 1)},
		{tag: "key", data: data("rotate_aes_key", true)},
		{tag: "syndic/syn-c/my/tag", data: data("a", 1), copy: true},
		{tag: "syndic/syn-c/other", data: data("a", 1)}, // of a bus that does not mark copies
		{tag: "salt/job/" + job(1) + "/ret/web-1", data: data("return", true)},
		{tag: "salt/job/" + job(1) + "/complete", data: data("jid", job(1))},
		{tag: job(1), data: data("minions", []any{"web-1"}), sync: true, cluster: true},
		{tag: "salt/job/" + job(1) + "/new", data: data("jid", job(1)), sync: true, cluster: true},
		{tag: "salt/job/" + job(1) + "/missing", data: data("jid", job(1)), sync: true, cluster: true},
		{tag: "salt/job/" + job(1) + "/prog/web-1/0", data: data("data", "x"), sync: true},
	} {
		raw, err := wire.Encode(c.data)
		if err != nil {
			t.Fatal(err)
		}
		for mode, want := range map[string]bool{"sync": c.sync, "cluster": c.cluster} {
			s := &Syndic{cfg: &config.Syndic{Local: &config.Master{}}}
			s.cfg.Local.SyndicMode = mode
			if got := s.belongsAbove(bus.Event{Tag: c.tag, Data: raw, Copy: c.copy}); got != want {
				t.Errorf("%s, mode %s: goes up: %v, want %v", c.tag, mode, got, want)
			}
		}
	}
}

// Events are filtered where they arise; what a job above waits for is not.
func TestEventsAreFilteredAtTheirSource(t *testing.T) {
	s := &Syndic{cfg: &config.Syndic{Local: &config.Master{}}}
	s.cfg.Local.SyndicMode = "sync"
	s.cfg.Local.SyndicEventsWhitelist = []string{"my/*", "salt/auth"}
	s.cfg.Local.SyndicEventsBlacklist = []string{"my/secret/*", "salt/job/*"}
	raw, err := wire.Encode(wire.NewMap("a", 1))
	if err != nil {
		t.Fatal(err)
	}
	for tag, want := range map[string]bool{
		"my/tag": true, "my/deep/tag": true, "my/secret/x": false, "salt/auth": true, "salt/minion/a/start": false,
		job(1): true, "salt/job/" + job(1) + "/new": true, "salt/job/" + job(1) + "/missing": true, "salt/job/" + job(1) + "/prog/a/0": false,
	} {
		if got := s.belongsAbove(bus.Event{Tag: tag, Data: raw}); got != want {
			t.Errorf("%s goes up: %v, want %v", tag, got, want)
		}
	}
}

func TestEventsOncePerName(t *testing.T) {
	p := startParent(t, channeltest.Rules{})
	n := start(t, nil, p)
	// As a master below fires what its own node below has sent: twice.
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
		t.Errorf("heard %v", p.events)
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
	waiting.Until(t, "the loss to be noticed", func() bool { return !n.parents.links[0].isUp() })
	for i := range 5 {
		n.local.fire(t, fmt.Sprint("my/", i), wire.NewMap("a", 1))
	}
	u := n.parents.links[0].events
	waiting.Until(t, "the events to wait", func() bool {
		u.mu.Lock()
		defer u.mu.Unlock()
		return u.news.len() == 5
	})
	n.local.mu.Lock()
	n.local.open = []bus.Event{emptyExpectation(job(7))}
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

func TestQueueIsBounded(t *testing.T) {
	q := queue{max: 100, maxBytes: 1000}
	for i := range 1000 {
		q.push(bus.Event{Tag: fmt.Sprint(i)})
	}
	if q.len() != 100 || q.takeLost() != 900 {
		t.Errorf("len %d", q.len())
	}
	if got := q.take(room{1, 10, 1000}); got[0].Tag != "900" {
		t.Errorf("the oldest is %s", got[0].Tag)
	}
	big := bus.Event{Tag: "big", Data: make([]byte, 990)}
	q.push(big)
	if q.len() != 3 || q.bytes > 1000 {
		t.Errorf("len %d, bytes %d", q.len(), q.bytes)
	}
	q.push(bus.Event{Tag: "huge", Data: make([]byte, 5000)}) // alone it may pass
	if q.len() != 1 {
		t.Errorf("len %d", q.len())
	}
	if got := q.take(room{10, 100, 1000}); len(got) != 1 || q.bytes != 0 || q.len() != 0 {
		t.Errorf("take %d, bytes %d", len(got), q.bytes)
	}
}

// A request has no more values than the master above decodes in one: it was refused whole,
// 3.8 MB of words about 50,000 minions, and sent again in halves. Ten words of 5,000 to
// 200,000 minions each, over the default bounds.
func TestARequestHasNoMoreValuesThanAreTaken(t *testing.T) {
	b := bounds.Default()
	if 2*b.TellBatchValues > server.MaxValues {
		t.Errorf("%d values are sent, %d are taken", 2*b.TellBatchValues, server.MaxValues)
	}
	for _, minions := range []int{5000, 50_000, 200_000, 600_000} {
		words := make([]bus.Event, 10)
		for i := range words {
			ids := make([]any, minions)
			for j := range ids {
				ids[j] = int64(j % 100)
			}
			data, err := wire.Encode(wire.NewMap("minions", ids))
			if err != nil {
				t.Fatal(err)
			}
			words[i] = bus.Event{Tag: fmt.Sprint(i), Data: data}
		}
		for _, stays := range []string{"", "3"} {
			q := queue{max: 100, maxBytes: 1 << 30}
			for _, e := range words {
				q.push(e)
			}
			requests, sent := 0, 0
			for q.len() > 0 {
				batch := q.takeBut(func(e bus.Event) bool { return e.Tag == stays }, room{b.TellBatch, b.TellBatchBytes, b.TellBatchValues})
				if len(batch) == 0 {
					break
				}
				n := 0
				for _, e := range batch {
					n += values(e)
				}
				if n > b.TellBatchValues && len(batch) > 1 {
					t.Errorf("%d words with %d values in one request", len(batch), n)
				}
				requests, sent = requests+1, sent+len(batch)
			}
			if want := 10 - len(stays); sent != want || minions == 5000 && requests != 1 {
				t.Errorf("%d minions: %d of %d words in %d requests", minions, sent, want, requests)
			}
		}
	}
}

func TestQueuePutsBackWhatFits(t *testing.T) {
	q := queue{max: 5, maxBytes: 1000}
	var batch []bus.Event
	for i := range 4 {
		batch = append(batch, bus.Event{Tag: fmt.Sprint("old-", i)})
	}
	for i := range 3 {
		q.push(bus.Event{Tag: fmt.Sprint("new-", i)})
	}
	q.putBack(batch)
	var tags []string
	for _, e := range q.take(room{10, 1000, 1000}) {
		tags = append(tags, e.Tag)
	}
	if got := strings.Join(tags, " "); got != "old-2 old-3 new-0 new-1 new-2" || q.takeLost() != 2 || q.bytes != 0 {
		t.Errorf("got %s, bytes %d", got, q.bytes)
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
		t.Errorf("session %q, the subscription says %q", first.String("session"), id)
	}
	n.local.tree.SetMinion(topology.Minion{ID: "web-1", State: topology.Up})
	waiting.Until(t, "the change", func() bool {
		seen := p.Seen("_presence")
		tree := seen[len(seen)-1].Map("tree")
		return tree != nil && len(tree.List("minions")) == 1
	})
	// Without changes it is told now and then, and then without the tree.
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

// Changes of the tree bring reports in quick succession. A subscription that these find
// missing has its time all the same, until its own sign of life fails: no net is needed.
func TestChangesDoNotMakeAParentDeaf(t *testing.T) {
	p := startParent(t, channeltest.Rules{})
	p.Change(func(r *channeltest.Rules) {
		r.Handle = map[string]channeltest.Handler{
			"_syndic_return": p.take, "_minion_event": p.hear,
			"_presence": func(string, *wire.Map) any { return wire.NewMap("session", false, "node", "top") },
		}
	})
	n := plant(t, nil, p)
	n.pace.report = time.Hour
	n.run(t)
	n.awaitUp(t)
	for i := range 3 * deafReports {
		seen := len(p.Seen("_presence"))
		n.local.tree.SetMinion(topology.Minion{ID: fmt.Sprint("web-", i), State: topology.Up})
		waiting.Until(t, "a report of the change", func() bool { return len(p.Seen("_presence")) > seen })
	}
	if total := n.rescues.Total(); total != 0 {
		t.Errorf("rescued %d times", total)
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
	// It may have become one of ours when it is back.
	p.Down()
	waiting.Until(t, "the loss to be noticed", func() bool { return !n.parents.links[0].isUp() })
	p.Up()
	n.awaitUp(t)
	if got := len(p.Seen("_presence")); got != 2 {
		t.Errorf("asked %d times in two connections", got)
	}
}

func TestParentWithANewPublishPort(t *testing.T) {
	p := startParent(t, channeltest.Rules{})
	n := start(t, nil, p)
	p.Down()
	waiting.Until(t, "the loss to be noticed", func() bool { return !n.parents.links[0].isUp() })
	p.MovePublications()
	p.Up()
	waiting.Until(t, "the new subscription", func() bool { return n.parents.links[0].isUp() })
	p.Publish(channeltest.Job(job(1), "*", "test.ping"))
	waiting.Until(t, "the job", func() bool { return len(n.master.published()) == 1 })
}
