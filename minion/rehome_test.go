package minion

import (
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/wire"
)

func TestRehome_WithoutConfigurationAndBack(t *testing.T) {
	gates.reset()
	f := startFamily(t, "a", "b")
	a, b := f.masters["a"], f.masters["b"]
	d := f.minion(t, "a")
	a.AwaitSubscribers(t, 1)
	f.knows(t, d, "a")
	inFlight := newJID()
	a.Publish(channeltest.Job(inFlight, "m1", "gate.wait"))
	_, entered := gates.channels()
	<-entered
	a.Down()
	b.AwaitSubscribers(t, 1)
	if got := b.Seen("_auth")[0].Bytes("mom_voucher"); string(got) != "voucher of a" {
		t.Errorf("came with the voucher %q", got)
	}
	gates.release()
	b.AwaitReturn(t, inFlight)
	jid := newJID()
	b.Publish(channeltest.Job(jid, "m1", "test.ping"))
	b.AwaitReturn(t, jid)

	a.Up()
	a.AwaitSubscribers(t, 2)
	waiting.Until(t, "one session, home", func() bool { l := d.sessions.Serving(); return len(l) == 1 && l[0].Name() == a.Addr() })
	jid = newJID()
	a.Publish(channeltest.Job(jid, "m1", "test.ping"))
	a.AwaitReturn(t, jid)
	awaitEmpty(t, d)
	for _, r := range a.Seen("_return") {
		if r.String("jid") == inFlight {
			t.Error("the return in flight was delivered twice")
		}
	}
}

// A sibling learns which returns it will get before it gets the first, because otherwise it
// would not answer for their jobs, and not know which node they belong to.
func TestRehome_ReportsPendingBeforeItDelivers(t *testing.T) {
	gates.reset()
	f := startFamily(t, "a", "b")
	a, b := f.masters["a"], f.masters["b"]
	inFlight := newJID()
	var before atomic.Int32
	var named atomic.Bool
	f.greeted = func(master string, l *wire.Map) {
		if master != "b" {
			return
		}
		before.Add(int32(len(b.Seen("_return"))))
		named.Store(named.Load() || slices.Contains(l.List("running"), any(inFlight)))
	}
	d := f.minion(t, "a")
	a.AwaitSubscribers(t, 1)
	f.knows(t, d, "a")
	a.Publish(channeltest.Job(inFlight, "m1", "gate.wait"))
	_, entered := gates.channels()
	<-entered
	a.Down()
	gates.release()
	b.AwaitReturn(t, inFlight)
	if n := before.Load(); n != 0 {
		t.Errorf("%d returns arrived before the sibling learned of any", n)
	}
	if !named.Load() {
		t.Error("the sibling did not learn of the return that it received")
	}
}

// A sibling that at first refuses announcements gets no return before it has accepted one.
func TestRehome_DeliversAfterAnAnnouncementWasTaken(t *testing.T) {
	gates.reset()
	f := startFamily(t, "a", "b")
	a, b := f.masters["a"], f.masters["b"]
	const refusals = 40
	var asked, before, taken atomic.Int32
	b.Change(func(r *channeltest.Rules) {
		r.Answer = func(cmd string, reply []byte) []byte {
			if cmd != "_presence" {
				return reply
			}
			if asked.Add(1) <= refusals {
				return refusedRequest(t)
			}
			if taken.Add(1) == 1 {
				before.Store(int32(len(b.Seen("_return"))))
			}
			return reply
		}
	})
	d := f.minion(t, "a")
	a.AwaitSubscribers(t, 1)
	f.knows(t, d, "a")
	inFlight := newJID()
	a.Publish(channeltest.Job(inFlight, "m1", "gate.wait"))
	_, entered := gates.channels()
	<-entered
	a.Down()
	gates.release()
	b.AwaitReturn(t, inFlight)
	if taken.Load() == 0 || before.Load() != 0 {
		t.Errorf("delivered before the sibling took an announcement: %d taken, %d returns before the first", taken.Load(), before.Load())
	}
}

// refusedRequest returns the reply of a master whose handler failed.
func refusedRequest(t *testing.T) []byte {
	b, err := wire.Encode("Some exception handling minion payload")
	if err != nil {
		t.Error(err)
	}
	return b
}

// After a refused announcement the minion announces again after acceptance_wait_time: the
// sign-in that each refusal causes does not trigger one at once.
func TestAnnounce_RefusedIsNotRepeatedAtOnce(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{Answer: func(cmd string, reply []byte) []byte {
		if cmd == "_presence" {
			return refusedRequest(t)
		}
		return reply
	}})
	cfg := testConfig(t, m)
	cfg.AcceptanceWaitTime = time.Hour
	start(t, cfg)
	m.Await(t, "_presence", 2) // the request, and once more after a sign-in
	for range 30 {
		jid := newJID()
		m.Publish(channeltest.Job(jid, "m1", "test.ping"))
		m.AwaitReturn(t, jid)
	}
	if n := len(m.Seen("_presence")); n != 2 {
		t.Errorf("%d announcements", n)
	}
}

// A minion that comes back reports its jobs to its home: the home may have counted it missing,
// or never have had the job.
func TestRehome_SaysThatItComesBack(t *testing.T) {
	f := startFamily(t, "a", "b")
	a, b := f.masters["a"], f.masters["b"]
	var left, early, said atomic.Bool
	f.greeted = func(master string, l *wire.Map) {
		switch {
		case !l.Bool("back"):
		case master == "a" && left.Load():
			said.Store(true)
		default:
			early.Store(true)
		}
	}
	d := f.minion(t, "a")
	a.AwaitSubscribers(t, 1)
	f.knows(t, d, "a")
	a.Down()
	b.AwaitSubscribers(t, 1)
	left.Store(true)
	a.Up()
	waiting.Until(t, "the home to know", said.Load)
	if early.Load() {
		t.Error("it was reported earlier, or to the sibling")
	}
}

// A minion that is started while its master is gone finds a sibling too.
func TestRehome_AfterARestart(t *testing.T) {
	f := startFamily(t, "a", "b")
	d := f.minion(t, "a")
	f.knows(t, d, "a")
	cfg := d.cfg
	f.masters["a"].Down()
	if err := d.end(); err != nil {
		t.Fatal(err)
	}
	start(t, cfg)
	f.masters["b"].AwaitSubscribers(t, 1)
}

// A master that answers is not gone: a sibling must not be used to circumvent a refusal. A home
// that a minion was moved to (`mom node rebalance`) and that has changed its address is given
// up after a few tries: the minion asks the master of the option, with the home's voucher, and
// that master knows where the home is now. Two masters get other ports after both were down, so
// that the minion's list has no valid address.
func TestRehome_ARememberedHomeThatIsNotThere(t *testing.T) {
	f := startFamily(t, "a", "b")
	a := f.masters["a"]
	d := f.minion(t, "a")
	a.AwaitSubscribers(t, 1)
	f.knows(t, d, "a")
	if err := d.end(); err != nil {
		t.Fatal(err)
	}
	l := readLearned(t, d.cfg.Cachedir)
	nodes := slices.Clone(l.lists[0].Nodes)
	for i := range nodes {
		nodes[i].Port = 1 // nothing listens there
	}
	key := channeltest.Key(t, "sign")
	signed, err := sibling.List{Parent: "top", Nodes: nodes}.Sign(key.Private, key.PublicPEM)
	if err != nil {
		t.Fatal(err)
	}
	gone := f.top[1]
	gone.Port = 1
	l.node, l.addr, l.voucher, l.signed = gone.ID, gone.Addr(), []byte("voucher of b"), []sibling.Signed{signed}
	l.write(t, d.cfg.Cachedir)
	before := len(a.Seen("_auth"))
	start(t, d.cfg)
	a.AwaitSubscribers(t, 2)
	if got := a.Seen("_auth")[before:]; string(got[0].Bytes("mom_voucher")) != "voucher of b" {
		t.Errorf("came with the voucher %q", got[0].Bytes("mom_voucher"))
	}
	f.masters["b"].AwaitSubscribers(t, 1) // the new address of its home, according to the list of a
	jid := newJID()
	f.masters["b"].Publish(channeltest.Job(jid, "m1", "test.ping"))
	f.masters["b"].AwaitReturn(t, jid)
}

func TestRehome_NotAroundARefusal(t *testing.T) {
	f := startFamily(t, "a", "b")
	a, b := f.masters["a"], f.masters["b"]
	d := f.minion(t, "a")
	f.knows(t, d, "a")
	cfg := d.cfg
	if err := d.end(); err != nil {
		t.Fatal(err)
	}
	a.Change(func(r *channeltest.Rules) { r.Auth = func(*wire.Map) any { return true } }) // pending
	before := len(a.Seen("_auth"))
	start(t, cfg)
	a.Await(t, "_auth", before+20) // many times rehome_after
	if n := len(b.Seen("_auth")); n != 0 {
		t.Errorf("the sibling was asked %d times", n)
	}
}

func TestRehome_SwitchedOff(t *testing.T) {
	f := startFamily(t, "a", "b")
	f.quiet.Store(true)
	a := f.masters["a"]
	d := f.minion(t, "a")
	a.Await(t, sibling.Command, 1)
	a.Down()
	waiting.Until(t, "the loss", func() bool { l := d.sessions.Serving(); return len(l) == 1 && !l[0].Up() })
	a.Up()
	a.AwaitSubscribers(t, 2)
	if n := len(f.masters["b"].Seen("_auth")); n != 0 {
		t.Errorf("moved to a sibling that nobody reported (%d)", n)
	}
}

// A minion that is asked to move connects there before it leaves here, and stays if the move is
// permanent.
func TestRehome_Asked(t *testing.T) {
	f := startFamily(t, "a", "b", "c")
	a, c := f.masters["a"], f.masters["c"]
	d := f.minion(t, "a")
	a.AwaitSubscribers(t, 1)
	f.knows(t, d, "a")
	a.Publish(order("nobody", false))
	a.Publish(order("c", true))
	c.AwaitSubscribers(t, 1)
	waiting.Until(t, "one session", func() bool { l := d.sessions.Serving(); return len(l) == 1 && l[0].Name() == c.Addr() })
	waiting.Until(t, "the new home on disk", func() bool {
		return readLearned(t, d.cfg.Cachedir).node == "c"
	})
	waiting.Until(t, "the old home to know", func() bool {
		for _, q := range a.Seen(sibling.Command) {
			if q.String("leaves") == "c" {
				return true
			}
		}
		return false
	})
	// It is the same after a restart.
	cfg := d.cfg
	if err := d.end(); err != nil {
		t.Fatal(err)
	}
	d = start(t, cfg)
	c.AwaitSubscribers(t, 2)
	f.knows(t, d, "a")
	if n := len(f.masters["b"].Seen("_auth")); n != 0 {
		t.Error("was at the third one, too")
	}
}

// A draining sibling asks its guests to move, too. They go home, without waiting for
// rehome_failback, or elsewhere if the home drains itself.
func TestRehome_AskedAsAGuest(t *testing.T) {
	for name, tt := range map[string]struct {
		drains bool
		want   string
	}{"home": {false, "a"}, "the home drains": {true, "c"}} {
		t.Run(name, func(t *testing.T) {
			f := startFamily(t, "a", "b", "c")
			f.top[0].Draining = tt.drains
			cfg := testConfig(t, f.masters["a"])
			cfg.AuthTimeout = 500 * time.Millisecond
			cfg.RehomeAfter, cfg.RehomeFailback = 50*time.Millisecond, time.Hour
			d := start(t, cfg)
			f.masters["a"].AwaitSubscribers(t, 1)
			f.knows(t, d, "a")
			for _, step := range []struct{ at, to, want string }{{"a", "b", "b"}, {"b", "", tt.want}} {
				f.masters[step.at].Publish(order(step.to, false))
				waiting.Until(t, "a session with "+step.want+" alone", func() bool {
					l := d.sessions.Serving()
					return len(l) == 1 && l[0].Name() == f.masters[step.want].Addr()
				})
				f.masters[step.want].AwaitSubscribers(t, 1)
			}
		})
	}
}

// A minion that goes home stays at the sibling until the home sees its subscription, and a
// moment longer: publications in between come from one of the two.
func TestRehome_StaysUntilTheHomeSeesIt(t *testing.T) {
	gates.reset()
	f := startFamily(t, "a", "b")
	a, b := f.masters["a"], f.masters["b"]
	d := f.minion(t, "a")
	a.AwaitSubscribers(t, 1)
	f.knows(t, d, "a")
	a.Down()
	b.AwaitSubscribers(t, 1)
	jid := newJID()
	_, entered := gates.channels()
	var asked atomic.Int32
	a.Change(func(r *channeltest.Rules) {
		r.Handle["_presence"] = func(string, *wire.Map) any {
			if asked.Add(1) == 1 {
				b.Publish(channeltest.Job(jid, "m1", "gate.wait"))
				select {
				case <-entered:
				case <-time.After(2 * time.Second): // it has left
				}
				gates.release()
				return wire.NewMap("session", false, "node", "a")
			}
			return wire.NewMap("session", true, "node", "a")
		}
	})
	a.Up()
	waiting.Until(t, "the minion at home, and still at the sibling", func() bool {
		l := d.sessions.Serving()
		if len(l) != 2 {
			return false
		}
		home := l[0]
		if home.Name() != a.Addr() {
			home = l[1]
		}
		select {
		case <-home.Announced():
			return true
		default:
			return false
		}
	})
	a.AwaitReturn(t, jid)
	waiting.Until(t, "the minion at home", func() bool { l := d.sessions.Serving(); return len(l) == 1 && l[0].Name() == a.Addr() })
}
