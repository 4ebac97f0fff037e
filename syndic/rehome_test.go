package syndic

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/nodecall"
	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/syndic/link"
	"github.com/momtree/mom/syndic/siblings"
)

// fakeFailover is a local master with failover on.
type fakeFailover struct{}

func (fakeFailover) SetSiblings(sibling.Signed) error { return nil }
func (fakeFailover) ClearSiblings(string) bool        { return false }
func (fakeFailover) RevokedKeys() []sibling.Gone      { return nil }
func (fakeFailover) AddRevoked([]sibling.Gone) error  { return nil }
func (fakeFailover) Home() sibling.Node               { return sibling.Node{ID: "syn-a", Port: 4506} }

// plantHoused creates a node below a that knows its sibling b.
func plantHoused(t *testing.T, failback time.Duration, change ...func(*link.Pace)) (n *node, a, b *fakeParent) {
	t.Helper()
	return plantHousedAs(t, func(c *config.Syndic) { c.Upper.RehomeFailback = failback }, change...)
}

// plantHousedAs is plantHoused with another configuration.
func plantHousedAs(t *testing.T, alter func(*config.Syndic), change ...func(*link.Pace)) (n *node, a, b *fakeParent) {
	t.Helper()
	var nodes []sibling.Node
	key := channeltest.Key(t, "sign")
	rules := func(name string) channeltest.Rules {
		return channeltest.Rules{Handle: map[string]channeltest.Handler{sibling.Command: func(string, *wire.Map) any {
			signed, err := sibling.List{Parent: "top", Nodes: nodes}.Sign(key.Private, key.PublicPEM)
			if err != nil {
				t.Error(err)
			}
			return wire.NewMap("node", name, "lists", []any{signed.Map()}, "voucher", []byte("voucher of "+name))
		}}}
	}
	a, b = startParent(t, rules("a")), startParent(t, rules("b"))
	nodes = []sibling.Node{
		{ID: "a", Host: a.Host(), Port: a.Port(), Pub: a.Key.PublicPEM, Up: true},
		{ID: "b", Host: b.Host(), Port: b.Port(), Pub: b.Key.PublicPEM, Up: true},
	}
	n = plant(t, func(c *config.Syndic) {
		c.Upper.RehomeAfter = 50 * time.Millisecond
		alter(c)
	}, a)
	old := n.Syndic
	s, err := New(Options{Config: n.conf, Local: n.local, Failover: fakeFailover{}, Version: "1.0", Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	*s.pace = *old.pace
	for _, f := range change {
		f(s.pace)
	}
	n.Syndic = s
	n.run(t)
	n.awaitUp(t)
	waiting.Until(t, "the siblings", func() bool { order, v := s.siblingStore.Order("syn-a"); return len(order) == 1 && len(v) > 0 })
	return n, a, b
}

// A node requests its siblings on connect, and when the parent announces a change.
func TestSiblings_RequestedAtOnce(t *testing.T) {
	_, a, _ := plantHoused(t, time.Hour, func(p *link.Pace) { p.Siblings = time.Hour })
	p, err := nodecall.Change{What: sibling.Changed, Within: time.Millisecond}.Publication()
	if err != nil {
		t.Fatal(err)
	}
	pub := channeltest.Job(job(1), "", nodecall.Fun)
	pub.Set("tgt", p.Tgt)
	pub.Set("tgt_type", p.TgtType)
	v, _ := p.Extra.Get(nodecall.Field)
	pub.Set(nodecall.Field, v)
	a.Publish(pub)
	a.Await(t, sibling.Command, 2)
	a.Down()
	a.Up()
	a.Await(t, sibling.Command, 3)
}

// A node whose only parent is gone sends pending rows over a sibling, and returns to the parent
// later.
func TestRehome_OverASiblingOfTheParent(t *testing.T) {
	n, a, b := plantHoused(t, 100*time.Millisecond)
	if err := os.MkdirAll(n.cfg.Local.Cachedir, 0o700); err != nil {
		t.Fatal(err)
	}
	a.Publish(channeltest.Job(job(1), "*", "test.ping"))
	waiting.Until(t, "the job", func() bool { return len(n.master.published()) == 1 })
	a.Down()
	b.AwaitSubscribers(t, 1)
	if got := b.Seen("_auth")[0].Bytes("mom_voucher"); string(got) != "voucher of a" {
		t.Errorf("voucher %q", got)
	}
	n.local.commit(t, job(1), "web-1")
	waiting.Until(t, "the return over the sibling", func() bool { return b.has(job(1), "web-1") == 1 })
	b.Publish(channeltest.Job(job(2), "*", "test.ping"))
	waiting.Until(t, "a job over the sibling", func() bool { return len(n.master.published()) == 2 })
	a.Up()
	waiting.Until(t, "one way up, home", func() bool { l := n.parents.all(); return len(l) == 1 && l[0].IsUp() })
	waiting.Until(t, "an empty outbox", func() bool { return n.local.depth() == 0 })
	// Each master learns where the node was, in case the top did not hear of it.
	for name, p := range map[string]*fakeParent{"home": a, "the sibling": b} {
		waiting.Until(t, "where it was, at "+name, func() bool {
			all := p.Seen("_presence")
			return strings.Join(wire.Texts(all[len(all)-1].List(sibling.AnnouncedVisits)), " ") == "a b"
		})
	}
	kept, err := siblings.OpenStore(n.cfg.Local.Cachedir)
	if err != nil {
		t.Fatal(err)
	}
	if got := kept.Left(time.Now()); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("after a restart it knows %v", got)
	}
}

// Rows for the parent go over the sibling once the parent has been gone for syndic_failover_after,
// although the sibling connected before that. The parent counts as gone after 4 s, the sibling
// connects after 50 ms; no sweep.
func TestRehome_TheSiblingComesBeforeTheHomeCountsAsGone(t *testing.T) {
	n, a, b := plantHousedAs(t, func(c *config.Syndic) {
		c.Upper.RehomeFailback, c.Local.SyndicFailoverAfter = time.Hour, 4*time.Second
	}, func(p *link.Pace) { p.Sweep = time.Hour })
	a.Publish(channeltest.Job(job(1), "*", "test.ping"))
	waiting.Until(t, "the job", func() bool { return len(n.master.published()) == 1 })
	home := n.parents.links[0]
	a.Down()
	b.AwaitSubscribers(t, 1)
	waiting.Until(t, "the sibling", func() bool { l := n.parents.all(); return len(l) == 2 && l[1].IsUp() })
	n.local.commit(t, job(1), "web-1")
	if home.GoneFor(n.conf.Local.SyndicFailoverAfter) {
		t.Fatal("parent counted as gone before the row arrived")
	}
	waiting.Until(t, "the return over the sibling", func() bool { return b.has(job(1), "web-1") == 1 })
}

// A sibling gets expectations of the parent's jobs only while it is the only way to the top. It
// then gets the returns too, although the parent is back.
func TestRehome_ReportsOfHomeJobs(t *testing.T) {
	n, a, b := plantHoused(t, time.Hour)
	publish := func(i, sofar int) {
		a.Publish(channeltest.Job(job(i), "*", "test.ping"))
		waiting.Until(t, "the job", func() bool { return len(n.master.published()) == sofar })
	}
	word := func(i int) { n.local.fire(t, job(i), wire.NewMap("minions", []any{"web-1"}, "jid", job(i))) }
	publish(1, 1)
	a.Down()
	b.AwaitSubscribers(t, 1)
	waiting.Until(t, "the way over the sibling", func() bool { l := n.parents.all(); return len(l) == 2 && l[1].IsUp() })
	word(1)
	waiting.Until(t, "the word over the sibling", func() bool { return b.heard(job(1)) == 1 })
	a.Up()
	waiting.Until(t, "both ways up", func() bool { l := n.parents.all(); return len(l) == 2 && l[0].IsUp() && l[1].IsUp() })
	publish(2, 2)
	word(2)
	word(3) // not requested
	waiting.Until(t, "the word at home", func() bool { return a.heard(job(2)) == 1 })
	waiting.Until(t, "the next word at the sibling", func() bool { return b.heard(job(3)) == 1 })
	if b.heard(job(2)) != 0 {
		t.Error("sibling got the expectation of a job whose returns go to the parent")
	}
	n.local.commit(t, job(1), "web-1")
	for name, p := range map[string]*fakeParent{"home": a, "the sibling": b} {
		waiting.Until(t, "the return at "+name, func() bool { return p.has(job(1), "web-1") == 1 })
	}
}
