package master

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/nodecall"
	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/topology"
)

// A guest is not listed as a node of this master, and does not receive the master's nodes as its
// own siblings.
func TestSiblings_GuestsDoNotReceiveThoseOfOthers(t *testing.T) {
	r := newRig(t, ordersMasters)
	r.start()
	ask := func(id string) *wire.Map {
		n := r.minion(id, "syndic", "syndic")
		r.admit(id)
		if id == "guest" {
			n.leave("syndic", "elsewhere", true)
		}
		d, ok := n.must(wire.NewMap("cmd", sibling.Command, "id", id, "role", "syndic", "port", 4506, "host", "h", "pub", "k")).(*wire.Map)
		if !ok {
			t.Fatalf("%s gets no answer", id)
		}
		return d
	}
	if d := ask("own"); d.Map("below") == nil {
		t.Errorf("its own node receives %v", plain(t, d))
	}
	if d := ask("guest"); d.Map("below") != nil {
		t.Errorf("a guest receives %v", plain(t, d))
	}
}

// Connected peers are informed of changed siblings: nodes when one of them is new, and everyone,
// minions too, when a master above reports others. Stock peers receive nothing.
func TestSiblings_ChangesAreReported(t *testing.T) {
	r := newRig(t, ordersMasters)
	r.start()
	heard := func(m *minion) {
		t.Helper()
		if n, is := nodecall.ReadChange(m.hear()); !is || n.What != sibling.Changed || n.Within != 250*time.Millisecond {
			t.Errorf("%s hears %+v, %v", m.id, n, is)
		}
	}
	plain := r.minion("plain", "minion", "minion").listen("")
	m := r.minion("m", "minion", "minion").listen("").announce()
	n1 := r.minion("n1", "syndic", "syndic").listen("").announce()
	r.admit("n1")
	heard(n1) // about the new node
	enter := func(id string) {
		n1.must(wire.NewMap("cmd", sibling.Command, "id", "n1", "role", "syndic", "port", 4506, "host", id, "pub", "k"))
	}
	enter("h1")
	heard(n1)
	enter("h1") // no change
	enter("h2")
	heard(n1)
	key, err := crypt.NewKeyPair(2048)
	if err != nil {
		t.Fatal(err)
	}
	l := sibling.List{Parent: "top", Nodes: []sibling.Node{{ID: r.ID(), Host: "h", Port: 1, Pub: "k"}}}
	report := func() {
		signed, err := l.Sign(key.Private, key.PublicPEM)
		if err == nil {
			err = r.failover.SetSiblings(signed)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	report()
	heard(m)
	heard(n1)
	l.Nodes[0].Up = true // no change that matters to them
	report()
	l.Nodes = append(l.Nodes, sibling.Node{ID: "sibling", Host: "h", Port: 2, Pub: "k"})
	report()
	heard(m)
	heard(n1)
	r.say(testJob("*", "glob"))
	for _, p := range []*minion{plain, m, n1} {
		if _, is := nodecall.ReadChange(p.hear()); is {
			t.Errorf("%s receives a change that is not for it", p.id)
		}
	}
}

// The tree shows a draining node, also after its restart, until draining is stopped.
func TestDrainingIsShown(t *testing.T) {
	r := newRig(t)
	r.start()
	shown := func(want int) {
		t.Helper()
		eventually(t, "what the tree says of draining", func() bool {
			n := 0
			for _, p := range topology.Problems(r.Master.tree.Snapshot()) {
				if p.Kind == topology.Degraded && strings.HasPrefix(p.Detail, "draining") {
					n++
				}
			}
			return n == want
		})
	}
	shown(0)
	if err := r.failover.Drain(true); err != nil {
		t.Fatal(err)
	}
	shown(1)
	r.restart()
	shown(1)
	if err := r.failover.Drain(false); err != nil {
		t.Fatal(err)
	}
	shown(0)
}

// So does a node with a full disk, until the disk has room. Meanwhile the node is not ready.
func TestFullDiskIsShown(t *testing.T) {
	r := newRig(t).open() // not serving yet, so nobody else writes
	problem := func() string {
		for _, p := range topology.Problems(r.Master.tree.Snapshot()) {
			if p.Kind == topology.Degraded {
				return p.Detail
			}
		}
		return ""
	}
	away := r.cfg.Cachedir + ".away" // no user can write here, not even root
	if err := os.Rename(r.cfg.Cachedir, away); err != nil {
		t.Fatal(err)
	}
	r.reportProblems()
	if d := problem(); !strings.Contains(d, "cachedir takes no files") {
		t.Errorf("problem: %q", d)
	}
	for _, c := range r.checks(t.Context()) {
		if c.Name == "store" && (c.OK || !strings.Contains(c.Reason, "cachedir takes no files")) {
			t.Errorf("readiness: %+v", c)
		}
	}
	if err := os.Rename(away, r.cfg.Cachedir); err != nil {
		t.Fatal(err)
	}
	r.reportProblems()
	if d := problem(); d != "" {
		t.Errorf("problem still: %q", d)
	}
}

// A guest may report work on a job before the job arrives. The job must still reach this master's
// own minions, even if the master restarts in between.
func TestUsers_JobComesAfterAGuestAtWorkOnIt(t *testing.T) {
	for _, restart := range []bool{false, true} {
		r := newRig(t, ordersMasters)
		r.start()
		guest := r.guest("minion").listen().announce(someJob)
		eventually(t, "the guest's job", func() bool { _, ok := r.jobs.State(someJob); return ok })
		eventually(t, "it on disk", func() bool {
			xs, err := r.store.Local().GetExpectations(t.Context(), someJob)
			return err == nil && len(xs) == 1
		})
		own := r.minion("own", "minion", "syndic")
		if restart {
			guest.mute()
			r.restart()
			guest.listen().announce()
		}
		own.listen().announce()
		r.say(testJob("*", "glob", "jid", someJob))
		if p := own.hear(); p.JID != someJob {
			t.Fatalf("restart %v: heard %v", restart, p.JID)
		}
		events := r.events()
		for _, m := range []*minion{own, guest} {
			if err := m.answer(someJob, true); err != nil {
				t.Fatal(err)
			}
		}
		if d := events.take("salt/job/" + someJob + "/complete"); d.Int("expected") != 2 || d.Int("returned") != 2 {
			t.Errorf("restart %v: closed with %v", restart, plain(t, d))
		}
		r.stop()
	}
}

// A moving minion is reported missing by its home until another node speaks for it. A guest that
// has left is reported by its own home, not by its host.
func TestWhoMissesAMinionOnTheMove(t *testing.T) {
	r := newRig(t)
	r.start()
	r.guest("minion")
	r.minion("ours", "minion", "minion2").leave("minion", "sibling", false)
	for _, tgt := range []struct {
		tgt any
		by  string
	}{{"*", "glob"}, {[]any{"guest", "ours"}, "list"}} {
		load := r.say(testJob(tgt.tgt, tgt.by)).Map("load")
		if got := wire.Texts(load.List("minions")); !slices.Equal(got, []string{"ours"}) {
			t.Errorf("%v is for %v", tgt.tgt, got)
		}
	}
}

// A moving minion is counted by both nodes it is connected to. The job waits until both have
// reported it missing, and stores both reports.
func TestBothNodesOfAMovingMinionAreHeard(t *testing.T) {
	r := newRig(t, func(c *config.Master) { c.OrderMasters = true })
	r.start()
	n1, n2 := twoNodes(r)
	n1.announceTree(treeOf("n1", topology.Up, "a"))
	n2.announceTree(treeOf("n2", topology.Up, "a"))
	events := r.events()
	jid := r.say(testJob("*", "glob")).Map("load").String("jid")
	for _, n := range []*minion{n1, n2} {
		n.must(bulk("syndic/"+n.id, event(jid, wire.NewMap("minions", []any{"a"}, "jid", jid,
			"mom", wire.NewMap("node", "", "asked", []any{}, "unreachable", wire.NewMap())))))
	}
	lose := func(n *minion) {
		gone := wire.NewMap("a", wire.NewMap("reason", engine.NotConnected, "path", ""))
		n.must(bulk("syndic/"+n.id, event("salt/job/"+jid+"/missing", wire.NewMap("jid", jid, "missing", gone, "nodes", wire.NewMap()))))
	}
	lose(n1)
	if a, _ := r.jobs.State(jid); a.Waiting["a"] != "n2" {
		t.Errorf("account %+v", a)
	}
	lose(n2)
	if d := events.take("salt/job/" + jid + "/complete"); d.Int("expected") != 1 || d.Map("absent").Map("a").String("path") != "n2" {
		t.Errorf("closed with %v", plain(t, d))
	}
	eventually(t, "the word of both stored", func() bool {
		xs, err := r.store.Local().GetExpectations(t.Context(), jid)
		said := 0
		for _, x := range xs {
			if x.Missing["a"] == engine.NotConnected {
				said++
			}
		}
		return err == nil && said == 2
	})
}

// Many minions ask where they may go, as after a change of their siblings; with a voucher, as after
// their first connection.
func BenchmarkSiblings(b *testing.B) {
	for _, voucher := range []bool{false, true} {
		b.Run(fmt.Sprintf("siblings=10/voucher=%v", voucher), func(b *testing.B) {
			r := newRig(b)
			herd := r.herd(b, 100)
			key, err := crypt.NewKeyPair(2048)
			if err != nil {
				b.Fatal(err)
			}
			l := sibling.List{Parent: "top", Nodes: []sibling.Node{{ID: r.ID(), Host: "h", Port: 1, Pub: key.PublicPEM}}}
			for i := range 10 {
				l.Nodes = append(l.Nodes, sibling.Node{ID: fmt.Sprint("n", i), Host: "h", Port: 1, Pub: key.PublicPEM})
			}
			signed, err := l.Sign(key.Private, key.PublicPEM)
			if err == nil {
				err = r.failover.SetSiblings(signed)
			}
			if err != nil {
				b.Fatal(err)
			}
			var next atomic.Int64
			var wg sync.WaitGroup
			ts, busy := time.Now().Unix(), cpu(b)
			b.ResetTimer()
			for _, m := range herd {
				wg.Go(func() {
					for next.Add(1) <= int64(b.N) {
						if err := m.request(wire.NewMap("cmd", sibling.Command, "role", "minion", "have", "", "voucher", voucher), ts); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			wg.Wait()
			b.ReportMetric(float64((cpu(b)-busy).Microseconds())/float64(b.N), "cpu-us/question")
		})
	}
}

// A node reports its listening address if it is bound to one; otherwise the master above uses the
// address it sees. Here the node is bound to 127.0.0.1 and connects from another address.
func TestHome_ReportsWhereItListens(t *testing.T) {
	top := newRig(t, ordersMasters)
	top.start()
	if got := top.failover.Home(); got.Host != "127.0.0.1" || got.Port != top.ret {
		t.Errorf("bound to 127.0.0.1:%d it reports %s", top.ret, got.Addr())
	}
	n := top.minion("n1", "syndic", "syndic", func(c *channel.Config) { c.Dial.SourceAddr = "127.0.46.9" })
	top.admit("n1")
	for _, c := range []struct{ host, want string }{{"127.0.46.1", "127.0.46.1"}, {"", "127.0.46.9"}} {
		l := siblingsOf(t, n.must(claims("n1", c.host, 4506, "k")))
		if len(l.Nodes) != 1 || l.Nodes[0].Host != c.want {
			t.Errorf("announced %q, the siblings are %+v", c.host, l.Nodes)
		}
	}
}
