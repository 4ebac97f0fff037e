package syndic

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/wire"
)

func withID(j *wire.Map, masterID string) *wire.Map {
	j.Set("master_id", masterID)
	return j
}

// pains 13 and 14, #40788, #53721, #58193.
func TestReturnsGoWhereTheJobCameFrom(t *testing.T) {
	a, b := startParent(t, channeltest.Rules{}), startParent(t, channeltest.Rules{})
	b.Key = channeltest.Key(t, "lower_master") // masters above need not share one
	b.Down()
	b.Up()
	n := start(t, nil, a, b)
	// A master_id is any name; who uses it is learned.
	a.Publish(withID(channeltest.Job(job(1), "*", "test.ping"), "mm1"))
	b.Publish(withID(channeltest.Job(job(2), "*", "test.ping"), "mm2"))
	b.Publish(channeltest.Job(job(3), "*", "test.ping"))
	waiting.Until(t, "the jobs", func() bool { return len(n.master.published()) == 3 })
	n.local.commit(t, job(1), "web-1", "master_id", "mm1")
	n.local.commit(t, job(2), "web-1", "master_id", "mm2")
	n.local.commit(t, job(3), "web-1")
	n.local.commit(t, job(4), "web-1", "master_id", "mm2") // a job of an earlier life
	n.local.commit(t, job(5), "web-1", "master_id", b.Addr())
	waiting.Until(t, "all returns", func() bool { return a.count()+b.count() == 5 && n.local.depth() == 0 })
	if a.count() != 1 || a.has(job(1), "web-1") != 1 {
		t.Errorf("first master: %v", a.rows)
	}
}

// pains 15, #47963.
func TestOneParentDownSlowsNobody(t *testing.T) {
	a, b := startParent(t, channeltest.Rules{}), startParent(t, channeltest.Rules{})
	n := start(t, func(c *config.Syndic) {
		c.Local.SyndicFailover = "ordered"
		c.Upper.RequestChannelTimeout = time.Minute
	}, a, b)
	for _, l := range n.parents.links {
		if l.ch.Addr() == a.Addr() {
			n.parents.learn(t.Context(), l, job(1), "")
		} else {
			n.parents.learn(t.Context(), l, job(2), "")
		}
	}
	// The first master takes requests and never answers.
	a.Change(func(r *channeltest.Rules) {
		r.Answer = func(cmd string, reply []byte) []byte {
			if cmd == "_syndic_return" {
				return nil
			}
			return reply
		}
	})
	n.local.own(t, job(1), job(2), job(3))
	n.local.commit(t, job(1), "web-1")
	waiting.Until(t, "the silent master to be asked", func() bool { return len(a.Seen("_syndic_return")) > 0 })
	n.local.commit(t, job(2), "web-1")
	waiting.Until(t, "the return of the other", func() bool { return b.has(job(2), "web-1") == 1 })
	// What the silent one does not take, the other does after a while.
	waiting.Until(t, "the first return", func() bool { return b.has(job(1), "web-1") == 1 })

	b.Down()
	waiting.Until(t, "the loss to be noticed", func() bool { return n.parents.links[0].IsUp() && !n.parents.links[1].IsUp() })
	a.Change(func(r *channeltest.Rules) { r.Answer = nil })
	n.local.commit(t, job(3), "web-1")
	waiting.Until(t, "the one that is back", func() bool { return a.has(job(3), "web-1") == 1 && n.local.depth() == 0 })
}

func TestParentDownFromTheStart(t *testing.T) {
	a, b := startParent(t, channeltest.Rules{}), startParent(t, channeltest.Rules{})
	a.Down()
	n := plant(t, nil, a, b)
	n.run(t)
	n.local.commit(t, job(1), "web-1", "master_id", a.Addr())
	waiting.Until(t, "the return", func() bool { return b.has(job(1), "web-1") == 1 })
	n.local.fire(t, "my/tag", wire.NewMap("a", 1))
	waiting.Until(t, "the event at one", func() bool { return b.heard("my/tag") >= 1 })
	a.Up()
	waiting.Until(t, "the event at the other", func() bool { return a.heard("my/tag") >= 1 })
	n.local.commit(t, job(2), "web-1", "master_id", a.Addr())
	waiting.Until(t, "the return at its master", func() bool { return a.has(job(2), "web-1") == 1 })
}

func TestBadParents(t *testing.T) {
	n := plant(t, nil, startParent(t, channeltest.Rules{}))
	for _, c := range []struct {
		masters []string
		says    string
	}{
		{nil, "set syndic_master"},
		{[]string{"top:x"}, "port"},
		{[]string{"top-1", "top-2", "top-1"}, "named twice"},
		{[]string{"top-1", "top-1:4506"}, "named twice"},
	} {
		conf := *n.conf
		upper := *n.conf.Upper
		upper.Master, conf.Upper = c.masters, &upper
		_, err := New(Options{Config: &conf, Local: n.local, Log: quiet})
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v: %v", c.masters, err)
		}
	}
	if _, err := New(Options{Config: n.conf}); err == nil {
		t.Error("made without a local master")
	}
}

func TestPinFile(t *testing.T) {
	dir := t.TempDir()
	if name, err := pinFile(dir, "top", false); err != nil || name != "syndic_master.pub" {
		t.Errorf("%s, %v", name, err)
	}
	name, err := pinFile(dir, "../2001:db8::1", true)
	if err != nil || name != "syndic_master..._2001:db8::1.pub" {
		t.Errorf("%s, %v", name, err)
	}
	// Salt's one pin for all is what each begins with.
	if err := os.WriteFile(filepath.Join(dir, "syndic_master.pub"), []byte("pem"), 0o600); err != nil {
		t.Fatal(err)
	}
	if name, err = pinFile(dir, "top", true); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(b) != "pem" {
		t.Errorf("%q, %v", b, err)
	}
}

// pains 13, #40788, #53721, #58193: whatever a master_id is spelled like, and even
// if the node was restarted meanwhile, a return goes to the master that asked.
func TestUsers40788_OriginSurvivesARestart(t *testing.T) {
	a, b := startParent(t, channeltest.Rules{}), startParent(t, channeltest.Rules{})
	n := start(t, func(c *config.Syndic) { c.Local.SyndicFailover = "ordered" }, a, b)
	b.Publish(withID(channeltest.Job(job(1), "*", "test.ping"), "no-entry-of-syndic_master"))
	b.Publish(channeltest.Job(job(2), "*", "test.ping"))
	waiting.Until(t, "the jobs", func() bool { return len(n.master.published()) == 2 })
	n.stop()
	n.revive(t)
	n.run(t)
	n.awaitUp(t)
	n.local.commit(t, job(1), "web-1", "master_id", "no-entry-of-syndic_master")
	n.local.commit(t, job(2), "web-1")
	n.local.commit(t, job(3), "web-1", "master_id", "no-entry-of-syndic_master")
	waiting.Until(t, "all returns", func() bool { return a.count()+b.count() == 3 && n.local.depth() == 0 })
	if a.count() != 0 {
		t.Errorf("the master that did not ask got %v", a.rows)
	}
}

// pains 15: the return of a job whose master is away is taken by another one, and
// the master that asked gets it when it is back.
func TestPains15_TheAskerGetsItsReturnLater(t *testing.T) {
	a, b := startParent(t, channeltest.Rules{}), startParent(t, channeltest.Rules{})
	n := start(t, nil, a, b)
	a.Publish(channeltest.Job(job(1), "*", "test.ping"))
	waiting.Until(t, "the job", func() bool { return len(n.master.published()) == 1 })
	a.Down()
	n.local.commit(t, job(1), "web-1")
	waiting.Until(t, "the return at the other", func() bool { return b.has(job(1), "web-1") == 1 })
	if n.local.depth() != 1 {
		t.Error("the return is not owed any more to the master that asked")
	}
	a.Up()
	waiting.Until(t, "the return where it belongs", func() bool { return a.has(job(1), "web-1") == 1 && n.local.depth() == 0 })
	if k := b.has(job(1), "web-1"); k != 1 {
		t.Errorf("the other one was given it %d times", k)
	}
}

// The same jid from two parents: both get the returns, also those that were there
// before the second asked.
func TestTheSameJobOfTwoParents(t *testing.T) {
	a, b := startParent(t, channeltest.Rules{}), startParent(t, channeltest.Rules{})
	n := start(t, nil, a, b)
	a.Publish(channeltest.Job(job(1), "*", "test.ping"))
	waiting.Until(t, "the job", func() bool { return len(n.master.published()) == 1 })
	n.local.commit(t, job(1), "web-1")
	waiting.Until(t, "the first return", func() bool { return a.has(job(1), "web-1") == 1 && n.local.depth() == 0 })
	b.Publish(channeltest.Job(job(1), "*", "test.ping"))
	waiting.Until(t, "the job again", func() bool { return len(n.master.published()) == 2 })
	n.local.commit(t, job(1), "web-2")
	for _, p := range []*fakeParent{a, b} {
		waiting.Until(t, "all returns", func() bool { return p.has(job(1), "web-1") >= 1 && p.has(job(1), "web-2") >= 1 })
	}
	waiting.Until(t, "an empty outbox", func() bool { return n.local.depth() == 0 })
}

// The node is killed after it has written down that a second parent asked, and before
// that has the returns from before: its next life gives them.
func TestReturnsFromBeforeTheSecondParent_OverARestart(t *testing.T) {
	a, b := startParent(t, channeltest.Rules{}), startParent(t, channeltest.Rules{})
	n := start(t, func(c *config.Syndic) { c.Local.SyndicFailover = "ordered" }, a, b)
	a.Publish(channeltest.Job(job(1), "*", "test.ping"))
	waiting.Until(t, "the job", func() bool { return len(n.master.published()) == 1 })
	n.local.commit(t, job(1), "web-1")
	waiting.Until(t, "the first return", func() bool { return a.has(job(1), "web-1") == 1 && n.local.depth() == 0 })
	if first, second := n.parents.learn(t.Context(), n.parents.links[1], job(1), ""); first || !second {
		t.Fatalf("first %v, second %v", first, second)
	}
	n.parents.keep(t.Context(), job(1), n.parents.links[1])
	n.stop()
	for range 2 {
		n.revive(t)
		n.run(t)
		n.awaitUp(t)
		waiting.Until(t, "the return where it was asked for second", func() bool { return b.has(job(1), "web-1") >= 1 })
		waiting.Until(t, "the end of the debt", func() bool { return len(n.parents.origins.Owing(b.Addr())) == 0 })
		n.stop()
		// Once for each life that was killed before it had written down that it is given; the
		// master above keeps one.
		if k := b.has(job(1), "web-1"); k > 3 {
			t.Errorf("it was given %d times by three lives", k)
		}
	}
}

// Who has to answer a job, and who will not, is told to those that asked; all other
// events go to everybody.
func TestWordOfAJobGoesToThoseThatAsked(t *testing.T) {
	a, b := startParent(t, channeltest.Rules{}), startParent(t, channeltest.Rules{})
	n := start(t, func(c *config.Syndic) { c.Local.SyndicFailover = "ordered" }, a, b)
	a.Publish(channeltest.Job(job(1), "*", "test.ping"))
	waiting.Until(t, "the job", func() bool { return len(n.master.published()) == 1 })
	n.local.fire(t, job(1), wire.NewMap("minions", []any{"web-1"}, "jid", job(1)))
	n.local.fire(t, "salt/job/"+job(1)+"/missing", wire.NewMap("jid", job(1)))
	n.local.fire(t, "salt/job/"+job(1)+"/new", wire.NewMap("jid", job(1)))
	n.local.fire(t, job(2), wire.NewMap("minions", []any{"web-1"}, "jid", job(2))) // nobody asked
	for _, tag := range []string{job(1), "salt/job/" + job(1) + "/missing", "salt/job/" + job(1) + "/new", job(2)} {
		waiting.Until(t, tag+" at the one that asked", func() bool { return a.heard(tag) == 1 })
	}
	waiting.Until(t, "the last event at the other", func() bool { return b.heard(job(2)) == 1 && b.heard("salt/job/"+job(1)+"/new") == 1 })
	if b.heard(job(1))+b.heard("salt/job/"+job(1)+"/missing") != 0 {
		t.Error("a master that did not ask would wait for the minions of the job")
	}
}

// A parent that is away for a moment keeps what is its own: nothing moves before
// syndic_failover_after.
func TestFailoverHasHysteresis(t *testing.T) {
	a, b := startParent(t, channeltest.Rules{}), startParent(t, channeltest.Rules{})
	n := start(t, func(c *config.Syndic) {
		c.Local.SyndicFailover, c.Local.SyndicFailoverAfter = "ordered", time.Hour
	}, a, b)
	a.Publish(channeltest.Job(job(1), "*", "test.ping"))
	waiting.Until(t, "the job", func() bool { return len(n.master.published()) == 1 })
	a.Down()
	waiting.Until(t, "the loss to be noticed", func() bool { return !n.parents.links[0].IsUp() })
	n.local.commit(t, job(1), "web-1")
	b.Publish(channeltest.Job(job(2), "*", "test.ping"))
	waiting.Until(t, "the other job", func() bool { return len(n.master.published()) == 2 })
	n.local.commit(t, job(2), "web-1")
	waiting.Until(t, "the other return", func() bool { return b.has(job(2), "web-1") == 1 })
	a.Up()
	waiting.Until(t, "the return", func() bool { return a.has(job(1), "web-1") == 1 && n.local.depth() == 0 })
	if b.has(job(1), "web-1") != 0 {
		t.Error("it went elsewhere although its master was away for a moment only")
	}
}

// pains 14: two masters of one host with keys of their own, also after a restart.
func TestPains14_TwoMastersOfOneHost(t *testing.T) {
	a, b := startParent(t, channeltest.Rules{}), startParent(t, channeltest.Rules{})
	b.Key = channeltest.Key(t, "lower_master")
	b.Down()
	b.Up()
	n := start(t, nil, a, b)
	n.stop()
	n.revive(t)
	n.run(t)
	n.awaitUp(t)
}

// The return of a minion was here before anybody had asked for its job, and went to
// the master that takes what nobody is owed: the one that asks later gets it too.
func TestReturnsFromBeforeTheJob(t *testing.T) {
	a, b := startParent(t, channeltest.Rules{}), startParent(t, channeltest.Rules{})
	n := start(t, func(c *config.Syndic) { c.Local.SyndicFailover = "ordered" }, a, b)
	n.local.commit(t, job(1), "web-1")
	waiting.Until(t, "the return where nobody asked", func() bool { return a.has(job(1), "web-1") == 1 && n.local.depth() == 0 })
	b.Publish(channeltest.Job(job(1), "*", "test.ping"))
	// It may come twice: what is not answered in time is sent again.
	waiting.Until(t, "the return where it was asked for", func() bool { return b.has(job(1), "web-1") >= 1 })
}

// C4: of two masters above the one that asked is away while its job returns, and the
// other one stands in: the asker gets every return when it is back, although the node
// was restarted meanwhile, and neither is given one twice. It runs with 6,000 returns,
// three times what a window holds (2,000) and more than were once kept in memory.
func TestTheAskerGetsAllThatAnotherHad(t *testing.T) {
	const minions = 6000
	a, b := startParent(t, channeltest.Rules{}), startParent(t, channeltest.Rules{})
	n := start(t, func(c *config.Syndic) { c.Local.SyndicFailover = "ordered" }, a, b)
	a.Publish(channeltest.Job(job(1), "*", "test.ping"))
	waiting.Until(t, "the job", func() bool { return len(n.master.published()) == 1 })
	a.Down()
	waiting.Until(t, "the loss to be noticed", func() bool { return !n.parents.links[0].IsUp() })
	for i := range minions {
		n.local.commit(t, job(1), fmt.Sprint("web-", i))
	}
	n.local.complete(t, job(1))
	waiting.Until(t, "the returns at the other", func() bool { return b.count() == minions })
	waiting.Until(t, "what the asker is owed", func() bool { rows, _ := n.local.OutboxSize(n.parents.links[0].returns.Dest()); return rows == minions })
	n.stop()
	n.revive(t)
	n.run(t)
	a.Up()
	waiting.Until(t, "the returns at the one that asked", func() bool { return a.count() == minions && n.local.depth() == 0 })
	for i := range minions {
		if x, y := a.has(job(1), fmt.Sprint("web-", i)), b.has(job(1), fmt.Sprint("web-", i)); x != 1 || y != 1 {
			t.Fatalf("web-%d was given %d and %d times", i, x, y)
		}
	}
}

// A master above that asked is away when its node starts: after syndic_failover_after
// another one takes its returns, and no sweep has to see to it.
func TestFailoverAfterARestartNeedsNoSweep(t *testing.T) {
	a, b := startParent(t, channeltest.Rules{}), startParent(t, channeltest.Rules{})
	n := start(t, func(c *config.Syndic) {
		c.Local.SyndicFailover, c.Local.SyndicFailoverAfter = "ordered", 2*time.Second
	}, a, b)
	a.Publish(channeltest.Job(job(1), "*", "test.ping"))
	waiting.Until(t, "the job", func() bool { return len(n.master.published()) == 1 })
	n.stop()
	a.Down()
	n.revive(t)
	n.pace.Sweep = time.Hour
	n.local.commit(t, job(1), "web-1")
	n.run(t)
	waiting.Until(t, "the return at the other", func() bool { return b.has(job(1), "web-1") == 1 })
}

// Of two masters above that asked for the same jobs one is away, and is owed as much as
// outbox_max_rows allows when further returns come, which the other one has. It is given
// those too when it is back, although the node was restarted meanwhile, and no more rows
// wait for it than are allowed and one job has. It runs with outbox_max_rows of 4 and 30
// jobs of 2 returns, handed over one by one.
func TestTheAskerGetsWhatItsOutboxHadNoRoomFor(t *testing.T) {
	const jobs, most = 30, 4
	a, b := startParent(t, channeltest.Rules{}), startParent(t, channeltest.Rules{})
	n := start(t, func(c *config.Syndic) {
		c.Local.SyndicFailover, c.Local.OutboxMaxRows = "ordered", most
		c.Local.Bounds.ForwardRows, c.Local.Bounds.ForwardRequests = 1, 1
	}, a, b)
	for i := range jobs {
		a.Publish(channeltest.Job(job(i+1), "*", "test.ping"))
		b.Publish(channeltest.Job(job(i+1), "*", "test.ping"))
	}
	waiting.Until(t, "the jobs", func() bool { return len(n.master.published()) == 2*jobs })
	a.Down()
	waiting.Until(t, "the loss to be noticed", func() bool { return !n.parents.links[0].IsUp() })
	for i := range jobs {
		n.local.commit(t, job(i+1), "web-1")
		n.local.commit(t, job(i+1), "web-2")
	}
	waiting.Until(t, "the returns at the other", func() bool { return b.count() == 2*jobs })
	dest := n.parents.links[0].returns.Dest()
	waiting.Until(t, "what the asker is owed", func() bool { rows, _ := n.local.OutboxSize(dest); return n.local.depth() == int(rows) })
	if rows, _ := n.local.OutboxSize(dest); rows > most+2 {
		t.Errorf("%d rows wait for one master above", rows)
	}
	n.stop()
	n.revive(t)
	n.run(t)
	a.Up()
	for i := range jobs {
		for _, id := range []string{"web-1", "web-2"} {
			waiting.Until(t, "the return of "+id+" of "+job(i+1)+" where it was asked for", func() bool { return a.has(job(i+1), id) >= 1 })
		}
	}
	waiting.Until(t, "an empty outbox", func() bool { return n.local.depth() == 0 })
	waiting.Until(t, "the end of the debt", func() bool { return len(n.parents.origins.Owing(a.Addr())) == 0 })
}
