package channel

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
)

// lines collects log lines and signals each.
type lines struct {
	mu  sync.Mutex
	b   bytes.Buffer
	got chan struct{}
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, err := l.b.Write(p)
	select {
	case l.got <- struct{}{}:
	default:
	}
	return n, err
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func (l *lines) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

// strange listens and answers each connection with text, or never if text is empty.
func strange(t *testing.T, text string) (port int) {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	t.Cleanup(func() { _ = l.Close(); wg.Wait() })
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { _ = c.Close() })
			_, _ = c.Write([]byte(text))
		}
	})
	return l.Addr().(*net.TCPAddr).Port
}

// closedPort returns a port where nothing listens.
func closedPort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// TestReach_IsLogged: while a sign-in retries, the log has the reason, the address and the option it comes from, once and
// not with every attempt.
func TestReach_IsLogged(t *testing.T) {
	for name, c := range map[string]struct {
		port func(t *testing.T) int
		want string
		err  error
	}{
		"nothing listens": {closedPort, "connection refused: nothing listens there", syscall.ECONNREFUSED},
		"mute":            {func(t *testing.T) int { return strange(t, "") }, "no answer to the attempt to connect", nil},
		"another program": {func(t *testing.T) int { return strange(t, "SSH-2.0-OpenSSH_9.2\r\n"+strings.Repeat("x", 64)) }, "what listens there does not speak ZMTP", zmtp.ErrGreeting},
	} {
		t.Run(name, func(t *testing.T) {
			log := &lines{got: make(chan struct{}, 1)}
			dir := t.TempDir()
			channeltest.WriteKeys(t, dir, "minion", "minion")
			ch := open(t, Config{
				ID: "m1", Role: "syndic", PkiDir: dir, Host: "127.0.0.1", Port: c.port(t), Option: "syndic_master",
				AuthTimeout: time.Minute, AuthTries: 1, Log: log.logger(), logAfter: 200 * time.Millisecond,
			})
			ctx, cancel := context.WithCancel(within(t))
			defer cancel()
			ended := make(chan error, 1)
			go func() {
				_, err := ch.Attempt(ctx)
				ended <- err
			}()
			select {
			case <-log.got:
			case err := <-ended:
				t.Fatalf("the sign-in has ended before anything was logged: %v", err)
			}
			for _, want := range []string{"parent unreachable", "host=127.0.0.1", "port=", c.want, "option syndic_master"} {
				if !strings.Contains(log.String(), want) {
					t.Errorf("%q is not in the log: %s", want, log)
				}
			}
			for range 3 { // the same reason again, soon after
				w := ch.watch("request x")
				w.last = c.err
				w.report(true)
				w.end()
			}
			if n := strings.Count(log.String(), "unreachable"); n != 1 {
				t.Errorf("logged %d times:\n%s", n, log)
			}
			cancel()
			<-ended
		})
	}
}

// TestReach_UnknownName: a sign-in at an unknown host name fails at once. The error names the
// cause and the option. The caller decides when to retry.
func TestReach_UnknownName(t *testing.T) {
	dir := t.TempDir()
	channeltest.WriteKeys(t, dir, "minion", "minion")
	ch := open(t, Config{
		ID: "m1", PkiDir: dir, Host: "no such name", Port: 4506, Option: "master", // not a valid DNS name, so no server is asked
		AuthTimeout: 10 * time.Minute, AuthTries: 7, Log: quiet,
	})
	_, err := ch.SignIn(within(t))
	var dns *net.DNSError
	if !errors.As(err, &dns) || !errors.Is(err, ErrNoAnswer) {
		t.Fatal(err)
	}
	for _, want := range []string{"no such name", "is not known", "/etc/hosts", "option master"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in %v", want, err)
		}
	}
}

// TestReach_NotOfABusyMaster: a connected master that answers slowly is not logged as
// unreachable.
func TestReach_NotOfABusyMaster(t *testing.T) {
	release := make(chan struct{})
	m := channeltest.Start(t, channeltest.Rules{Handle: map[string]channeltest.Handler{"echo": func(_ string, load *wire.Map) any {
		<-release
		return echo("", load)
	}}})
	log := &lines{got: make(chan struct{}, 1)}
	cfg := testConfig(t, m)
	cfg.Log, cfg.RequestTimeout, cfg.logAfter = log.logger(), time.Minute, time.Hour
	c := signedIn(t, cfg)
	ended := make(chan error, 1)
	go func() {
		_, err := c.Request(within(t), wire.NewMap("cmd", "echo", "data", 1))
		ended <- err
	}()
	for len(m.Seen("echo")) == 0 {
		select {
		case err := <-ended:
			t.Fatal(err)
		case <-time.After(time.Millisecond):
		}
	}
	w := c.watch("request echo")
	w.report(false) // as its timer does
	w.end()
	close(release)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if log.String() != "" {
		t.Errorf("logged: %s", log)
	}
}
