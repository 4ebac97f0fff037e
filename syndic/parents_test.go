package syndic

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
)

func withID(j *wire.Map, masterID string) *wire.Map {
	j.Set("master_id", masterID)
	return j
}

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
	until(t, "the jobs", func() bool { return len(n.master.published()) == 3 })
	n.local.commit(t, job(1), "web-1", "master_id", "mm1")
	n.local.commit(t, job(2), "web-1", "master_id", "mm2")
	n.local.commit(t, job(3), "web-1")
	n.local.commit(t, job(4), "web-1", "master_id", "mm2") // a job of an earlier life
	n.local.commit(t, job(5), "web-1", "master_id", b.Addr())
	until(t, "all returns", func() bool { return a.count()+b.count() == 5 && n.local.depth() == 0 })
	if a.count() != 1 || a.has(job(1), "web-1") != 1 {
		t.Errorf("first master: %v", a.rows)
	}
}

func TestOneParentDownSlowsNobody(t *testing.T) {
	a, b := startParent(t, channeltest.Rules{}), startParent(t, channeltest.Rules{})
	n := start(t, func(c *config.Syndic) {
		c.Local.SyndicFailover = "ordered"
		c.Upper.RequestChannelTimeout = time.Minute
	}, a, b)
	for _, l := range n.parents.links {
		if l.ch.Addr() == a.Addr() {
			n.parents.learn(l, job(1), "")
		} else {
			n.parents.learn(l, job(2), "")
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
	n.local.commit(t, job(1), "web-1")
	until(t, "the silent master to be asked", func() bool { return len(a.Seen("_syndic_return")) > 0 })
	n.local.commit(t, job(2), "web-1")
	until(t, "the return of the other", func() bool { return b.has(job(2), "web-1") == 1 })
	// What the silent one does not take, the other does after a while.
	until(t, "the first return", func() bool { return b.has(job(1), "web-1") == 1 && n.local.depth() == 0 })

	b.Down()
	until(t, "the loss to be noticed", func() bool { return n.parents.links[0].isUp() && !n.parents.links[1].isUp() })
	a.Change(func(r *channeltest.Rules) { r.Answer = nil })
	n.local.commit(t, job(3), "web-1")
	until(t, "the one that is back", func() bool { return a.has(job(3), "web-1") == 1 && n.local.depth() == 0 })
}

func TestParentDownFromTheStart(t *testing.T) {
	a, b := startParent(t, channeltest.Rules{}), startParent(t, channeltest.Rules{})
	a.Down()
	n := plant(t, nil, a, b)
	n.run(t)
	n.local.commit(t, job(1), "web-1", "master_id", a.Addr())
	until(t, "the return", func() bool { return b.has(job(1), "web-1") == 1 })
	n.local.fire(t, "my/tag", wire.NewMap("a", 1))
	until(t, "the event at one", func() bool { return b.heard("my/tag") >= 1 })
	a.Up()
	until(t, "the event at the other", func() bool { return a.heard("my/tag") >= 1 })
	n.local.commit(t, job(2), "web-1", "master_id", a.Addr())
	until(t, "the return at its master", func() bool { return a.has(job(2), "web-1") == 1 })
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
		_, err := New(Options{Config: &conf, Local: n.local, Client: n.client, Log: quiet})
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
