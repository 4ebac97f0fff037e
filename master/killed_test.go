package master

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
	daemon "github.com/momtree/mom/minion"
	"github.com/momtree/mom/returners"
)

const (
	// masterEnv holds the configuration of the master to run.
	masterEnv = "MASTER_TEST_CHILD"
	// aboveEnv is the jid of a job from a master above.
	aboveEnv = "MASTER_TEST_ABOVE"
)

// mastering runs a master in this process, which tests kill.
func mastering() bool {
	text := os.Getenv(masterEnv)
	if text == "" {
		return false
	}
	cfg := config.DefaultMaster()
	err := json.Unmarshal([]byte(text), cfg)
	if err == nil {
		var m *Master
		m, err = New(Options{Config: cfg, Version: "test", Log: quiet, wrapStore: func(s returners.JobStore) returners.JobStore {
			return &deadly{JobStore: s, trigger: filepath.Join(cfg.Cachedir, "trigger")}
		}})
		if jid := os.Getenv(aboveEnv); err == nil && jid != "" {
			go giveFromAbove(m, jid)
		}
		if err == nil {
			err = m.Run(context.Background())
		}
	}
	fmt.Fprintln(os.Stderr, "master child:", err)
	return true
}

// giveFromAbove publishes a job as the forwarder does.
func giveFromAbove(m *Master, jid string) {
	p, err := loadFromAbove(jid, "*")
	if err == nil {
		err = m.Publish(context.Background(), p, returners.Note{Kind: returners.NoteOrigin, JID: jid, Key: "above:4506"})
	}
	fmt.Fprintln(os.Stderr, "master child was given a job:", err)
}

// deadly kills its process right after it has committed a job if the trigger file exists, or right
// before.
type deadly struct {
	returners.JobStore
	trigger string
}

func (d *deadly) Commit(ctx context.Context, b returners.Batch) (returners.Result, error) {
	if len(b.Loads) > 0 && os.Remove(d.trigger+" before") == nil {
		d.die()
	}
	res, err := d.JobStore.Commit(ctx, b)
	if err == nil && len(b.Loads) > 0 && os.Remove(d.trigger) == nil {
		d.die()
	}
	return res, err
}

func (d *deadly) die() {
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

// mortal is a master in its own process, with minions in this one.
type mortal struct {
	t    *testing.T
	dir  string
	cfg  *config.Master
	env  []string
	cmd  *exec.Cmd
	dead chan struct{}
}

func newMortal(t *testing.T) *mortal {
	t.Helper()
	dir, err := os.MkdirTemp("", "mk")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	c := config.DefaultMaster()
	c.ID, c.Interface, c.User, c.AutoAccept = "top", "127.0.0.1", "root", true
	c.PkiDir, c.Cachedir, c.SockDir = filepath.Join(dir, "p"), filepath.Join(dir, "c"), filepath.Join(dir, "s")
	c.SyndicDir, c.JobStoreFile = filepath.Join(dir, "y"), filepath.Join(dir, "jobs.db")
	channeltest.WriteKeys(t, c.PkiDir, "master", "master")
	// Later runs need the same ports.
	r := newRig(t).open()
	c.PublishPort, c.RetPort = r.pub, r.ret
	r.stop()
	return &mortal{t: t, dir: dir, cfg: c}
}

func (m *mortal) start() {
	m.t.Helper()
	text, err := json.Marshal(m.cfg)
	if err != nil {
		m.t.Fatal(err)
	}
	m.cmd = exec.Command(os.Args[0], "-test.run=^$")
	m.cmd.Env = append(append(os.Environ(), masterEnv+"="+string(text)), m.env...)
	m.cmd.Stderr = os.Stderr
	if err := m.cmd.Start(); err != nil {
		m.t.Fatal(err)
	}
	cmd, dead := m.cmd, make(chan struct{})
	m.dead = dead
	go func() { _ = cmd.Wait(); close(dead) }()
	m.t.Cleanup(m.kill)
}

func (m *mortal) kill() {
	_ = m.cmd.Process.Signal(syscall.SIGKILL)
	<-m.dead
}

func (m *mortal) trigger() {
	m.t.Helper()
	if err := os.WriteFile(filepath.Join(m.cfg.Cachedir, "trigger"), nil, 0o600); err != nil {
		m.t.Fatal(err)
	}
}

// minion runs a mom minion until the test ends.
func (m *mortal) minion(id, key string) {
	m.t.Helper()
	c := config.DefaultMinion()
	c.ID, c.Master, c.MasterPort = id, []string{"127.0.0.1"}, m.cfg.RetPort
	dir := filepath.Join(m.dir, id)
	c.PkiDir, c.Cachedir, c.SockDir = filepath.Join(dir, "p"), filepath.Join(dir, "c"), filepath.Join(dir, "s")
	c.AcceptanceWaitTime, c.AuthTimeout = 20*time.Millisecond, time.Second
	c.ReconDefault, c.ReconMax, c.RandomReauthDelay = 10*time.Millisecond, 50*time.Millisecond, 10*time.Millisecond
	channeltest.WriteKeys(m.t, c.PkiDir, "minion", key)
	n, err := daemon.New(daemon.Options{Config: c, Version: "test", Log: quiet, Collect: func(context.Context) *wire.Map {
		return wire.NewMap("id", id)
	}})
	if err != nil {
		m.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- n.Run(ctx) }()
	m.t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			m.t.Error(err)
		}
	})
}

// client returns a client that survives restarts of the master.
func (m *mortal) client() *client.Client {
	return client.New(client.Options{
		Addr: client.LocalAddr(m.cfg.Interface, m.cfg.RetPort), Cachedir: m.cfg.Cachedir, MasterUser: m.cfg.User, Bus: client.Bus{Dir: m.cfg.SockDir},
	})
}

// publish starts a job; the master may die.
func (m *mortal) publish(j client.Job) (client.Published, error) {
	c := m.client()
	defer func() { _ = c.Close() }()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return c.Publish(ctx, j)
}

// notes returns the jobs with a note in the master's store.
func (m *mortal) notes(kind string) []string {
	m.t.Helper()
	db, err := sql.Open("sqlite", "file:"+m.cfg.JobStoreFile+"?mode=ro&_pragma=busy_timeout(5000)")
	if err != nil {
		m.t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	var text string
	if err := db.QueryRow("SELECT coalesce(group_concat(jid, ' '), '') FROM notes WHERE kind = ?", kind).Scan(&text); err != nil {
		m.t.Fatal(err)
	}
	return strings.Fields(text)
}

// runs returns how often each minion ran the job.
func (m *mortal) runs(mark string) map[string]int {
	b, _ := os.ReadFile(filepath.Join(m.dir, mark))
	out := map[string]int{}
	for _, id := range strings.Fields(string(b)) {
		out[id]++
	}
	return out
}

// A master is killed between the commit of a job and its publication. After a restart it publishes
// the job to all minions, which run it once, and the account is complete.
func TestUsers17aKilledBetweenStoreAndPublication(t *testing.T) {
	m := newMortal(t)
	m.start()
	m.minion("m1", "minion")
	m.minion("m2", "minion2")
	warm := func() bool {
		c := m.client()
		defer func() { _ = c.Close() }()
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		f, err := c.Follow(ctx, client.Job{Tgt: "*", Fun: []string{"test.ping"}})
		if err != nil {
			return false
		}
		defer func() { _ = f.Close() }()
		for {
			u, err := f.Next(ctx)
			if err != nil {
				return false
			}
			if u.Complete != nil {
				return u.Complete.Returned == 2
			}
		}
	}
	eventually(t, "both minions there", warm)
	m.trigger()
	_, err := m.publish(client.Job{Tgt: "*", Fun: []string{"cmd.run"}, JID: jid.NewGenerator(time.Now, 0).Next(), Timeout: 20 * time.Second, Args: []any{
		"echo ran >> " + filepath.Join(m.dir, "mark"),
	}})
	if err == nil {
		t.Fatal("the master lives")
	}
	<-m.dead
	if n := m.runs("mark"); len(n) != 0 {
		t.Fatalf("ran already: %v", n)
	}
	if open, kept := m.notes(returners.NoteOpen), m.notes(returners.NotePublication); len(open) != 1 || !slices.Equal(open, kept) {
		t.Fatalf("open are %v, kept %v", open, kept)
	}
	m.start()
	eventually(t, "the job ran on both minions", func() bool { return m.runs("mark")["ran"] >= 2 })
	eventually(t, "the job is over", func() bool {
		return len(m.notes(returners.NoteOpen)) == 0
	})
	if n := m.runs("mark")["ran"]; n != 2 {
		t.Errorf("the job ran %d times on two minions", n)
	}
	if kept := m.notes(returners.NotePublication); len(kept) != 0 {
		t.Errorf("kept are %v", kept)
	}
	// Also after the next restart.
	m.kill()
	m.start()
	eventually(t, "both minions there again", warm)
	if n := m.runs("mark")["ran"]; n != 2 {
		t.Errorf("the job ran %d times on two minions", n)
	}
}

// A master is killed as it stores a job of a master above. The job is never stored without its
// requester, to whom its returns must go.
func TestKilledAsAJobFromAboveIsStored(t *testing.T) {
	for trigger, want := range map[string]int{"trigger before": 0, "trigger": 1} {
		m := newMortal(t)
		m.cfg.OrderMasters = true // jobs are accepted without a matching minion
		m.env = []string{aboveEnv + "=" + jid.NewGenerator(time.Now, 0).Next()}
		if err := errors.Join(os.MkdirAll(m.cfg.Cachedir, 0o700), os.WriteFile(filepath.Join(m.cfg.Cachedir, trigger), nil, 0o600)); err != nil {
			t.Fatal(err)
		}
		m.start()
		select {
		case <-m.dead:
		case <-time.After(patience):
			t.Fatal("the master lives")
		}
		if open, asked := m.notes(returners.NoteOpen), m.notes(returners.NoteOrigin); len(open) != want || !slices.Equal(open, asked) {
			t.Errorf("%s: open are %v, asked for %v", trigger, open, asked)
		}
	}
}
