package syndic

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/bounds"
	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

func never(c *config.Syndic) { c.Local.SyndicEventForwardTimeout = time.Hour }

func TestReturnsAreGatheredAndAcknowledged(t *testing.T) {
	p := startParent(t, channeltest.Rules{})
	n := plant(t, func(c *config.Syndic) { c.Local.SyndicEventForwardTimeout = 300 * time.Millisecond }, p)
	load, err := wire.Encode(wire.NewMap("cmd", "publish", "fun", "test.ping", "jid", job(1), "tgt", "*"))
	if err != nil {
		t.Fatal(err)
	}
	n.local.loads[job(1)] = returners.Load{JID: job(1), Raw: load}
	n.run(t)
	n.awaitUp(t)
	for i := range 20 {
		n.local.commit(t, job(1), fmt.Sprint("web-", i))
	}
	waiting.Until(t, "all returns", func() bool { return p.count() == 20 && n.local.depth() == 0 })
	p.set(func() {
		if len(p.batches) > 2 { // the first may have been sent on connect
			t.Errorf("20 returns within one interval went in requests of %v", p.batches)
		}
		if p.loads[job(1)].String("fun") != "test.ping" {
			t.Errorf("load %v", p.loads[job(1)])
		}
	})
	// The load is sent once.
	n.local.commit(t, job(1), "late")
	waiting.Until(t, "the late return", func() bool { return p.has(job(1), "late") == 1 })
	reqs := p.Seen("_syndic_return")
	last := reqs[len(reqs)-1].List("load")[0].(*wire.Map)
	if last.Map("load").Len() != 0 {
		t.Errorf("load sent again: %v", last)
	}
}

func TestCompleteJobGoesAtOnce(t *testing.T) {
	p := startParent(t, channeltest.Rules{})
	n := start(t, never, p)
	n.local.commit(t, job(1), "web-1")
	n.local.complete(t, job(1))
	waiting.Until(t, "the return", func() bool { return p.has(job(1), "web-1") == 1 })
}

func TestFullBatchGoesAtOnce(t *testing.T) {
	p := startParent(t, channeltest.Rules{})
	n := start(t, never, p)
	for i := range bounds.Default().ForwardRows {
		n.local.commit(t, job(1), fmt.Sprint("web-", i))
	}
	waiting.Until(t, "the batch", func() bool { return p.count() == bounds.Default().ForwardRows })
}

func TestNothingLeavesBeforeTheAcknowledgement(t *testing.T) {
	p := startParent(t, channeltest.Rules{})
	n := start(t, nil, p)
	p.set(func() { p.mute = true })
	n.local.commit(t, job(1), "web-1")
	waiting.Until(t, "attempts", func() bool { return p.has(job(1), "web-1") >= 1 && len(p.Seen("_syndic_return")) >= 3 })
	if d := n.local.depth(); d != 1 {
		t.Errorf("%d rows left without an acknowledgement, want 1", d)
	}
	p.set(func() { p.mute = false })
	waiting.Until(t, "an empty outbox", func() bool { return n.local.depth() == 0 })
}

func TestParentAway(t *testing.T) {
	p := startParent(t, channeltest.Rules{})
	n := start(t, nil, p)
	p.Down()
	waiting.Until(t, "the loss to be noticed", func() bool { return !n.parents.links[0].IsUp() })
	for i := range 5 {
		n.local.commit(t, job(i), "web-1")
	}
	if n.local.depth() != 5 {
		t.Fatalf("depth %d", n.local.depth())
	}
	p.Up() // with new keys
	waiting.Until(t, "all returns", func() bool { return p.count() == 5 && n.local.depth() == 0 })
	for i := range 5 {
		if c := p.has(job(i), "web-1"); c != 1 {
			t.Errorf("job %d was sent %d times", i, c)
		}
	}
}

func TestParentComesUpLater(t *testing.T) {
	p := startParent(t, channeltest.Rules{})
	p.Down()
	n := plant(t, nil, p)
	n.local.commit(t, job(1), "web-1") // of an earlier run
	n.run(t)
	p.Up()
	waiting.Until(t, "the return", func() bool { return p.has(job(1), "web-1") == 1 && n.local.depth() == 0 })
}

func TestParentWithAnotherKey(t *testing.T) {
	p := startParent(t, channeltest.Rules{})
	n := start(t, nil, p)
	p.Down()
	waiting.Until(t, "the loss to be noticed", func() bool { return !n.parents.links[0].IsUp() })
	was := p.Key
	p.Key = channeltest.Key(t, "lower_master")
	p.Up()
	n.local.commit(t, job(1), "web-1")
	waiting.Until(t, "sign-ins", func() bool { return len(p.Seen("_auth")) > 3 })
	if p.count() != 0 || n.local.depth() != 1 {
		t.Errorf("parent with an unpinned key got returns")
	}
	p.Down()
	p.Key = was
	p.Up()
	waiting.Until(t, "the return", func() bool { return p.has(job(1), "web-1") == 1 && n.local.depth() == 0 })
}

// Anybody on the network can answer a sign-in without a signature. Such an answer must neither end
// the forwarder nor count. One pinned parent, whose answers are replaced for a while.
func TestParentAnsweredForByAStranger(t *testing.T) {
	for _, text := range []string{"bad enc algo", "bad sig algo"} {
		p := startParent(t, channeltest.Rules{})
		n := start(t, nil, p)
		p.Down()
		waiting.Until(t, "the loss to be noticed", func() bool { return !n.parents.links[0].IsUp() })
		stranger, err := wire.Encode(wire.NewMap("enc", "clear", "load", wire.NewMap("ret", text)))
		if err != nil {
			t.Fatal(err)
		}
		p.Change(func(r *channeltest.Rules) { r.Answer = func(string, []byte) []byte { return stranger } })
		p.Up()
		n.local.commit(t, job(1), "web-1")
		before := len(p.Seen("_auth"))
		waiting.Until(t, "sign-ins", func() bool { return len(p.Seen("_auth")) > before+2 })
		p.Change(func(r *channeltest.Rules) { r.Answer = nil })
		waiting.Until(t, "the return", func() bool { return p.has(job(1), "web-1") == 1 && n.local.depth() == 0 })
	}
}

func TestParentAnswersGarbage(t *testing.T) {
	for _, c := range []struct{ name, reply string }{{"text", "\xa7garbage"}, {"no msgpack", "\xc1"}, {"map", "\x80"}} {
		t.Run(c.name, func(t *testing.T) {
			p := startParent(t, channeltest.Rules{})
			n := start(t, nil, p)
			bad := true
			p.Change(func(r *channeltest.Rules) {
				r.Answer = func(cmd string, reply []byte) []byte {
					p.mu.Lock()
					defer p.mu.Unlock()
					if bad && cmd == "_syndic_return" {
						return []byte(c.reply)
					}
					return reply
				}
			})
			n.local.commit(t, job(1), "web-1")
			// On a busy machine the first attempt may time out, and the next ones are empty probes.
			waiting.Until(t, "two attempts", func() bool { return p.has(job(1), "web-1") >= 1 && len(p.Seen("_syndic_return")) >= 3 })
			if n.local.depth() != 1 {
				t.Error("row removed without an acknowledgement")
			}
			p.set(func() { bad = false })
			waiting.Until(t, "an empty outbox", func() bool { return n.local.depth() == 0 })
		})
	}
}

func TestUnreadableRowDoesNotBlock(t *testing.T) {
	p := startParent(t, channeltest.Rules{})
	n := plant(t, nil, p)
	n.local.commit(t, job(1), "web-1")
	n.local.commitRaw(job(2), "web-2", []byte{0xc1}, "")
	n.local.commitRaw(job(2), "web-3", nil, "")
	n.local.commit(t, job(3), "web-3")
	n.run(t)
	waiting.Until(t, "the readable ones", func() bool { return p.count() == 2 && n.local.depth() == 0 })
	aside := n.local.setAside()
	if len(aside) != 2 || !strings.Contains(aside[0].Error, "read stored return") {
		t.Errorf("set aside: %+v", aside)
	}
}

func TestRefusedRowIsSetAside(t *testing.T) {
	p := startParent(t, channeltest.Rules{})
	p.refuse = func(_, id string) bool { return id == "web-7" }
	n := plant(t, nil, p)
	for i := range 30 {
		n.local.commit(t, job(i), fmt.Sprint("web-", i))
	}
	n.run(t)
	waiting.Until(t, "all others", func() bool { return p.count() == 29 })
	waiting.Until(t, "the row to be set aside", func() bool { return len(n.local.setAside()) == 1 })
	if it := n.local.setAside()[0]; it.ID != "web-7" || !strings.Contains(it.Error, "not accepted") {
		t.Errorf("set aside: %+v", it)
	}
	if n.local.depth() != 0 {
		t.Errorf("%d rows left", n.local.depth())
	}
}

func TestRowsStayWhenTheParentRefusesAll(t *testing.T) {
	p := startParent(t, channeltest.Rules{})
	p.refuse = func(string, string) bool { return true }
	n := plant(t, nil, p)
	for i := range 30 {
		n.local.commit(t, job(i), fmt.Sprint("web-", i))
	}
	n.run(t)
	waiting.Until(t, "many attempts", func() bool { return len(p.Seen("_syndic_return")) > 40 })
	if n.local.depth() != 30 || len(n.local.setAside()) != 0 {
		t.Errorf("%d rows left, %d set aside", n.local.depth(), len(n.local.setAside()))
	}
	p.set(func() { p.refuse = nil })
	waiting.Until(t, "all returns", func() bool { return p.count() == 30 && n.local.depth() == 0 })
	if a := n.local.setAside(); len(a) != 0 {
		t.Errorf("set aside after all: %v", a)
	}
}

// A parent with a full outbox refuses no row: rows and events wait.
func TestParentIsFull(t *testing.T) {
	p := startParent(t, channeltest.Rules{})
	n := start(t, nil, p)
	p.set(func() { p.notNow = 25 })
	for i := range 30 {
		n.local.commit(t, job(i), fmt.Sprint("web-", i))
	}
	n.local.fire(t, "salt/job/"+job(1)+"/missing", wire.NewMap("jid", job(1), "missing", wire.NewMap(), "nodes", wire.NewMap()))
	waiting.Until(t, "all returns", func() bool { return p.count() == 30 && n.local.depth() == 0 })
	waiting.Until(t, "the event", func() bool { return p.heard("salt/job/"+job(1)+"/missing") == 1 })
	if a := n.local.setAside(); len(a) != 0 {
		t.Errorf("set aside: %v", a)
	}
}

func TestBrokenOutbox(t *testing.T) {
	p := startParent(t, channeltest.Rules{})
	n := start(t, nil, p)
	n.local.mu.Lock()
	n.local.broken = errors.New("disk full")
	n.local.mu.Unlock()
	n.local.commit(t, job(1), "web-1")
	n.returns.Flush()
	waiting.Until(t, "attempts to read", func() bool {
		n.local.mu.Lock()
		defer n.local.mu.Unlock()
		return n.local.reads > 3
	})
	n.local.mu.Lock()
	n.local.broken = nil
	n.local.mu.Unlock()
	waiting.Until(t, "the return", func() bool { return p.count() == 1 && n.local.depth() == 0 })
}

func TestClusterModeKeepsItsOwnJobs(t *testing.T) {
	p := startParent(t, channeltest.Rules{})
	n := start(t, func(c *config.Syndic) { c.Local.SyndicMode, c.Local.MasterID = "cluster", "mm1" }, p)
	n.local.commit(t, job(1), "web-1", "master_id", "mm1")
	n.local.commit(t, job(2), "web-1", "master_id", "mm2")
	waiting.Until(t, "an empty outbox", func() bool { return n.local.depth() == 0 })
	if p.has(job(1), "web-1") != 0 || p.has(job(2), "web-1") != 1 {
		t.Errorf("rows %v", p.rows)
	}
}

func TestStopsAtOnceWithoutParent(t *testing.T) {
	for _, c := range []struct {
		name  string
		begin func(p *fakeParent)
	}{
		{"refused", func(p *fakeParent) { p.Down() }},
		{"silent", func(p *fakeParent) {
			p.Change(func(r *channeltest.Rules) { r.Answer = func(string, []byte) []byte { return nil } })
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := startParent(t, channeltest.Rules{})
			c.begin(p)
			n := plant(t, func(c *config.Syndic) {
				c.Upper.AuthTimeout, c.Upper.RequestChannelTimeout = time.Minute, time.Hour
			}, p)
			n.local.commit(t, job(1), "web-1")
			n.run(t)
			if c.name == "silent" {
				waiting.Until(t, "a sign-in", func() bool { return len(p.Seen("_auth")) > 0 })
			}
			began := time.Now()
			n.stop()
			if d := time.Since(began); d > 2*time.Second {
				t.Errorf("took %s to stop", d)
			}
		})
	}
}
