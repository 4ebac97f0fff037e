package master

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
)

// startBatch starts a batch on m1 and m2, one at a time.
func (r *rig) startBatch(more ...any) *wire.Map {
	r.t.Helper()
	load := testJob("m*", "glob", more...)
	load.Set("cmd", "publish_batch")
	load.Set("batch", wire.NewMap("minions", []any{"m1", "m2"}, "size", "1", "wait", 0.0, "failhard", false))
	return r.say(load)
}

// A batch continues without the command and after a restart of the master, and ends as one job.
func TestBatchInTheMaster(t *testing.T) {
	r := newRig(t)
	r.start()
	m1 := r.minion("m1", "minion", "minion").listen().announce()
	m2 := r.minion("m2", "minion", "minion2").listen().announce()
	ev := r.events()
	jid := r.startBatch().Map("load").String("jid")
	if p := m1.hear(); p.JID != jid || p.TgtType != "list" {
		t.Fatalf("m1 heard %+v, want job %s", p, jid)
	}
	m2.hear() // every subscriber receives it, though it names another minion
	if d := ev.take("salt/batch/" + jid + "/new"); d.String("tgt") != "m*" || d.Int("total_minions") != 2 || d.Int("batch_size") != 1 || d.String("driver") != "master" {
		t.Errorf("new: %v", plain(t, d))
	}
	status := r.run(ev, "batch.status", wire.NewMap("arg", []any{jid})).Map("return")
	if status.Int("active") != 1 || status.Int("pending") != 1 || status.Bool("halted") || status.String("fun") != "test.ping" || status.String("user") != "root" {
		t.Errorf("status: %v", plain(t, status))
	}
	if all := r.run(ev, "batch.list_active", wire.NewMap()).List("return"); len(all) != 1 {
		t.Errorf("active: %v", all)
	}
	r.restart()
	ev = r.events()
	m1.announce()
	m2.announce()
	if err := m1.answer(jid, true); err != nil {
		t.Fatal(err)
	}
	if p := m2.hear(); p.JID != jid {
		t.Errorf("m2 heard %s, want %s", p.JID, jid)
	}
	if err := m2.answer(jid, true); err != nil {
		t.Fatal(err)
	}
	if d := ev.take("salt/batch/" + jid + "/complete"); d.Int("completed") != 2 || d.Int("failed") != 0 || d.Int("total_minions") != 2 {
		t.Errorf("complete: %v", plain(t, d))
	}
	if all := r.run(ev, "batch.list_active", wire.NewMap()).List("return"); len(all) != 0 {
		t.Errorf("active at the end: %v", all)
	}
	if got := r.run(ev, "jobs.lookup_jid", wire.NewMap("arg", []any{jid})).Map("return"); got.Len() != 2 && got.Map("data").Len() != 2 {
		t.Errorf("the job: %v", plain(t, got))
	}
	if stopped := r.run(ev, "batch.stop", wire.NewMap("arg", []any{jid})); stopped.Bool("return") || !stopped.Bool("success") {
		t.Errorf("stopped after its end: %v", plain(t, stopped))
	}
}

func TestBatchIsStoppedAndKilled(t *testing.T) {
	r := newRig(t)
	r.start()
	m1 := r.minion("m1", "minion", "minion").listen().announce()
	r.minion("m2", "minion", "minion2").listen().announce()
	ev := r.events()
	jid := r.startBatch().Map("load").String("jid")
	m1.hear()
	if stopped := r.run(ev, "batch.stop", wire.NewMap("arg", []any{jid}, "kill", true)); !stopped.Bool("return") {
		t.Errorf("stopped: %v", plain(t, stopped))
	}
	if p := m1.hear(); wire.FunName(p.Fun) != "saltutil.kill_job" {
		t.Errorf("m1 heard %s", p.Fun)
	}
	if d := ev.take("salt/batch/" + jid + "/halted"); d.String("reason") != "stop" || len(d.List("abandoned_active")) != 1 || len(d.List("abandoned_pending")) != 1 {
		t.Errorf("halted: %v", plain(t, d))
	}
}

// Invalid batches are refused before the job is published.
func TestBatchIsRefused(t *testing.T) {
	r := newRig(t)
	r.start()
	m1 := r.minion("m1", "minion", "minion").listen().announce()
	r.accept("m2", "minion2")
	eventually(t, "m2 accepted", func() bool { return r.keys.Accepted("m2") })
	good := wire.NewMap("minions", []any{"m1", "m2"}, "size", "1")
	for name, change := range map[string]func(load *wire.Map){
		"no batch":  func(l *wire.Map) { l.Delete("batch") },
		"no size":   func(l *wire.Map) { l.Set("batch", wire.NewMap("minions", []any{"m1"})) },
		"queued":    func(l *wire.Map) { l.Set("kwargs", wire.NewMap("queue_until", time.Now().Add(time.Hour).Unix())) },
		"wrong key": func(l *wire.Map) { l.Set("key", "guessed") },
	} {
		load := testJob("m*", "glob")
		load.Set("cmd", "publish_batch")
		load.Set("batch", good)
		change(load)
		if got := r.say(load); got.Map("error") == nil {
			t.Errorf("%s: %v", name, plain(t, got))
		}
	}
	load := testJob("x", "glob")
	load.Set("cmd", "publish_batch")
	load.Set("batch", wire.NewMap("minions", []any{"nosuch"}, "size", "1"))
	if got := r.say(load).Map("load"); got == nil || got.String("jid") != "" {
		t.Errorf("without minions: %v", plain(t, got))
	}
	if len(m1.heard) > 0 {
		t.Errorf("m1 heard %v", m1.hear())
	}
	if len(r.batches.Active()) > 0 {
		t.Errorf("active: %v", r.batches.Active())
	}
}

// A batch that Salt's command hands over without a state is halted, so that nobody waits for it.
// Batches driven by the command itself, and those of a node below, are not touched.
func TestHandedBatchIsHalted(t *testing.T) {
	r := newRig(t).start()
	sub := r.bus.Subscribe(bus.SubscribeOptions{Prefix: "salt/batch/", Size: 64})
	defer sub.Close()
	const cli, below, handed = "20260102030405000001", "20260102030405000002", "20260102030405000003"
	for jid, driver := range map[string]string{cli: "cli", handed: "master"} {
		r.fire("salt/batch/"+jid+"/new", wire.NewMap("jid", jid, "driver", driver, "fun", "test.ping", "tgt", "*", "tgt_type", "glob", "user", "root"))
	}
	data, err := wire.Encode(wire.NewMap("jid", below, "driver", "master"))
	if err != nil {
		t.Fatal(err)
	}
	r.fireEvent(bus.Event{Tag: "salt/batch/" + below + "/new", Data: data, Origin: "node"})
	for {
		select {
		case e := <-sub.C():
			switch e.Tag {
			case "salt/batch/" + handed + "/halted":
				if d, err := e.Map(); err != nil || d.String("jid") != handed || d.String("reason") == "" || d.String("fun") != "test.ping" {
					t.Errorf("halted with %v, %v", d, err)
				}
				return
			case "salt/batch/" + cli + "/halted", "salt/batch/" + below + "/halted":
				t.Errorf("%s was fired", e.Tag)
			}
		case <-time.After(10 * time.Second):
			t.Fatal("the batch was not halted")
		}
	}
}

// Each slice of a batch of a login user is checked against the rules. The credentials of the login
// are not stored.
func TestBatchOfALogin(t *testing.T) {
	r := newRig(t, loginUsers, func(c *config.Master) {
		c.ExternalAuth["sharedsecret"] = map[string]any{
			"frank": []any{"test.ping"}, "grace": []any{map[string]any{"m1": []any{"test.ping"}}},
		}
	})
	r.start()
	m1 := r.minion("m1", "minion", "minion").listen().announce()
	m2 := r.minion("m2", "minion", "minion2").listen().announce()
	login := func(user string) *wire.Map {
		load := testJob("m*", "glob", "kwargs", wire.NewMap("eauth", "sharedsecret", "username", user, "password", "s3cret", "metadata", "kept"))
		load.Set("cmd", "publish_batch")
		load.Set("batch", wire.NewMap("minions", []any{"m1", "m2"}, "size", "1"))
		return r.say(load)
	}
	if got := login("grace"); got.Map("error") == nil {
		t.Errorf("a batch beyond the rules: %v", plain(t, got))
	}
	got := login("frank")
	jid := got.Map("load").String("jid")
	if jid == "" {
		t.Fatalf("refused: %v", plain(t, got))
	}
	var stored []byte
	err := filepath.WalkDir(r.cfg.Cachedir, func(path string, _ fs.DirEntry, err error) error {
		if filepath.Base(path) == ".batch.p" {
			stored, err = os.ReadFile(path)
		}
		return err
	})
	if err != nil || len(stored) == 0 || bytes.Contains(stored, []byte("s3cret")) || !bytes.Contains(stored, []byte("kept")) {
		t.Errorf("stored %q, %v", stored, err)
	}
	m2.hear() // every subscriber receives it, though it names another minion
	r.restart()
	ev := r.events()
	m1.announce()
	m2.announce()
	if err := m1.answer(jid, true); err != nil {
		t.Fatal(err)
	}
	m2.hear()
	if err := m2.answer(jid, true); err != nil {
		t.Fatal(err)
	}
	if d := ev.take("salt/batch/" + jid + "/complete"); d.Int("completed") != 2 || d.String("user") != "frank" {
		t.Errorf("complete: %v", plain(t, d))
	}
}
