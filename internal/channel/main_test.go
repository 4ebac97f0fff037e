package channel

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/momtree/mom/internal/channel/channeltest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var quiet = slog.New(slog.DiscardHandler)

// testConfig returns the configuration of minion "m1" at the fake master, with short timeouts.
func testConfig(t *testing.T, m *channeltest.Master) Config {
	t.Helper()
	dir := t.TempDir()
	channeltest.WriteKeys(t, dir, "minion", "minion")
	return Config{
		ID: "m1", PkiDir: dir, Host: m.Host(), Port: m.Port(),
		AuthTimeout: 2 * time.Second, AuthTries: 2,
		AcceptanceWaitTime: 5 * time.Millisecond,
		RequestTimeout:     2 * time.Second, RequestTries: 2,
		ReturnTimeout: 2 * time.Second, ReturnTimeoutMax: 2 * time.Second, ReturnTries: 2,
		Log: quiet,
	}
}

func open(t *testing.T, cfg Config) *Channel {
	t.Helper()
	c, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// within returns a context that bounds a test's waits.
func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func signedIn(t *testing.T, cfg Config) *Channel {
	t.Helper()
	c := open(t, cfg)
	if _, err := c.SignIn(within(t)); err != nil {
		t.Fatal(err)
	}
	return c
}
