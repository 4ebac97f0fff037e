package master

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/topology"
)

// A stranger that subscribes with a victim's id does not affect the victim.
func TestStrangerWithAnID(t *testing.T) {
	r := newRig(t)
	r.start()
	m := r.minion("m1", "minion", "minion").listen().announce()
	before := r.stats.Subscribed.Load()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	for _, identity := range []string{"m1", m.Session()} {
		sub := zmtp.NewSub(fmt.Sprintf("127.0.0.1:%d", r.Master.pubPort()), zmtp.DialConfig{Identity: identity, Log: quiet}, []string{""})
		go func() { done <- sub.Run(ctx, func([][]byte) {}) }()
	}
	eventually(t, "the strangers there", func() bool { return r.stats.Subscribed.Load() == before+2 })
	cancel()
	<-done
	<-done
	eventually(t, "the strangers gone", func() bool { return r.ports.Pub.Peers() == 1 })
	if r.live("m1") != engine.Up {
		t.Error("m1 looks gone")
	}
}

func (m *Master) pubPort() int { p, _ := m.Ports(); return p }

// A job waits one lease for a minion that disconnects while running it. For the next job the minion
// is known to be away at once.
func TestMinionGoes(t *testing.T) {
	r := newRig(t)
	r.start()
	m := r.minion("m1", "minion", "minion").listen().announce()
	events := r.events()
	if n := r.Snapshot().Minions; len(n) != 1 || n[0].State != topology.Up {
		t.Errorf("tree %v", n)
	}
	m.mute()
	eventually(t, "m1 gone", func() bool { return r.live("m1") != engine.Up })
	jid := r.say(testJob("m1", "glob")).Map("load").String("jid")
	d := events.take("salt/job/" + jid + "/complete")
	if d.Map("absent").Map("m1").String("reason") != engine.NotConnected {
		t.Errorf("complete %v", plain(t, d))
	}
	if n := r.Snapshot().Minions; len(n) != 1 || n[0].State != topology.Down {
		t.Errorf("tree %v", n)
	}
}

// A job open when the master stopped is resumed and its previous returns count. Its minions get
// time to reconnect.
func TestRestartWithAnOpenJob(t *testing.T) {
	r := newRig(t)
	r.start()
	m1 := r.minion("m1", "minion", "minion").listen().announce()
	m2 := r.minion("m2", "minion", "minion2").listen().announce()
	jid := r.say(testJob("*", "glob")).Map("load").String("jid")
	m1.hear()
	m2.hear()
	if err := m1.answer(jid, true); err != nil {
		t.Fatal(err)
	}
	r.restart()
	if a, ok := r.jobs.State(jid); !ok || !a.Open() || a.Returned != 1 || len(a.Waiting) != 1 {
		t.Fatalf("account %+v", a)
	}
	events := r.events()
	m2.announce(jid)
	if err := m2.answer(jid, true); err != nil {
		t.Fatal(err)
	}
	d := events.take("salt/job/" + jid + "/complete")
	if d.Int("returned") != 2 || d.Map("absent").Len() != 0 {
		t.Errorf("complete %v", plain(t, d))
	}
	eventually(t, "its mark to go", func() bool {
		return len(r.notes(returners.NoteOpen)) == 0
	})
}

// A minion that reconnected without the job is asked about it and answers that it is not running
// it.
func TestProbe(t *testing.T) {
	r := newRig(t)
	r.start()
	m := r.minion("m1", "minion", "minion").listen().announce()
	events := r.events()
	jid := r.say(testJob("m1", "glob")).Map("load").String("jid")
	m.hear()
	m.announce() // as after its own restart: no jobs running
	p := m.hear()
	if wire.FunName(p.Fun) != "saltutil.find_job" {
		t.Fatalf("heard %+v", p)
	}
	if err := m.answer(p.JID, wire.NewMap()); err != nil {
		t.Fatal(err)
	}
	d := events.take("salt/job/" + jid + "/complete")
	if d.Map("absent").Map("m1").String("reason") != engine.NotRunning {
		t.Errorf("complete %v", plain(t, d))
	}
	for _, tag := range events.tags() {
		if tag == "salt/job/"+p.JID+"/ret/m1" {
			t.Error("the answer to the question is on the bus")
		}
	}
}

// A connected minion that silently dropped a job is only found by asking it, which counts as a
// rescue.
func TestConnectedMinionThatDropsAJobIsCounted(t *testing.T) {
	r := newRig(t, func(c *config.Master) { c.Bounds.AskConnected = 100 * time.Millisecond })
	r.start()
	m := r.minion("m1", "minion", "minion").listen().announce()
	events := r.events()
	jid := r.say(testJob("m1", "glob")).Map("load").String("jid")
	m.hear() // and never answers
	p := m.hear()
	if wire.FunName(p.Fun) != "saltutil.find_job" {
		t.Fatalf("heard %+v", p)
	}
	if err := m.answer(p.JID, wire.NewMap()); err != nil {
		t.Fatal(err)
	}
	events.take("salt/job/" + jid + "/complete")
	if got := r.Master.Rescues().Counts(); len(got) != 1 || got["question to a connected minion"] != 1 {
		t.Errorf("counted are %v", got)
	}
}

// Queries about one job at one moment are sent as one publication.
func TestProbesAreGathered(t *testing.T) {
	r := newRig(t)
	r.start()
	m := r.minion("m1", "minion", "minion").listen()
	for i := range 50 {
		r.peers.Find(someJob, []string{fmt.Sprintf("x%02d", i)})
	}
	p := m.hear()
	ids, err := wire.Strings(p.Tgt)
	if err != nil || len(ids) != 50 {
		t.Errorf("asked %v, %v", ids, err)
	}
}

// Only a node may report a tree.
func TestTreeReports(t *testing.T) {
	r := newRig(t, ordersMasters)
	r.start()
	sub := topology.Node{ID: "x", Role: "master", Minions: []topology.Minion{{ID: "deep", State: topology.Up}}}.Map()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	m := r.minion("m1", "minion", "minion")
	if _, _, err := m.Announce(ctx, channel.Presence{Tree: sub}); err != nil {
		t.Fatal(err)
	}
	n := r.minion("n1", "syndic", "syndic").listen()
	if _, _, err := n.Announce(ctx, channel.Presence{Tree: sub}); err != nil {
		t.Fatal(err)
	}
	tree := r.Snapshot()
	if len(tree.Nodes) != 1 || tree.Nodes[0].ID != "n1" || len(tree.Nodes[0].Minions) != 1 || len(tree.Minions) != 1 {
		t.Errorf("tree %+v", tree)
	}
}

// Deleting a key removes the minion's connection, session and tree entry.
func TestKeyDeleted(t *testing.T) {
	for what, do := range map[string]func(*rig, *minion){
		"by wheel": func(r *rig, _ *minion) {
			got := r.say(wire.NewMap("cmd", "wheel", "fun", "key.delete", "match", "m1", "key", rootKey))
			if !got.Map("data").Bool("success") {
				r.t.Errorf("wheel: %v", plain(r.t, got))
			}
		},
		"by itself": func(r *rig, m *minion) { m.must(wire.NewMap("cmd", "revoke_auth")) },
	} {
		t.Run(what, func(t *testing.T) {
			r := newRig(t)
			r.start()
			m := r.minion("m1", "minion", "minion").listen().announce()
			events := r.events()
			do(r, m)
			if d := events.take("salt/key"); d.String("act") != "delete" || d.String("id") != "m1" {
				t.Errorf("event %v", plain(t, d))
			}
			eventually(t, "its connection closed", func() bool {
				return r.live("m1") == engine.Untracked && len(r.Snapshot().Minions) == 0
			})
			events.take("key") // a new shared key follows
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			if _, err := m.Attempt(ctx); err == nil {
				t.Error("it signs in again")
			}
		})
	}
}

func TestRevokeRefused(t *testing.T) {
	r := newRig(t, func(c *config.Master) { c.AllowMinionKeyRevoke = false })
	r.start()
	m := r.minion("m1", "minion", "minion")
	if v, err := m.send(wire.NewMap("cmd", "revoke_auth")); err != nil || v != "" || !r.keys.Accepted("m1") {
		t.Errorf("answered by %v, %v", v, err)
	}
}

// The shared key is renewed on request and by age; minions follow.
func TestRotation(t *testing.T) {
	c := &clock{at: time.Now()}
	r := newRig(t, func(m *config.Master) { m.PingOnRotate = true })
	r.opts.Now = c.now
	r.start()
	m := r.minion("m1", "minion", "minion").listen().announce()
	old := r.keys.Shared.Text()
	for what, do := range map[string]func(){
		"dropfile": func() { r.file("cache/.dfn", "", 0o400) },
		"age":      func() { c.forward(r.cfg.PublishSession + time.Second) },
	} {
		events := r.events()
		do()
		if d := events.take("key"); !d.Bool("rotate_aes_key") {
			t.Errorf("%s: %v", what, plain(t, d))
		}
		if now := r.keys.Shared.Text(); now == old {
			t.Errorf("%s: the key is the same", what)
		} else {
			old = now
		}
		if p := m.hear(); wire.FunName(p.Fun) != "test.ping" || p.Serial != 1 {
			t.Errorf("%s: heard %+v", what, p)
		}
		if err := m.answer(someJob, true); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// The pillar reply can be decrypted by the minion, and updates the data cache.
func TestPillar(t *testing.T) {
	r := newRig(t)
	r.start()
	m := r.minion("m1", "minion", "minion")
	events := r.events()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	v, err := m.Pillar(ctx, channel.PillarRequest{Grains: wire.NewMap("os", "Debian")})
	if err != nil || !wire.IsMap(v) {
		t.Fatalf("pillar %x, %v", v, err)
	}
	events.take("minion/refresh/m1")
	if d := r.data.Get("m1"); d == nil || d.Grains.(*wire.Map).String("os") != "Debian" {
		t.Errorf("data %+v", d)
	}
}

// A node had reported its expected minions and was gone for good when this master restarted: the
// open job ends without it after the grace period.
func TestNodeThatDoesNotComeBackAfterAStart(t *testing.T) {
	c := &clock{at: time.Now()}
	r := newRig(t, func(c *config.Master) { c.OrderMasters = true })
	r.opts.Now = c.now
	r.start()
	n := r.minion("n1", "syndic", "syndic").listen().announce()
	n.announceTree(treeOf("n1", topology.Up, "a"))
	jid := r.say(testJob("*", "glob")).Map("load").String("jid")
	n.must(bulk("syndic/n1", event(jid, wire.NewMap("minions", []any{"a"}, "jid", jid,
		"mom", wire.NewMap("node", "", "asked", []any{}, "unreachable", wire.NewMap())))))
	eventually(t, "the expectation stored", func() bool {
		xs, err := r.store.Local().GetExpectations(t.Context(), jid)
		return err == nil && len(xs) == 2
	})
	eventually(t, "the node written down", func() bool {
		known, err := wire.ReadFile(filepath.Join(r.cfg.Cachedir, "presence.p"))
		return err == nil && len(wire.NewMap("v", known).List("v")) == 2 // and the time of that
	})
	r.Master.cancel()
	n.mute()
	r.restart()
	events := r.events()
	if a, ok := r.jobs.State(jid); !ok || a.Waiting["a"] != "n1" {
		t.Fatalf("after the restart: %+v", a)
	}
	c.forward(15 * time.Second)
	if d := events.take("salt/job/" + jid + "/complete"); d.Map("absent").Map("a").String("reason") != engine.NodeDown {
		t.Errorf("closed with %v", plain(t, d))
	}
}

// A job whose publication renews the shared key does not wait for the ping that follows the
// renewal, which is a job too.
func TestPingOnRotateOfAPublication(t *testing.T) {
	r := newRig(t, func(m *config.Master) { m.PingOnRotate = true })
	r.start()
	r.accept("m1", "minion")
	r.minion("m1", "minion", "minion").listen("broadcast").announce()
	events := r.events()
	r.keys.Shared.RenewNow()
	jid := r.say(testJob("*", "glob")).Map("load").String("jid")
	events.take("salt/job/" + jid + "/new")
	eventually(t, "the ping", func() bool { return len(r.jobs.Active()) == 2 })
}
