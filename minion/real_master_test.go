package minion_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master"
	"github.com/momtree/mom/minion"
)

var silent = slog.New(slog.DiscardHandler)

// serve runs a daemon until the returned function is called.
func serve(t *testing.T, run func(context.Context) error) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- run(ctx) }()
	var ended bool
	stop = func() {
		if ended {
			return
		}
		ended = true
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(stop)
	return stop
}

// realMaster starts the master of this project with cfg, the options of an earlier start, or
// with new ones.
func realMaster(t *testing.T, cfg *config.Master) (m *master.Master, stop func()) {
	t.Helper()
	m, err := master.New(master.Options{Config: cfg, Version: "test", Log: silent})
	if err != nil {
		t.Fatal(err)
	}
	cfg.PublishPort, cfg.RetPort = m.Ports()
	end := serve(t, m.Run)
	return m, func() {
		end()
		_ = m.Close()
	}
}

func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "mr")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// TestRealMaster runs jobs with the master of this project, restarts it while
// one runs, and expects every return.
func TestRealMaster(t *testing.T) {
	dir := shortDir(t)
	mc := config.DefaultMaster()
	mc.ID, mc.Interface, mc.RetPort, mc.PublishPort = "top", "127.0.0.1", 0, 0
	mc.PkiDir, mc.Cachedir, mc.SockDir = filepath.Join(dir, "mp"), filepath.Join(dir, "mc"), filepath.Join(dir, "ms")
	mc.JobStoreFile, mc.AutoAccept, mc.SyndicDir = filepath.Join(dir, "jobs.db"), true, filepath.Join(dir, "sy")
	mc.User = "root"
	channeltest.WriteKeys(t, mc.PkiDir, "master", "master")
	_, stopMaster := realMaster(t, mc)

	nc := config.DefaultMinion()
	nc.ID, nc.Master, nc.MasterPort = "m1", []string{"127.0.0.1"}, mc.RetPort
	nc.PkiDir, nc.Cachedir, nc.SockDir = filepath.Join(dir, "np"), filepath.Join(dir, "nc"), filepath.Join(dir, "ns")
	nc.AcceptanceWaitTime, nc.AuthTimeout = 20*time.Millisecond, time.Second
	nc.ReconDefault, nc.ReconMax = 10*time.Millisecond, 50*time.Millisecond
	nc.RandomReauthDelay = 10 * time.Millisecond
	channeltest.WriteKeys(t, nc.PkiDir, "minion", "minion")
	n, err := minion.New(minion.Options{Config: nc, Version: "test", Log: silent, Collect: func(context.Context) *wire.Map {
		return wire.NewMap("id", "m1", "os", "Debian")
	}})
	if err != nil {
		t.Fatal(err)
	}
	serve(t, n.Run)

	ask(t, mc, "test.ping", nil)
	gate := filepath.Join(dir, "gate")
	began := filepath.Join(dir, "began")
	c := clientOf(mc)
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	waiting, err := c.Publish(ctx, client.Job{Tgt: "m1", Fun: []string{"cmd.run"}, Args: []any{
		"touch " + began + "; while [ ! -e " + gate + " ]; do sleep 0.02; done; echo through",
	}})
	if err != nil {
		t.Fatal(err)
	}
	_ = c.Close()
	for !exists(began) {
		if ctx.Err() != nil {
			t.Fatal("the job did not begin")
		}
		<-time.After(5 * time.Millisecond)
	}
	stopMaster()
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	again, stopAgain := realMaster(t, mc)
	defer stopAgain()
	awaitStored(ctx, t, again, waiting.JID)
	ask(t, mc, "test.echo", []any{"after the restart"})
}

// awaitStored waits until the master has stored the return of the job.
func awaitStored(ctx context.Context, t *testing.T, m *master.Master, jid string) {
	t.Helper()
	waiting.UntilDone(ctx, t, "the return of "+jid, func() bool {
		rets, err := m.Store().Local().GetReturns(ctx, jid)
		if err != nil || len(rets) != 1 || rets[0].ID != "m1" || !rets[0].Success {
			return false
		}
		if v, err := wire.Str(rets[0].Value); err != nil || v != "through" {
			t.Errorf("stored %q, %v", v, err)
		}
		return true
	})
}

func exists(path string) bool { _, err := os.Stat(path); return err == nil }

func clientOf(mc *config.Master) *client.Client {
	return client.New(client.Options{
		Addr: client.LocalAddr(mc.Interface, mc.RetPort), Cachedir: mc.Cachedir, MasterUser: mc.User, Bus: client.Bus{Dir: mc.SockDir},
	})
}

// ask publishes until the minion has answered: after a start it takes a moment to subscribe.
func ask(t *testing.T, mc *config.Master, fun string, args []any) {
	t.Helper()
	c := clientOf(mc)
	defer func() { _ = c.Close() }()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	for ctx.Err() == nil {
		if once(ctx, t, c, client.Job{Tgt: "m1", Fun: []string{fun}, Args: args}) {
			return
		}
	}
	t.Fatalf("no answer to %s", fun)
}

func once(ctx context.Context, t *testing.T, c *client.Client, j client.Job) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	f, err := c.Follow(ctx, j)
	if err != nil {
		<-time.After(10 * time.Millisecond)
		return false
	}
	defer func() { _ = f.Close() }()
	for {
		u, err := f.Next(ctx)
		if err != nil {
			return false
		}
		if u.Return != nil {
			return u.Return.ID == "m1"
		}
	}
}
