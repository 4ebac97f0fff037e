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

// Salt issues #40788, #53721, #58193.
func TestReturnsGoWhereTheJobCameFrom(t *testing.T) {
	a, b := startParent(t, channeltest.Rules{}), startParent(t, channeltest.Rules{})
	b.Key = channeltest.Key(t, "lower_master") // parents may have different keys
	b.Down()
	b.Up()
	n := start(t, nil, a, b)
	// A master_id is any name; its user is learned from publications.
	a.Publish(withID(channeltest.Job(job(1), "*", "test.ping"), "mm1"))
	b.Publish(withID(channeltest.Job(job(2), "*", "test.ping"), "mm2"))
	b.Publish(channeltest.Job(job(3), "*", "test.ping"))
	waiting.Until(t, "the jobs", func() bool { return len(n.master.published()) == 3 })
	n.local.commit(t, job(1), "web-1", "master_id", "mm1")
	n.local.commit(t, job(2), "web-1", "master_id", "mm2")
	n.local.commit(t, job(3), "web-1")
	n.local.commit(t, job(4), "web-1", "master_id", "mm2") // a job of an earlier run
	n.local.commit(t, job(5), "web-1", "master_id", b.Addr())
	waiting.Until(t, "all returns", func() bool { return a.count()+b.count() == 5 && n.local.depth() == 0 })
	if a.count() != 1 || a.has(job(1), "web-1") != 1 {
		t.Errorf("first master: %v", a.rows)
	}
}

// Salt issue #47963.
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
	// The first parent accepts requests and never answers.
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
	// The other parent takes its rows after a while.
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
		{[]string{"top-1", "top-2", "top-1"}, "duplicate address"},
		{[]string{"top-1", "top-1:4506"}, "duplicate address"},
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
		t.Error("no error without a local master")
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
	// Salt's shared pin is the start of each.
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

// Salt issues #40788, #53721, #58193: a return goes to the parent that requested its job, however
// its master_id is spelled, and after a restart of the node.
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
		t.Errorf("parent got %v without a request", a.rows)
	}
}

// While the requester is away another parent takes its return, and the requester gets it when it is
// back.
func TestRequesterGetsItsReturnLater(t *testing.T) {
	a, b := startParent(t, channeltest.Rules{}), startParent(t, channeltest.Rules{})
	n := start(t, nil, a, b)
	a.Publish(channeltest.Job(job(1), "*", "test.ping"))
	waiting.Until(t, "the job", func() bool { return len(n.master.published()) == 1 })
	a.Down()
	n.local.commit(t, job(1), "web-1")
	waiting.Until(t, "the return at the other", func() bool { return b.has(job(1), "web-1") == 1 })
	if n.local.depth() != 1 {
		t.Error("return no longer pending for the requester")
	}
	a.Up()
	waiting.Until(t, "the return where it belongs", func() bool { return a.has(job(1), "web-1") == 1 && n.local.depth() == 0 })
	if k := b.has(job(1), "web-1"); k != 1 {
		t.Errorf("other parent got it %d times", k)
	}
}

// Two parents publish the same jid: both get the returns, also those stored before the second
// request.
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

// The node is killed after it noted that a second parent requested the job, and before that parent
// has the stored returns: they are sent after the restart.
func TestStoredReturns_SecondParentAfterRestart(t *testing.T) {
	a, b := startParent(t, channeltest.Rules{}), startParent(t, channeltest.Rules{})
	n := start(t, func(c *config.Syndic) { c.Local.SyndicFailover = "ordered" }, a, b)
	a.Publish(channeltest.Job(job(1), "*", "test.ping"))
	waiting.Until(t, "the job", func() bool { return len(n.master.published()) == 1 })
	n.local.commit(t, job(1), "web-1")
	waiting.Until(t, "the first return", func() bool { return a.has(job(1), "web-1") == 1 && n.local.depth() == 0 })
	if first, second := n.parents.learn(t.Context(), n.parents.links[1], job(1), ""); first || !second {
		t.Fatalf("first %v, second %v", first, second)
	}
	n.parents.saveRequests(t.Context(), job(1), n.parents.links[1])
	n.stop()
	for range 2 {
		n.revive(t)
		n.run(t)
		n.awaitUp(t)
		waiting.Until(t, "the return where it was asked for second", func() bool { return b.has(job(1), "web-1") >= 1 })
		waiting.Until(t, "the end of the debt", func() bool { return len(n.parents.origins.Pending(b.Addr())) == 0 })
		n.stop()
		// Once for each run killed before it removed the note; the parent stores one.
		if k := b.has(job(1), "web-1"); k > 3 {
			t.Errorf("sent %d times in three runs", k)
		}
	}
}

// Expectations and missing minions go to the requesters of a job; other events go to all parents.
func TestReports_GoToRequesters(t *testing.T) {
	a, b := startParent(t, channeltest.Rules{}), startParent(t, channeltest.Rules{})
	n := start(t, func(c *config.Syndic) { c.Local.SyndicFailover = "ordered" }, a, b)
	a.Publish(channeltest.Job(job(1), "*", "test.ping"))
	waiting.Until(t, "the job", func() bool { return len(n.master.published()) == 1 })
	n.local.fire(t, job(1), wire.NewMap("minions", []any{"web-1"}, "jid", job(1)))
	n.local.fire(t, "salt/job/"+job(1)+"/missing", wire.NewMap("jid", job(1)))
	n.local.fire(t, "salt/job/"+job(1)+"/new", wire.NewMap("jid", job(1)))
	n.local.fire(t, job(2), wire.NewMap("minions", []any{"web-1"}, "jid", job(2))) // not requested
	for _, tag := range []string{job(1), "salt/job/" + job(1) + "/missing", "salt/job/" + job(1) + "/new", job(2)} {
		waiting.Until(t, tag+" at the one that asked", func() bool { return a.heard(tag) == 1 })
	}
	waiting.Until(t, "the last event at the other", func() bool { return b.heard(job(2)) == 1 && b.heard("salt/job/"+job(1)+"/new") == 1 })
	if b.heard(job(1))+b.heard("salt/job/"+job(1)+"/missing") != 0 {
		t.Error("parent got the expectation of a job it did not request")
	}
}

// A parent that is away for less than syndic_failover_after keeps its rows.
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
		t.Error("return went elsewhere before syndic_failover_after")
	}
}

// Two masters on one host have separate pins, also after a restart.
func TestTwoMastersOfOneHost(t *testing.T) {
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

// A return stored before anyone requested its job goes to the preferred parent, and later to the
// requester too.
func TestStoredReturns_BeforeTheJob(t *testing.T) {
	a, b := startParent(t, channeltest.Rules{}), startParent(t, channeltest.Rules{})
	n := start(t, func(c *config.Syndic) { c.Local.SyndicFailover = "ordered" }, a, b)
	n.local.commit(t, job(1), "web-1")
	waiting.Until(t, "the return where nobody asked", func() bool { return a.has(job(1), "web-1") == 1 && n.local.depth() == 0 })
	b.Publish(channeltest.Job(job(1), "*", "test.ping"))
	// It may arrive twice: unanswered requests are repeated.
	waiting.Until(t, "the return where it was asked for", func() bool { return b.has(job(1), "web-1") >= 1 })
}

// The requester is away while its job returns, and the other parent takes the rows. The requester
// gets every return when it is back, although the node restarted meanwhile, and neither gets one
// twice. 6,000 returns, three times a window.
func TestRequesterGetsReturnsSentElsewhere(t *testing.T) {
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
	waiting.Until(t, "the rows of the requester", func() bool { rows, _ := n.local.OutboxSize(n.parents.links[0].returns.Dest()); return rows == minions })
	n.stop()
	n.revive(t)
	n.run(t)
	a.Up()
	waiting.Until(t, "the returns at the one that asked", func() bool { return a.count() == minions && n.local.depth() == 0 })
	for i := range minions {
		if x, y := a.has(job(1), fmt.Sprint("web-", i)), b.has(job(1), fmt.Sprint("web-", i)); x != 1 || y != 1 {
			t.Fatalf("web-%d was sent %d and %d times", i, x, y)
		}
	}
}

// A requester is away when the node starts: after syndic_failover_after another parent takes its
// returns, without a sweep.
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

// One of two requesters is away until its outbox is full (outbox_max_rows 4), while the other gets
// 30 jobs of 2 returns, one by one. The absent one gets all of them when it is back, although the
// node restarted meanwhile, and its outbox never exceeds the limit by more than one job.
func TestRequesterGetsReturnsBeyondOutbox(t *testing.T) {
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
	waiting.Until(t, "the rows of the requester", func() bool { rows, _ := n.local.OutboxSize(dest); return n.local.depth() == int(rows) })
	if rows, _ := n.local.OutboxSize(dest); rows > most+2 {
		t.Errorf("%d rows pending for one parent", rows)
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
	waiting.Until(t, "the end of the debt", func() bool { return len(n.parents.origins.Pending(a.Addr())) == 0 })
}
