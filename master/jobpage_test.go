package master

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/intake"
	"github.com/momtree/mom/returners"
)

// follower is a client of the rig's master with a user's key.
func (r *rig) follower(user, key string, log *slog.Logger) *client.Client {
	r.t.Helper()
	dir := r.t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "."+user+"_key"), []byte(key), 0o600); err != nil {
		r.t.Fatal(err)
	}
	c := client.New(client.Options{
		Addr: fmt.Sprintf("127.0.0.1:%d", r.ret), Cachedir: dir, User: user, MasterUser: "root", Timeout: patience, Log: log,
		Bus: client.Bus{Dir: r.cfg.SockDir},
	})
	r.t.Cleanup(func() { _ = c.Close() })
	return c
}

// cacheReads counts a client's log lines about reading the job cache.
type cacheReads struct{ n atomic.Int64 }

func (c *cacheReads) Write(line []byte) (int, error) {
	if strings.Contains(string(line), "earlier returns read from the job cache") {
		c.n.Add(1)
	}
	return len(line), nil
}

// A command that pauses after the hundredth of 2,500 returns of 20 KB (in `make slow` of
// 20,000 of 2 KB), more than can wait for it, gets each return once and the correct account.
func TestCommandThatPausesMissesNoReturn(t *testing.T) {
	const minions = pausedReturns
	ctx, cancel := context.WithTimeout(t.Context(), 6*patience)
	defer cancel()
	r := newRig(t, ordersMasters)
	r.start()
	node := r.minion("n1", "syndic", "syndic").listen().announce()
	var pages cacheReads
	f, err := r.follower("root", rootKey, slog.New(slog.NewTextHandler(&pages, &slog.HandlerOptions{Level: slog.LevelDebug}))).Follow(ctx, client.Job{Tgt: "*", Fun: []string{"test.ping"}})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	ids := make([]any, minions)
	for i := range ids {
		ids[i] = fmt.Sprintf("web-%05d", (i*7919)%minions)
	}
	node.must(wire.NewMap("cmd", "_minion_event", "id", "n1", "pretag", "syndic/n1", "events", []any{wire.NewMap("tag", f.JID, "data",
		wire.NewMap("minions", ids, "jid", f.JID, "mom", wire.NewMap("node", "", "asked", []any{}, "unreachable", wire.NewMap())))}))
	text := strings.Repeat("x", pausedBytes)
	stored := make(chan error, 1)
	go func() {
		for at := 0; at < minions; at += 500 {
			rets := make([]returners.Return, 500)
			for i := range rets {
				load := returnOf(ids[at+i].(string), f.JID, text)
				raw, err := wire.Encode(load)
				if err != nil {
					stored <- err
					return
				}
				ret, err := wire.ParseReturn(raw)
				if err != nil {
					stored <- err
					return
				}
				rets[i] = intake.RowOf(ret, time.Now())
				rets[i].Via = "n1"
			}
			save := r.jobs.Returns(rets, nil)
			fresh, err := r.store.SaveReturns(t.Context(), save.Batch.Returns)
			r.jobs.Saved(save, returners.Result{NewReturns: fresh}, err)
			if err != nil {
				stored <- err
				return
			}
		}
		stored <- nil
	}()
	seen := map[string]bool{}
	for {
		u, err := f.Next(ctx)
		if err != nil {
			t.Fatalf("after %d: %v", len(seen), err)
		}
		if u.Complete != nil {
			if u.Complete.Expected != minions || u.Complete.Returned != minions || len(u.Complete.Missing) != 0 {
				t.Errorf("account %+v", u.Complete)
			}
			break
		}
		if u.Return == nil {
			continue
		}
		if seen[u.Return.ID] || len(u.Return.Value) < pausedBytes {
			t.Fatalf("%s comes twice, or with %d bytes", u.Return.ID, len(u.Return.Value))
		}
		seen[u.Return.ID] = true
		if len(seen) == 100 {
			if err := <-stored; err != nil {
				t.Fatal(err)
			}
			eventually(t, "the end of the job", func() bool { return r.closed(f.JID) })
		}
	}
	if len(seen) != minions {
		t.Errorf("%d of %d were returned", len(seen), minions)
	}
	if pages.n.Load() == 0 {
		t.Error("no page was read: this shows nothing")
	}
}

// A user of publisher_acl reads the results of own jobs only. Unknown jobs and jobs that are not
// stored are refused by name.
func TestJobPageIsForWhoAsked(t *testing.T) {
	r := freds(t)
	m := r.minion("m1", "minion", "minion").listen().announce()
	ours := r.say(testJob("*", "glob")).Map("load").String("jid")
	freds := r.say(testJob("*", "glob", "key", fredsKey, "user", "fred")).Map("load").String("jid")
	for _, jid := range []string{ours, freds} {
		m.hear()
		if err := m.answer(jid, "result"); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		user, key, jid string
		want           string // name of the refusal
	}{
		{"root", rootKey, ours, ""},
		{"root", rootKey, freds, ""},
		{"fred", fredsKey, freds, ""},
		{"fred", fredsKey, ours, "AuthorizationError"},
		{"root", fredsKey, ours, "AuthorizationError"},
		{"fred", fredsKey, someJob, "AuthorizationError"},
		{"root", rootKey, someJob, "SaltInvocationError"},
		{"root", "no key", ours, "AuthenticationError"},
	} {
		d := r.say(wire.NewMap("cmd", "job_page", "jid", c.jid, "after", "", "key", c.key, "user", c.user))
		if got := d.Map("error").String("name"); got != c.want || c.want == "" && (len(d.List("returns")) != 1 || d.Map("complete") == nil) {
			t.Errorf("%s asks for %s: %v", c.user, c.jid, plain(t, d))
		}
	}
}
