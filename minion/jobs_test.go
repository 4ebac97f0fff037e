package minion

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/wire"
)

func TestJobs_ProcessCountMax(t *testing.T) {
	gates.reset()
	m := channeltest.Start(t, channeltest.Rules{})
	cfg := testConfig(t, m)
	cfg.ProcessCountMax = 2
	d := start(t, cfg)
	m.AwaitSubscribers(t, 1)
	sent := gated(m, 5)
	_, entered := gates.channels()
	<-entered
	<-entered
	waiting.Until(t, "all five to be known", func() bool { return len(d.jobs.Table().Running()) == 5 })

	// A waiting job is found, and the query takes no slot.
	ask := newJID()
	m.Publish(channeltest.Job(ask, "m1", "saltutil.find_job", sent[4]))
	if got := m.AwaitReturn(t, ask).Map("return"); got.String("jid") != sent[4] || got.Int("pid") != int64(os.Getpid()) {
		t.Errorf("find_job of a waiting job: %#v", got)
	}
	// It can be ended before it runs.
	end := newJID()
	m.Publish(channeltest.Job(end, "m1", "saltutil.kill_job", sent[4]))
	if v := m.AwaitReturn(t, sent[4]); v.Bool("success") || !strings.Contains(v.String("return"), "ended before it began") {
		t.Errorf("return of a waiting job that was ended: %#v", v)
	}
	gates.release()
	for _, jid := range sent {
		m.AwaitReturn(t, jid)
	}
	if got := mostOnce.Load(); got != 2 {
		t.Errorf("%d ran at once", got)
	}
}

func TestJobs_KillJob(t *testing.T) {
	gates.reset()
	m := channeltest.Start(t, channeltest.Rules{})
	start(t, testConfig(t, m))
	m.AwaitSubscribers(t, 1)
	jid, kill := newJID(), newJID()
	m.Publish(channeltest.Job(jid, "m1", "gate.wait"))
	_, entered := gates.channels()
	<-entered
	m.Publish(channeltest.Job(kill, "m1", "saltutil.kill_job", jid))
	ret := m.AwaitReturn(t, jid)
	if ret.Bool("success") || ret.Int("retcode") != 1 || !strings.Contains(ret.String("return"), "was ended") {
		t.Errorf("return of the ended job %#v", ret)
	}
	m.AwaitReturn(t, kill)
}

func TestJobs_KillJobEndsItsProcesses(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{})
	start(t, testConfig(t, m))
	m.AwaitSubscribers(t, 1)
	mark := filepath.Join(t.TempDir(), "started")
	jid, kill := newJID(), newJID()
	m.Publish(channeltest.Job(jid, "m1", "cmd.run", "echo > "+mark+"; sleep 600"))
	waiting.Until(t, "the command to start", func() bool { _, err := os.Stat(mark); return err == nil })
	m.Publish(channeltest.Job(kill, "m1", "saltutil.kill_job", jid))
	if ret := m.AwaitReturn(t, jid); ret.Bool("success") {
		t.Errorf("return %#v", ret)
	}
	m.AwaitReturn(t, kill)
}

func TestJobs_ProcFiles(t *testing.T) {
	gates.reset()
	m := channeltest.Start(t, channeltest.Rules{})
	cfg := testConfig(t, m)
	start(t, cfg)
	m.AwaitSubscribers(t, 1)
	jid := newJID()
	m.Publish(channeltest.Job(jid, "m1", "gate.wait"))
	_, entered := gates.channels()
	<-entered
	path := filepath.Join(cfg.Cachedir, "proc", jid)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	load, err := wire.DecodeMap(b)
	if err != nil || load.Int("pid") != int64(os.Getpid()) || load.String("fun") != "gate.wait" ||
		load.String("tgt") != "m1" || load.String("user") != "root" || load.Has("serial") {
		t.Errorf("proc file %#v %v", load, err)
	}
	gates.release()
	m.AwaitReturn(t, jid)
	waiting.Until(t, "the proc file to go", func() bool { _, err := os.Stat(path); return os.IsNotExist(err) })
}

func TestJobs_ReturnersOfThePublication(t *testing.T) {
	gates.reset()
	store := fakeReturner()
	m := channeltest.Start(t, channeltest.Rules{})
	start(t, testConfig(t, m))
	m.AwaitSubscribers(t, 1)
	publish := func(ret string) string {
		jid := newJID()
		job := channeltest.Job(jid, "m1", "gate.count")
		job.Set("ret", ret)
		m.Publish(job)
		return jid
	}
	jid := publish("no_such_returner")
	ret := m.AwaitReturn(t, jid)
	if ret.Bool("success") || !strings.Contains(ret.String("return"), "no_such_returner") || counted.Load() != 0 {
		t.Errorf("return %#v, ran %d times", ret, counted.Load())
	}
	jid = publish("minion_test,minion_test")
	m.AwaitReturn(t, jid)
	waiting.Until(t, "the saved return", func() bool { return len(store.saved()) == 1 })
	got := store.saved()[0]
	if got.JID != jid || got.ID != "m1" || got.Fun != "gate.count" || !got.Success || len(got.Full) == 0 {
		t.Errorf("saved %+v", got)
	}
}

// A returner that cannot save is reported to the master, before the return.
func TestJobs_ReturnerThatFails(t *testing.T) {
	gates.reset()
	store := fakeReturner()
	store.fail = errors.New("access denied")
	m := channeltest.Start(t, channeltest.Rules{})
	start(t, testConfig(t, m))
	m.AwaitSubscribers(t, 1)
	jid := newJID()
	job := channeltest.Job(jid, "m1", "gate.count")
	job.Set("ret", "minion_test")
	m.Publish(job)
	m.AwaitReturn(t, jid)
	tag := "salt/job/" + jid + "/unsaved/m1"
	if !slices.ContainsFunc(m.Seen("_minion_event"), func(l *wire.Map) bool {
		return l.String("tag") == tag && strings.Contains(l.Map("data").String("err"), "minion_test: access denied")
	}) {
		t.Errorf("events: %v", m.Seen("_minion_event"))
	}
}
