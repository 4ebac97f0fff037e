package minion

import (
	"testing"
	"time"

	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/wire"
)

func TestMasters_EachGetsItsOwnReturns(t *testing.T) {
	a, b := channeltest.Start(t, channeltest.Rules{}), channeltest.Start(t, channeltest.Rules{})
	start(t, testConfig(t, a, b))
	a.AwaitSubscribers(t, 1)
	b.AwaitSubscribers(t, 1)
	ofA, ofB := newJID(), newJID()
	a.Publish(channeltest.Job(ofA, "m1", "test.ping"))
	b.Publish(channeltest.Job(ofB, "m1", "test.ping"))
	a.AwaitReturn(t, ofA)
	b.AwaitReturn(t, ofB)
	if len(a.Seen("_return")) != 1 || len(b.Seen("_return")) != 1 {
		t.Error("a return went to another master")
	}
}

func TestMasters_TheSameJobRunsOnceAndReturnsToBoth(t *testing.T) {
	gates.reset()
	a, b := channeltest.Start(t, channeltest.Rules{}), channeltest.Start(t, channeltest.Rules{})
	start(t, testConfig(t, a, b))
	a.AwaitSubscribers(t, 1)
	b.AwaitSubscribers(t, 1)
	jid := newJID()
	a.Publish(channeltest.Job(jid, "m1", "gate.count"))
	b.Publish(channeltest.Job(jid, "m1", "gate.count"))
	x, y := a.AwaitReturn(t, jid), b.AwaitReturn(t, jid)
	if x.Int("return") != 1 || y.Int("return") != 1 || counted.Load() != 1 {
		t.Errorf("returned %d and %d, ran %d times", x.Int("return"), y.Int("return"), counted.Load())
	}
}

func TestMasters_OneDownDoesNotMatter(t *testing.T) {
	a, b := channeltest.Start(t, channeltest.Rules{}), channeltest.Start(t, channeltest.Rules{})
	a.Down()
	cfg := testConfig(t, a, b)
	cfg.AuthTimeout = 50 * time.Millisecond
	start(t, cfg)
	b.AwaitSubscribers(t, 1)
	jid := newJID()
	b.Publish(channeltest.Job(jid, "m1", "test.ping"))
	b.AwaitReturn(t, jid)
	a.Up()
	a.AwaitSubscribers(t, 1)
}

func TestMasters_OneThatRejectsIsLeft(t *testing.T) {
	a := channeltest.Start(t, channeltest.Rules{Auth: func(*wire.Map) any { return false }})
	b := channeltest.Start(t, channeltest.Rules{})
	start(t, testConfig(t, a, b))
	b.AwaitSubscribers(t, 1)
	jid := newJID()
	b.Publish(channeltest.Job(jid, "m1", "test.ping"))
	b.AwaitReturn(t, jid)
}

func failoverConfig(t *testing.T, masters ...*channeltest.Master) *daemon {
	cfg := testConfig(t, masters...)
	cfg.MasterType = "failover"
	cfg.AuthTimeout = 200 * time.Millisecond
	cfg.MasterAliveInterval = 50 * time.Millisecond
	cfg.MasterFailback = true
	return start(t, cfg)
}

func TestFailover_TakesTheNextAndComesBack(t *testing.T) {
	a, b := channeltest.Start(t, channeltest.Rules{}), channeltest.Start(t, channeltest.Rules{})
	d := failoverConfig(t, a, b)
	a.AwaitSubscribers(t, 1)
	if n := len(b.Seen("_auth")); n != 0 {
		t.Errorf("the second master was asked %d times", n)
	}
	a.Down()
	b.AwaitSubscribers(t, 1)
	jid := newJID()
	b.Publish(channeltest.Job(jid, "m1", "test.ping"))
	b.AwaitReturn(t, jid)

	a.Up()
	a.AwaitSubscribers(t, 2)
	jid = newJID()
	a.Publish(channeltest.Job(jid, "m1", "test.ping"))
	a.AwaitReturn(t, jid)
	waiting.Until(t, "one session", func() bool { l := d.sessions.Serving(); return len(l) == 1 && l[0].Name() == a.Addr() })
}

func TestFailover_ReturnsFollowTheMinion(t *testing.T) {
	gates.reset()
	a, b := channeltest.Start(t, channeltest.Rules{}), channeltest.Start(t, channeltest.Rules{})
	d := failoverConfig(t, a, b)
	a.AwaitSubscribers(t, 1)
	jid := newJID()
	a.Publish(channeltest.Job(jid, "m1", "gate.wait"))
	_, entered := gates.channels()
	<-entered
	a.Down()
	b.AwaitSubscribers(t, 1)
	gates.release()
	b.AwaitReturn(t, jid)
	awaitEmpty(t, d)
}

func TestFailover_AllRefuse(t *testing.T) {
	no := channeltest.Rules{Auth: func(*wire.Map) any { return false }}
	a, b := channeltest.Start(t, no), channeltest.Start(t, no)
	d := failoverConfig(t, a, b)
	err := <-d.done
	d.done <- err
	if ExitCode(err) != 77 {
		t.Errorf("got %v", err)
	}
}

func TestReconnect_KeysAndPresenceAreRenewed(t *testing.T) {
	known := map[string]channeltest.Handler{"_presence": func(_ string, l *wire.Map) any {
		return wire.NewMap("session", l.String("session"))
	}}
	m := channeltest.Start(t, channeltest.Rules{Handle: known})
	cfg := testConfig(t, m)
	cfg.MasterAliveInterval = time.Second // start events reveal a restart then
	start(t, cfg)
	m.AwaitSubscribers(t, 1)
	m.Await(t, "_minion_event", 2)
	m.Down()
	m.Up()
	idents := m.AwaitSubscribers(t, 2)
	if idents[0] != idents[1] {
		t.Errorf("subscribed as %v", idents)
	}
	seen := m.Await(t, "_presence", 2)
	if seen[1].String("session") != idents[0] {
		t.Errorf("announced %q", seen[1].String("session"))
	}
	m.Await(t, "_minion_event", 4)
}

func TestReconnect_AMasterThatDoesNotKnowIsNotAskedAgain(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{})
	start(t, testConfig(t, m))
	ping := func() {
		jid := newJID()
		m.Publish(channeltest.Job(jid, "m1", "test.ping"))
		m.AwaitReturn(t, jid)
	}
	m.AwaitSubscribers(t, 1)
	m.Await(t, "_presence", 1)
	ping() // meanwhile the minion gets the answer
	m.Down()
	m.Up()
	m.AwaitSubscribers(t, 2)
	ping()
	if n := len(m.Seen("_presence")); n != 1 {
		t.Errorf("asked %d times", n)
	}
}

func TestPresence_IsAnnouncedAfterALaterAcceptance(t *testing.T) {
	known := map[string]channeltest.Handler{"_presence": func(_ string, l *wire.Map) any {
		return wire.NewMap("session", l.String("session"))
	}}
	m := channeltest.Start(t, channeltest.Rules{Handle: known})
	start(t, testConfig(t, m))
	m.AwaitSubscribers(t, 1)
	m.Await(t, "_presence", 1)
	m.Await(t, "_minion_event", 2)

	// The key is deleted, so the session keys are useless and the minion is pending.
	m.Change(func(r *channeltest.Rules) { r.Auth = func(*wire.Map) any { return true } })
	m.ForgetSessions()
	m.Rotate()
	before := len(m.Seen("_auth"))
	m.Publish(channeltest.Job(newJID(), "m1", "test.ping"))
	m.Await(t, "_auth", before+1)
	m.Change(func(r *channeltest.Rules) { r.Auth = nil })
	jid := newJID()
	m.Publish(channeltest.Job(jid, "m1", "test.ping"))
	m.AwaitReturn(t, jid)
	m.Await(t, "_presence", 2)
}

func TestPing(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{})
	cfg := testConfig(t, m)
	cfg.PingInterval = 10 * time.Millisecond
	start(t, cfg)
	m.AwaitSubscribers(t, 1)
	for _, e := range m.Await(t, "_minion_event", 3) { // two of them report the start
		if e.String("tag") == "minion_ping" && e.String("data") == "ping" {
			return
		}
	}
	t.Error("no ping among the events")
}

func TestReconnect_PublicationsHaveMoved(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{})
	start(t, testConfig(t, m))
	m.AwaitSubscribers(t, 1)
	m.Down()
	m.MovePublications()
	m.Up()
	m.AwaitSubscribers(t, 2)
	jid := newJID()
	m.Publish(channeltest.Job(jid, "m1", "test.ping"))
	m.AwaitReturn(t, jid)
}
