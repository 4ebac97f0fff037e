package master

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/peers"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/topology"
)

func reconnectIn(d time.Duration) func(*config.Master) {
	return func(c *config.Master) { c.PresenceReconnect = d }
}

func (r *rig) state(id string) topology.State {
	for _, m := range r.Snapshot().Minions {
		if m.ID == id {
			return m.State
		}
	}
	return ""
}

// A stock minion is asked once for its id, over its connection, and appears in the tree. If it
// disconnects, the job reports it missing with the last return, not after Salt's 15 s. The request
// is not visible to users. Size: 30 peers, 3 of them dead.
func TestStock_KnownByItsConnection(t *testing.T) {
	for _, filtering := range []bool{false, true} {
		t.Run(fmt.Sprint("filtering ", filtering), func(t *testing.T) {
			r := newRig(t, reconnectIn(500*time.Millisecond), func(c *config.Master) { c.ZmqFiltering = filtering })
			r.start()
			events := r.events()
			var all []*stock
			for i := range 30 {
				all = append(all, r.stock(fmt.Sprintf("s%02d", i), "minion"))
			}
			for _, s := range all {
				eventually(t, s.id+" up", func() bool { return r.state(s.id) == topology.Up })
			}
			dead := []string{"s03", "s11", "s29"}
			for _, s := range all {
				if slices.Contains(dead, s.id) {
					s.kill()
				}
			}
			for _, id := range dead {
				eventually(t, id+" down", func() bool { return r.peers.Minion(id).Live == engine.Down && r.state(id) == topology.Down })
			}
			jid := r.say(testJob("*", "glob")).Map("load").String("jid")
			d := events.take("salt/job/" + jid + "/complete")
			if d.Int("returned") != 27 || d.Map("absent").Len() != 3 {
				t.Errorf("complete %v", plain(t, d))
			}
			for _, id := range dead {
				if why := d.Map("absent").Map(id).String("reason"); why != engine.NotConnected {
					t.Errorf("%s is missing because %q", id, why)
				}
			}
			for _, s := range all {
				if n := s.questions(); n != 1 {
					t.Errorf("%s was asked %d times", s.id, n)
				}
			}
			for _, e := range events.rest() {
				if strings.Contains(e.Tag, "salt/job/") && !strings.Contains(e.Tag, jid) {
					t.Errorf("the bus heard %s", e.Tag)
				}
			}
			jobs, err := r.store.Local().ListJobs(t.Context(), returners.Filter{})
			if err != nil || len(jobs) != 1 {
				t.Errorf("the job cache has %d jobs, %v", len(jobs), err)
			}
		})
	}
}

// With the option off, nobody is asked and nothing is known.
func TestStock_NotAsked(t *testing.T) {
	r := newRig(t, func(c *config.Master) { c.PresenceAsk = false })
	r.start()
	s := r.stock("s1", "minion")
	r.say(testJob("s1", "glob"))
	eventually(t, "the job run", func() bool { s.mu.Lock(); defer s.mu.Unlock(); return len(s.ran) == 1 })
	if s.questions() != 0 || r.peers.Minion("s1").Live != engine.Untracked || r.state("s1") != topology.Unknown {
		t.Errorf("asked %d times, %v in the tree", s.questions(), r.state("s1"))
	}
}

// Accepted keys that never connected are reported missing with the last return, once the master has
// been up as long as a stock minion may take to reconnect. Before that, none is. Size: 2,000 such
// keys beside one living minion.
func TestStock_NeverConnected(t *testing.T) {
	r := newRig(t, reconnectIn(3*time.Second))
	r.start()
	for i := range 2000 {
		r.accept(fmt.Sprintf("never%04d", i), "minion2")
	}
	s := r.stock("s1", "minion")
	eventually(t, "all keys seen", func() bool { return r.keys.Accepted("never1999") && r.keys.Accepted("never0000") })
	if live := r.peers.Minion("never0000").Live; live != engine.Untracked {
		t.Errorf("just after the start it is %v", live)
	}
	eventually(t, "certainty", r.peers.Sure)
	events := r.events()
	jid := r.say(testJob("*", "glob")).Map("load").String("jid")
	d := events.take("salt/job/" + jid + "/complete")
	if d.Int("returned") != 1 || d.Map("absent").Len() != 2000 || d.Map("absent").Map("never0007").String("reason") != engine.NotConnected {
		t.Errorf("returned %d, missing %d", d.Int("returned"), d.Map("absent").Len())
	}
	if s.runs(jid) != 1 {
		t.Error("s1 did not run it")
	}
	eventually(t, "the minion down in the tree", func() bool { return r.state("never0007") == topology.Down })
}

// An unidentified connection may belong to any minion: while it exists, no minion is reported
// missing because of it. This happens to a peer whose answer is lost.
func TestStock_AnswerLost(t *testing.T) {
	r := newRig(t, reconnectIn(200*time.Millisecond))
	r.start()
	s := r.stockless("s1", "minion")
	s.mute = true
	r.connect(s)
	eventually(t, "it asked", func() bool { return s.questions() == 1 })
	eventually(t, "the time to come back over", func() bool { _, again := r.peers.Gone("s1"); return again <= time.Second })
	if r.peers.Sure() || r.peers.Minion("s1").Live != engine.Untracked {
		t.Errorf("it is %v", r.peers.Minion("s1").Live)
	}
	s.kill()
	eventually(t, "gone for sure", func() bool { return r.peers.Minion("s1").Live == engine.Down })
}

// An answer that arrives after its connection is closed, or from a previous run of the master,
// belongs to no job.
func TestStock_LateAnswer(t *testing.T) {
	r := newRig(t)
	r.start()
	m := r.minion("m1", "minion", "minion")
	stamp := "20260102030405000001"
	former := peers.NewWho(peers.WhoOptions{Secret: r.keys.Identity.Pair.Private.D.Bytes()})
	for jid, shown := range map[string]bool{former.Question(stamp): false, stamp + "_1234567890123456": true} {
		if err := m.answer(jid, wire.NewMap()); err != nil {
			t.Fatal(err)
		}
		rets, err := r.store.Local().GetReturns(t.Context(), jid)
		if err != nil || (len(rets) == 1) != shown {
			t.Errorf("%s: stored %d, %v", jid, len(rets), err)
		}
	}
	if r.peers.Minion("m1").Live == engine.Up {
		t.Error("an answer of nowhere makes it connected")
	}
}

// Right after a start of the master its stock minions are reconnecting. A job published then waits
// for them and is delivered, however short Salt's timeouts are. That includes minions that sign in
// before they subscribe, because a retried return fails under the new shared key. Size: one minion
// that takes 3 s; the job would be given up after 2 s.
func TestStock_JobJustAfterAStart(t *testing.T) {
	for _, signs := range []bool{false, true} {
		t.Run(fmt.Sprint("signs in ", signs), func(t *testing.T) {
			r := newRig(t, reconnectIn(20*time.Second), func(c *config.Master) {
				c.Timeout, c.GatherJobTimeout = time.Second, time.Second
			})
			r.start()
			s := r.stockless("s1", "minion")
			s.back = 3 * time.Second
			r.connect(s)
			eventually(t, "it known", func() bool { return r.peers.Minion("s1").Live == engine.Up })
			r.restart()
			events := r.events()
			jid := r.say(testJob("s1", "glob")).Map("load").String("jid")
			if signs {
				if _, err := s.SignIn(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			d := events.take("salt/job/" + jid + "/complete")
			if d.Int("returned") != 1 || d.Map("absent").Len() != 0 || s.runs(jid) != 1 {
				t.Errorf("complete %v after %d runs", plain(t, d), s.runs(jid))
			}
		})
	}
}
