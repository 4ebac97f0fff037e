package minion

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
)

func TestMain(m *testing.M) {
	if text := os.Getenv(childEnv); text != "" {
		os.Exit(child(text))
	}
	// regexp2 keeps a clock running for a while after a match with a deadline.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2.runClock"))
}

// testLog is silent unless MINION_TEST_LOG is set.
func testLog() *slog.Logger {
	if os.Getenv("MINION_TEST_LOG") != "" {
		return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	return slog.New(slog.DiscardHandler)
}

// testConfig returns the configuration of minion "m1" of the given masters, with short timeouts
// and its own directory.
func testConfig(t *testing.T, masters ...*channeltest.Master) *config.Minion {
	t.Helper()
	dir := t.TempDir()
	cfg := config.DefaultMinion()
	cfg.ID, cfg.Dir, cfg.ConfFile = "m1", dir, filepath.Join(dir, "minion")
	cfg.PkiDir, cfg.Cachedir = filepath.Join(dir, "pki"), filepath.Join(dir, "cache")
	// Socket paths must be short, test directories are not.
	sock, err := os.MkdirTemp("", "mn")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(sock) })
	cfg.SockDir = sock
	cfg.Master = nil
	for _, m := range masters {
		cfg.Master = append(cfg.Master, m.Addr())
	}
	cfg.AuthTimeout, cfg.AuthTries = time.Second, 3
	cfg.AcceptanceWaitTime = 10 * time.Millisecond
	cfg.RandomReauthDelay = 10 * time.Millisecond
	cfg.ReconDefault, cfg.ReconMax = 5*time.Millisecond, 20*time.Millisecond
	cfg.RequestChannelTimeout = 2 * time.Second
	cfg.ReturnRetryTimer, cfg.ReturnRetryTimerMax = 100*time.Millisecond, 200*time.Millisecond
	channeltest.WriteKeys(t, cfg.PkiDir, "minion", "minion")
	return cfg
}

// daemon is a running minion.
type daemon struct {
	*Minion
	t    *testing.T
	stop context.CancelFunc
	done chan error
}

func start(t *testing.T, cfg *config.Minion) *daemon {
	t.Helper()
	m, err := New(Options{Config: cfg, Version: "test", Log: testLog(), Collect: func(context.Context) *wire.Map {
		return wire.NewMap("id", cfg.ID, "os", "Debian", "roles", []any{"web", "db"}, "ipv4", []any{"127.0.0.1", "10.1.2.3"})
	}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	m.rejectPause = time.Millisecond
	d := &daemon{Minion: m, t: t, stop: cancel, done: make(chan error, 1)}
	go func() { d.done <- m.Run(ctx) }()
	t.Cleanup(func() { _ = d.end() })
	return d
}

// end stops the minion like a signal; a second call has no effect.
func (d *daemon) end() error {
	if d.stop == nil {
		return nil
	}
	d.stop()
	d.stop = nil
	err := <-d.done
	if cerr := d.Close(); err == nil {
		err = cerr
	}
	return err
}

var jids = 0

// newJID returns a jid that no test has used.
func newJID() string {
	jids++
	return fmt.Sprintf("202601010000%08d", jids)
}
