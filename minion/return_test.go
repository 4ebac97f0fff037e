package minion

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/wire"
)

func TestReturns_SurviveTheMastersDeath(t *testing.T) {
	gates.reset()
	m := channeltest.Start(t, channeltest.Rules{})
	d := start(t, testConfig(t, m))
	m.AwaitSubscribers(t, 1)
	sent := gated(m, 3)
	_, entered := gates.channels()
	for range sent {
		<-entered
	}
	m.Down()
	gates.release()
	d.jobs.Wait() // all returns are stored
	m.Up()
	for _, jid := range sent {
		if v := m.AwaitReturn(t, jid).String("return"); v != "through" {
			t.Errorf("%s: %q", jid, v)
		}
	}
}

func TestReturns_SurviveARestartOfTheMinion(t *testing.T) {
	gates.reset()
	m := channeltest.Start(t, channeltest.Rules{})
	cfg := testConfig(t, m)
	d := start(t, cfg)
	m.AwaitSubscribers(t, 1)
	sent := gated(m, 5)
	_, entered := gates.channels()
	for range sent {
		<-entered
	}
	m.Down()
	gates.release()
	d.jobs.Wait()
	if err := d.end(); err != nil {
		t.Fatal(err)
	}
	m.Up()
	start(t, cfg)
	for _, jid := range sent {
		m.AwaitReturn(t, jid)
	}
	got := map[string]int{}
	for _, l := range m.Seen("_return") {
		got[l.String("jid")]++
	}
	for _, jid := range sent {
		if got[jid] != 1 {
			t.Errorf("%s came %d times", jid, got[jid])
		}
	}
}

func TestReturns_AreRepeatedUntilAcknowledged(t *testing.T) {
	var seen atomic.Int32
	m := channeltest.Start(t, channeltest.Rules{Answer: func(cmd string, b []byte) []byte {
		if cmd == "_return" && seen.Add(1) < 3 {
			return nil // received, never acknowledged
		}
		return b
	}})
	d := start(t, testConfig(t, m))
	m.AwaitSubscribers(t, 1)
	jid := newJID()
	m.Publish(channeltest.Job(jid, "m1", "test.ping"))
	m.Await(t, "_return", 3)
	awaitEmpty(t, d)
	if n := len(m.Seen("_return")); n != 3 {
		t.Errorf("sent %d times", n)
	}
}

// awaitEmpty waits until every return has been acknowledged.
func awaitEmpty(t *testing.T, d *daemon) {
	t.Helper()
	waiting.Until(t, "an empty outbox", func() bool {
		for _, l := range d.sessions.Serving() {
			if l.Outbox().Depth() > 0 {
				return false
			}
		}
		return true
	})
}

// A return that the master cannot accept does not delay the next, and an error in its place
// ends its job. The master's handler fails for that return, as that of an older mom or of
// Python may.
func TestReturns_OneTheMasterCannotHandleDoesNotBlock(t *testing.T) {
	poison := newJID()
	var stuck atomic.Value
	m := channeltest.Start(t, channeltest.Rules{})
	m.Change(func(r *channeltest.Rules) {
		r.Answer = func(cmd string, b []byte) []byte {
			if cmd == "_return" && stuck.Load() == nil {
				rets := m.Seen("_return")
				if last := rets[len(rets)-1]; last.String("jid") == poison && last.Bool("success") {
					b, _ = wire.Encode("Some exception handling minion payload")
				}
			}
			return b
		}
	})
	cfg := testConfig(t, m)
	cfg.ReturnRetryTries = 2
	start(t, cfg)
	m.AwaitSubscribers(t, 1)
	next := newJID()
	m.Publish(channeltest.Job(poison, "m1", "test.ping"))
	m.AwaitReturn(t, poison)
	m.Publish(channeltest.Job(next, "m1", "test.ping"))
	m.AwaitReturn(t, next)
	waiting.Until(t, "the error", func() bool {
		for _, l := range m.Seen("_return") {
			if l.String("jid") == poison && !l.Bool("success") {
				if text := l.String("return"); !strings.HasPrefix(text, "ERROR: the result of m1 could not be taken by ") || l.Int("retcode") == 0 {
					t.Errorf("the error says %q", text)
				}
				return true
			}
		}
		return false
	})
}

// C1, C6: a return that the master answers with "bad load" although it accepts others is given
// up in the same way. While it accepts none, as with a wrong clock, nothing is given up.
func TestReturns_BadLoadIsAVerdictWhereOthersAreTaken(t *testing.T) {
	var all atomic.Bool
	all.Store(true)
	poison := newJID()
	m := channeltest.Start(t, channeltest.Rules{})
	m.Change(func(r *channeltest.Rules) {
		r.Answer = func(cmd string, b []byte) []byte {
			bad := all.Load() && (cmd == "_return" || cmd == "_master_opts")
			if rets := m.Seen("_return"); cmd == "_return" && len(rets) > 0 {
				last := rets[len(rets)-1]
				bad = bad || last.String("jid") == poison && last.Bool("success")
			}
			if bad {
				b, _ = wire.Encode("bad load")
			}
			return b
		}
	})
	cfg := testConfig(t, m)
	cfg.ReturnRetryTries = 2
	cfg.ReturnRetryTimer, cfg.ReturnRetryTimerMax = time.Millisecond, 2*time.Millisecond
	start(t, cfg)
	m.AwaitSubscribers(t, 1)
	m.Publish(channeltest.Job(poison, "m1", "test.ping"))
	waiting.Until(t, "attempts", func() bool { return len(m.Seen("_return")) > 12 })
	for _, l := range m.Seen("_return") {
		if !l.Bool("success") {
			t.Fatal("given up at a master that takes nothing")
		}
	}
	all.Store(false)
	next := newJID()
	m.Publish(channeltest.Job(next, "m1", "test.ping"))
	m.AwaitReturn(t, next)
	waiting.Until(t, "the error", func() bool {
		for _, l := range m.Seen("_return") {
			if l.String("jid") == poison && !l.Bool("success") {
				return true
			}
		}
		return false
	})
}

// Whatever a function returns, at any depth, the job is answered: with the value or with an
// error that says why.
func TestReturns_DeepResultsAndArgumentsAreAnswered(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{})
	start(t, testConfig(t, m))
	m.AwaitSubscribers(t, 1)
	for _, depth := range []int{1, wire.ValueDepth - 2, wire.ValueDepth - 1, wire.ValueDepth, 60, 70, 300} {
		jid := newJID()
		job := channeltest.Job(jid, "m1", "test.outputter")
		arg := append(append([]byte{0x91}, bytes.Repeat([]byte{0x91}, depth)...), 0xc0) // one argument
		job.Set("arg", wire.Raw(arg))
		m.Publish(job)
		ret := m.AwaitReturn(t, jid)
		text := ret.String("return")
		if fits := depth < wire.ValueDepth; fits != ret.Bool("success") || !fits && !strings.Contains(text, "nested deeper than") {
			t.Errorf("depth %d: success %v, %.80q", depth, ret.Bool("success"), text)
		}
	}
}

func TestReturns_PubRetOff(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{})
	cfg := testConfig(t, m)
	cfg.PubRet, cfg.CacheJobs = false, true
	d := start(t, cfg)
	m.AwaitSubscribers(t, 1)
	jid := newJID()
	m.Publish(channeltest.Job(jid, "m1", "test.ping"))
	waiting.Until(t, "the cached return", func() bool {
		r, ok := d.jobs.Table().Cached(jid)
		return ok && r.Bool("return") && r.String("jid") == jid
	})
	if n := len(m.Seen("_return")); n != 0 {
		t.Errorf("%d returns", n)
	}
	if _, ok := d.jobs.Table().Cached("../" + jid); ok {
		t.Error("a path was read as a jid")
	}
}

// TestReturns_JobsOfADeadMinionAreAnswered simulates the start after a kill -9.
func TestReturns_JobsOfADeadMinionAreAnswered(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{})
	cfg := testConfig(t, m)
	dead, alive := newJID(), newJID()
	procs := filepath.Join(cfg.Cachedir, "proc")
	if err := os.MkdirAll(procs, 0o700); err != nil {
		t.Fatal(err)
	}
	ended := exec.Command("true")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	for jid, pid := range map[string]int{dead: ended.Process.Pid, alive: os.Getppid()} {
		load := channeltest.Job(jid, "m1", "test.sleep", 10)
		load.Set("pid", pid)
		load.Set("__master__", m.Addr())
		load.Set("master_id", "x")
		b, err := wire.Encode(load)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(procs, jid), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(procs, "junk"), []byte("junk"), 0o600); err != nil {
		t.Fatal(err)
	}
	start(t, cfg)
	ret := m.AwaitReturn(t, dead)
	if ret.Bool("success") || ret.Int("retcode") != 1 || !strings.Contains(ret.String("return"), "minion ended") ||
		ret.String("fun") != "test.sleep" || ret.String("master_id") != "x" {
		t.Errorf("return %#v", ret)
	}
	there := func(name string) bool { _, err := os.Stat(filepath.Join(procs, name)); return err == nil }
	for _, name := range []string{dead, "junk"} {
		waiting.Until(t, "the proc file "+name+" to go", func() bool { return !there(name) })
	}
	if !there(alive) {
		t.Error("the proc file of a job that runs is gone")
	}
	if n := len(m.Seen("_return")); n != 1 {
		t.Errorf("%d returns", n)
	}
}

func TestReturns_JobsThatAStopEndsAreAnswered(t *testing.T) {
	gates.reset()
	m := channeltest.Start(t, channeltest.Rules{})
	cfg := testConfig(t, m)
	d := start(t, cfg)
	m.AwaitSubscribers(t, 1)
	jid := newJID()
	m.Publish(channeltest.Job(jid, "m1", "gate.wait"))
	_, entered := gates.channels()
	<-entered
	if err := d.end(); err != nil {
		t.Fatal(err)
	}
	start(t, cfg)
	ret := m.AwaitReturn(t, jid)
	if ret.Bool("success") || !strings.Contains(ret.String("return"), "the minion was stopped") {
		t.Errorf("return %#v", ret)
	}
}
