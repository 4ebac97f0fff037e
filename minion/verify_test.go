package minion

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/jobfields"
	"github.com/momtree/mom/internal/wire"
)

// ordered signs a job like a top with a key of that name.
func ordered(t *testing.T, key string, job *wire.Map, issued time.Time) *wire.Map {
	t.Helper()
	b, err := wire.Encode(job)
	if err != nil {
		t.Fatal(err)
	}
	p, err := wire.ParsePublication(b)
	if err != nil {
		t.Fatal(err)
	}
	o, err := jobfields.Sign(channeltest.Key(t, key).Private, p, issued, issued.Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	job.Set(jobfields.SignatureField, o)
	return job
}

// trusting makes a minion accept only jobs signed with the given keys.
func trusting(t *testing.T, cfg *config.Minion, keys ...string) {
	t.Helper()
	var text strings.Builder
	for _, k := range keys {
		text.WriteString(crypt.PublicPEM(channeltest.Key(t, k).Public()) + "\n")
	}
	file := filepath.Join(t.TempDir(), "tops.pub")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg.VerifyTop = []string{file}
}

// The master of the minion is a faulty node in between: anything that it invents, alters,
// withholds or repeats is refused, and the refusal is reported by a return.
func TestVerifyTop(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{})
	cfg := testConfig(t, m)
	trusting(t, cfg, "syndic", "minion") // two tops; the node in between has the key "master"
	d := start(t, cfg)
	m.AwaitSubscribers(t, 1)
	now := time.Now()

	good := ordered(t, "syndic", channeltest.Job(newJID(), "m1", "test.echo", "x"), now)
	good.Set("to", 5) // a field that each hop sets
	good.Set("master_id", "between")
	m.Publish(good)
	if r := m.AwaitReturn(t, good.String("jid")); r.String("return") != "x" || !r.Bool("success") {
		t.Errorf("a true job: %#v", r)
	}

	alter := func(key string, v any) *wire.Map {
		j := ordered(t, "syndic", channeltest.Job(newJID(), "m1", "test.echo", "x"), now)
		j.Set(key, v)
		return j
	}
	moved := good.Clone()
	moved.Set("jid", newJID())
	for what, job := range map[string]*wire.Map{
		"invented":          channeltest.Job(newJID(), "m1", "test.echo", "x"),
		"another function":  alter("fun", "test.ping"),
		"another argument":  alter("arg", []any{"y"}),
		"a wider target":    alter("tgt", "*"),
		"another user":      alter("user", "eve"),
		"a returner":        alter("ret", "mysql"),
		"under another jid": moved,
		"the node's key":    ordered(t, "master", channeltest.Job(newJID(), "m1", "test.echo", "x"), now),
		"old":               ordered(t, "syndic", channeltest.Job(newJID(), "m1", "test.echo", "x"), now.Add(-3*time.Hour)),
		"a question with a returner": func() *wire.Map {
			j := channeltest.Job(newJID(), "m1", "saltutil.find_job", "1")
			j.Set("ret", "mysql")
			return j
		}(),
		"a question through an executor": func() *wire.Map {
			j := channeltest.Job(newJID(), "m1", "test.ping")
			j.Set("module_executors", []any{"sudo"})
			return j
		}(),
	} {
		m.Publish(job)
		r := m.AwaitReturn(t, job.String("jid"))
		if text := r.String("return"); !strings.Contains(text, "verify_top") || r.Bool("success") || r.Int("retcode") != 1 {
			t.Errorf("%s: %#v", what, r)
		}
	}
	if n := d.jobs.Refused(); n != 11 {
		t.Errorf("%d refused, want 11", n)
	}
	// Queries that a node must send on its own are accepted.
	for _, fun := range []string{"saltutil.find_job", "test.ping"} {
		job := channeltest.Job(newJID(), "m1", fun)
		if fun == "saltutil.find_job" {
			job = channeltest.Job(newJID(), "m1", fun, "20240102030405678901")
		}
		m.Publish(job)
		if r := m.AwaitReturn(t, job.String("jid")); !r.Bool("success") {
			t.Errorf("%s: %#v", fun, r)
		}
	}
}

// A signed job runs once, even after a restart of the minion.
func TestVerifyTop_ReplayAfterRestart(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{})
	cfg := testConfig(t, m)
	trusting(t, cfg, "syndic")
	cfg.MinionJidQueueHwm, cfg.Bounds.StartedJobs = 1, 1
	d := start(t, cfg)
	m.AwaitSubscribers(t, 1)
	job := ordered(t, "syndic", channeltest.Job(newJID(), "m1", "test.echo", "x"), time.Now())
	m.Publish(job)
	m.AwaitReturn(t, job.String("jid"))
	if err := d.end(); err != nil {
		t.Fatal(err)
	}
	d = start(t, cfg)
	m.AwaitSubscribers(t, 2)
	// Not even after another one, when the list of recent jobs has forgotten it.
	next := ordered(t, "syndic", channeltest.Job(newJID(), "m1", "test.echo", "y"), time.Now())
	m.Publish(next)
	m.AwaitReturn(t, next.String("jid"))
	m.Publish(job)
	last := ordered(t, "syndic", channeltest.Job(newJID(), "m1", "test.echo", "z"), time.Now())
	m.Publish(last)
	m.AwaitReturn(t, last.String("jid"))
	if d.jobs.Refused() != 1 {
		t.Errorf("%d refused", d.jobs.Refused())
	}
}

// A forged copy does not replace the return of the true job.
func TestVerifyTop_ForgedCopyOfAJob(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{})
	cfg := testConfig(t, m)
	trusting(t, cfg, "syndic")
	d := start(t, cfg)
	m.AwaitSubscribers(t, 1)
	job := ordered(t, "syndic", channeltest.Job(newJID(), "m1", "test.echo", "x"), time.Now())
	m.Publish(job)
	m.AwaitReturn(t, job.String("jid"))
	forged := channeltest.Job(job.String("jid"), "m1", "test.echo", "forged")
	m.Publish(forged)
	last := ordered(t, "syndic", channeltest.Job(newJID(), "m1", "test.ping"), time.Now())
	m.Publish(last)
	m.AwaitReturn(t, last.String("jid"))
	if d.jobs.Refused() != 1 {
		t.Errorf("%d refused", d.jobs.Refused())
	}
	for _, r := range m.Seen("_return") {
		if r.String("jid") == job.String("jid") && r.String("return") != "x" {
			t.Errorf("answered: %#v", r)
		}
	}
}

func TestVerifyTop_Files(t *testing.T) {
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty")
	broken := filepath.Join(dir, "broken")
	for file, text := range map[string]string{empty: "\n", broken: "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{empty, broken, filepath.Join(dir, "none")} {
		cfg := testConfig(t)
		cfg.VerifyTop = []string{file}
		if _, err := New(Options{Config: cfg, Log: testLog(), Collect: func(context.Context) *wire.Map { return wire.NewMap() }}); err == nil ||
			!strings.Contains(err.Error(), "verify_top") {
			t.Errorf("%s: %v", file, err)
		}
	}
}
