package master

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/ownership"
)

// onDisk returns the size of the master's files in bytes, without the bounded log of the store.
func (r *rig) onDisk() (n int64) {
	r.t.Helper()
	err := filepath.Walk(r.dir, func(path string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() && !strings.HasSuffix(path, "-wal") && !strings.HasSuffix(path, "-shm") {
			n += info.Size()
		}
		return nil // files come and go
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return n
}

// has reports whether the return of a minion is stored.
func (r *rig) has(jid, id string) bool {
	r.t.Helper()
	_, ok, err := r.store.Local().GetReturn(context.Background(), jid, id)
	if err != nil {
		r.t.Fatal(err)
	}
	return ok
}

func inventedJID(n int) string { return fmt.Sprintf("20240102%06d%06d", n/10, n) }

// Attack: an accepted minion fills the disk with returns of invented jobs. It can use its quota
// and no more, and other minions are unaffected.
func TestMinionDisk_Returns(t *testing.T) {
	const limit, size, tries = 4 << 20, 512 << 10, 60
	r := newRig(t, func(c *config.Master) { c.MinionReturnsMaxBytes = limit })
	r.start()
	m1 := r.minion("m1", "minion", "minion").listen().announce()
	before := r.onDisk()
	big := strings.Repeat("x", size)
	sent := 0
	for i := range tries {
		if err := m1.answer(inventedJID(i), big); err != nil { // acknowledged, or it would be sent again
			t.Fatal(err)
		}
		sent += size
	}
	for i := range tries { // small ones add rows too
		if err := m1.answer(inventedJID(1000+i), big[:1]); err != nil {
			t.Fatal(err)
		}
	}
	r.stopped(func() {
		added := r.onDisk() - before
		t.Logf("%d bytes returned under invented jids, %d bytes added to the disk; quota %d", sent, added, limit)
		if added > limit*11/10 || added < limit/2 {
			t.Errorf("%d bytes added, the quota is %d", added, limit)
		}
	})
	m1, m2 := r.minion("m1", "minion", "minion").listen().announce(), r.minion("m2", "minion", "syndic")
	for i := range tries { // a restart clears the quota
		_ = m1.answer(inventedJID(2000+i), big)
	}
	if n := r.Stats().Trespasses[ownership.OfQuota]; n == 0 {
		t.Error("no refusal is counted")
	}
	if err := m2.answer(inventedJID(3000), big); err != nil || !r.has(inventedJID(3000), "m2") {
		t.Errorf("another minion's return is not stored: %v", err)
	}
	// Returns of open jobs are accepted regardless of the quota.
	jid := r.say(testJob("m1", "glob")).Map("load").String("jid")
	m1.hear()
	if err := m1.answer(jid, big); err != nil || !r.has(jid, "m1") {
		t.Errorf("the return of an open job is not stored: %v", err)
	}
	if over := r.intake.OverQuota(); over.ID != "m1" || over.N < tries/2 {
		t.Errorf("the tree shows %+v", over)
	}
}

// stopped runs check while the master is down and its store is complete on disk.
func (r *rig) stopped(check func()) {
	r.t.Helper()
	r.stop()
	check()
	r.open().serve()
}

// A job reported by a minion does not count as published here.
func TestMinionDisk_SaysItRuns(t *testing.T) {
	const limit = 1 << 20
	r := newRig(t, func(c *config.Master) { c.MinionReturnsMaxBytes = limit })
	r.start()
	jids := []string{}
	for i := range 20 {
		jids = append(jids, inventedJID(i))
	}
	m1 := r.minion("m1", "minion", "minion").listen()
	if _, _, err := m1.Announce(t.Context(), channel.Presence{Version: "test", Running: jids, More: wire.NewMap("back", true)}); err != nil {
		t.Fatal(err)
	}
	kept := 0
	for _, jid := range jids {
		eventually(t, "the job is adopted", func() bool { return r.jobs.Expects(jid, "m1") })
		if err := m1.answer(jid, strings.Repeat("x", limit/4)); err != nil {
			t.Fatal(err)
		}
		if r.has(jid, "m1") {
			kept++
		}
	}
	if kept == 0 || kept > 4 {
		t.Errorf("%d returns of %d bytes are kept, the quota is %d", kept, limit/4, limit)
	}
}

// Errors stored in place of unusable returns count too.
func TestMinionDisk_Unusable(t *testing.T) {
	r := newRig(t, func(c *config.Master) { c.MinionReturnsMaxBytes = 8 << 10 })
	r.start()
	m1 := r.minion("m1", "minion", "minion")
	kept := 0
	for i := range 200 {
		_, _ = m1.send(wire.NewMap("cmd", "_return", "id", "m1", "jid", inventedJID(i), "fun", 7))
		if r.has(inventedJID(i), "m1") {
			kept++
		}
	}
	if kept == 0 || kept > 16 {
		t.Errorf("%d errors are kept", kept)
	}
}

// Each minion behind a node has its own quota.
func TestMinionDisk_BehindANode(t *testing.T) {
	const limit = 1 << 20
	r := newRig(t, func(c *config.Master) { c.OrderMasters, c.MinionReturnsMaxBytes = true, limit })
	r.start()
	node := r.minion("n1", "syndic", "syndic").listen().announce()
	kept := map[string]int{}
	for i := range 20 {
		jid := inventedJID(i)
		of := func(size int) *wire.Map {
			return wire.NewMap("return", strings.Repeat("x", size), "retcode", 0, "success", true)
		}
		node.must(wire.NewMap("cmd", "_syndic_return", "id", "n1", "load", []any{wire.NewMap("id", "n1", "jid", jid, "fun", "test.ping",
			"return", wire.NewMap("loud", of(limit/4), "calm", of(100)))}))
		for id := range stored(t, r, jid) {
			kept[id]++
		}
	}
	if kept["calm"] != 20 || kept["loud"] == 0 || kept["loud"] > 4 {
		t.Errorf("kept %v", kept)
	}
}

// Events have a separate quota.
func TestMinionDisk_Events(t *testing.T) {
	const limit = 1 << 20
	r := newRig(t, func(c *config.Master) { c.MinionEventsMaxBytes = limit })
	r.start()
	m1, m2 := r.minion("m1", "minion", "minion"), r.minion("m2", "minion", "syndic")
	events := r.events()
	data := wire.NewMap("x", strings.Repeat("x", limit/16))
	for range 30 {
		m1.must(wire.NewMap("cmd", "_minion_event", "tag", "my/one", "data", data))
		m1.must(bulk(nil, event("my/two", data)))
		_, _ = m1.send(wire.NewMap("cmd", "_return", "id", "m1", "jid", "nocache", "fun", "test.ping", "return", data, "retcode", 0, "success", true))
	}
	m2.must(wire.NewMap("cmd", "_minion_event", "tag", "my/other", "data", data))
	events.take("my/other")
	if n := len(events.rest()); n == 0 || n > 16 {
		t.Errorf("%d events of %d bytes were fired, the quota is %d", n, limit/16, limit)
	}
}

// Attack: an accepted minion sends grains of 40 MiB, or a pillar override as large. The data cache
// keeps its old entry; the pillar is answered.
func TestMinionDisk_Grains(t *testing.T) {
	r := newRig(t, func(c *config.Master) { c.MinionDataCache = true })
	r.start()
	r.minion("m1", "minion", "minion")
	r.pillarOf("m1", wire.NewMap("id", "m1", "role", "web"))
	before := r.onDisk()
	for name, grains := range map[string]*wire.Map{
		"one":  wire.NewMap("id", "m1", "role", "evil", "a", strings.Repeat("y", 40<<20)),
		"many": wire.NewMap("id", "m1", "role", "evil", "l", strings.Split(strings.Repeat("abcdefgh,", 120_000), ",")),
	} {
		r.pillarOf("m1", grains)
		if d := r.data.Get("m1"); d == nil || d.Grains.(*wire.Map).String("role") != "web" {
			t.Errorf("%s: the cache has %v", name, d)
		}
	}
	added := r.onDisk() - before
	t.Logf("40 MiB of grains add %d bytes to the disk; at most %d are kept", added, r.cfg.GrainsMaxSize)
	if added > 1<<20 {
		t.Errorf("%d bytes added", added)
	}
	if info, err := os.Stat(filepath.Join(r.cfg.Cachedir, "minions", "m1", "data.p")); err != nil || info.Size() > 1<<20 || time.Since(info.ModTime()) > time.Hour {
		t.Errorf("data.p: %v, %v", info, err)
	}
	if n := r.Stats().Trespasses[ownership.OfQuota]; n != 2 {
		t.Errorf("%d refusals are counted, want 2", n)
	}
}
