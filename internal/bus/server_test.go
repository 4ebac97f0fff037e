package bus

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/wire"
)

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// sockDir returns a directory whose path leaves room for a socket's name.
func sockDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "bus")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func serve(t testing.TB, b *Bus, cfg ServerConfig) *Server {
	t.Helper()
	if cfg.SockDir == "" {
		cfg.SockDir = sockDir(t)
	}
	if cfg.Log == nil {
		cfg.Log = quiet()
	}
	s, err := Serve(b, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func dial(t testing.TB, s *Server) *Client {
	t.Helper()
	cfg := ClientConfig{SockDir: s.cfg.SockDir, IPCMode: s.cfg.IPCMode, Now: clock}
	if a, ok := s.PubAddr().(*net.TCPAddr); ok {
		cfg.PubPort = a.Port
		cfg.PullPort = s.PullAddr().(*net.TCPAddr).Port
	}
	c, err := Dial(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func next(t testing.TB, c *Client) Event {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	e, err := c.Next(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestThroughTheSockets(t *testing.T) {
	for name, cfg := range map[string]ServerConfig{
		"bare": {}, "length": {Framing: Length}, "tcp": {IPCMode: "tcp", Framing: Length},
	} {
		t.Run(name, func(t *testing.T) {
			b := New(clock)
			s := serve(t, b, cfg)
			one, two := dial(t, s), dial(t, s)
			if n := s.Stats().Readers; n != 2 {
				t.Fatalf("%d readers", n)
			}
			if err := b.Fire("salt/test", wire.NewMap("a", "\xff", "n", wire.NewMap(1, 2))); err != nil {
				t.Fatal(err)
			}
			for _, c := range []*Client{one, two} {
				e := next(t, c)
				if e.Tag != "salt/test" || string(e.Data) != string(pack(t, wire.NewMap("a", "\xff", "n", wire.NewMap(1, 2)))) || !e.Stamp.Equal(noon.Truncate(time.Microsecond)) {
					t.Errorf("%q %x %v", e.Tag, e.Data, e.Stamp)
				}
			}
			in := b.Subscribe(SubscribeOptions{})
			for _, framing := range []Framing{Bare, Length} {
				one.cfg.Framing = framing
				if err := one.Fire(t.Context(), "from/client", wire.NewMap("x", 1, "_stamp", "old")); err != nil {
					t.Fatal(err)
				}
				if e := <-in.C(); e.Tag != "from/client" || string(e.Data) != "\x81\xa1x\x01" || !e.Stamp.Equal(noon.Truncate(time.Microsecond)) {
					t.Errorf("%s: %+v", framing, e)
				}
				if e := next(t, two); e.Tag != "from/client" {
					t.Errorf("%s: reader got %q", framing, e.Tag)
				}
			}
			waiting.Until(t, "count", func() bool { return s.Stats().Fired == 2 })
		})
	}
}

func TestSocketFiles(t *testing.T) {
	dir := filepath.Join(sockDir(t), "made", "here")
	b := New(clock)
	s := serve(t, b, ServerConfig{SockDir: dir})
	for name, mode := range map[string]fs.FileMode{MasterPubName: 0o660, MasterPullName: 0o600} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm() != mode || info.Mode().Type() != fs.ModeSocket {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	if _, err := Serve(b, ServerConfig{SockDir: dir, Log: quiet()}); err == nil || !strings.Contains(err.Error(), "another daemon runs here") {
		t.Errorf("second server: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}

	// A socket file without a process behind it is replaced.
	l, err := net.Listen("unix", filepath.Join(dir, MasterPubName))
	if err != nil {
		t.Fatal(err)
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	_ = l.Close()
	again := serve(t, b, ServerConfig{SockDir: dir})
	dial(t, again)

	other := sockDir(t)
	if err := os.WriteFile(filepath.Join(other, MasterPullName), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Serve(b, ServerConfig{SockDir: other, Log: quiet()}); err == nil || !strings.Contains(err.Error(), "in the way") {
		t.Errorf("file in the way: %v", err)
	}
}

func TestServeRefuses(t *testing.T) {
	for what, cfg := range map[string]ServerConfig{
		"framing": {SockDir: sockDir(t), Framing: "tape"}, "ipc_mode": {IPCMode: "pigeon"},
		"shorter sock_dir": {SockDir: "/tmp/" + strings.Repeat("x", 120)}, "port": {IPCMode: "tcp", PubPort: 70000},
	} {
		if _, err := Serve(New(clock), cfg); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := Dial(t.Context(), ClientConfig{SockDir: sockDir(t)}); err == nil || !strings.Contains(err.Error(), "is the master running") {
		t.Errorf("no master: %v", err)
	}
}

// A reader that reads nothing is cut off; the other gets everything.
func TestStalledReaderHurtsNobody(t *testing.T) {
	b := New(clock)
	s := serve(t, b, ServerConfig{QueueSize: 50, QueueBytes: 1 << 20})
	stalled, err := net.Dial("unix", s.PubAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer stalled.Close()
	good := dial(t, s)
	waiting.Until(t, "both connected", func() bool { return s.Stats().Readers == 2 })
	body := strings.Repeat("x", 20_000)
	for i := range 200 {
		if err := b.Fire("t", wire.NewMap("i", i, "x", body)); err != nil {
			t.Fatal(err)
		}
		if e := next(t, good); mapOf(t, e).Int("i") != int64(i) {
			t.Fatalf("event %d out of order", i)
		}
	}
	waiting.Until(t, "cut", func() bool { st := s.Stats(); return st.ReadersCut == 1 && st.Readers == 1 })
	if b.Stats().Cut != 1 {
		t.Errorf("%+v", b.Stats())
	}
}

func TestStalledReaderTimesOut(t *testing.T) {
	b := New(clock)
	s := serve(t, b, ServerConfig{StallTimeout: 50 * time.Millisecond, QueueBytes: 64 << 20})
	stalled, err := net.Dial("unix", s.PubAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer stalled.Close()
	waiting.Until(t, "connected", func() bool { return s.Stats().Readers == 1 })
	for range 4 {
		if err := b.Fire("t", wire.NewMap("x", strings.Repeat("x", 900_000))); err != nil {
			t.Fatal(err)
		}
	}
	waiting.Until(t, "cut", func() bool { st := s.Stats(); return st.ReadersCut == 1 && st.Readers == 0 })
	waiting.Until(t, "unsubscribed", func() bool { return b.Stats().Subscribers == 0 })
}

func TestWritersThatMisbehave(t *testing.T) {
	good := appendFrame(nil, nil, []byte("t\n\n\x80"))
	for name, sent := range map[string]string{
		"garbage": "\xc1\xc1", "empty frame": "\x00\x00\x00\x00", "huge length": "\x7f\xff\xff\xff",
		"huge body": "\x82\xa4head\x80\xa4body\xc6\xff\xff\xff\xff", "list": "\x91\x01", "no body": "\x81\xa4head\x80",
	} {
		t.Run(name, func(t *testing.T) {
			b := New(clock)
			s := serve(t, b, ServerConfig{})
			c, err := net.Dial("unix", s.PullAddr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			in := b.Subscribe(SubscribeOptions{})
			if _, err := io.WriteString(c, string(good)+sent); err != nil {
				t.Fatal(err)
			}
			if e := <-in.C(); e.Tag != "t" {
				t.Errorf("%+v", e)
			}
			_ = c.SetReadDeadline(time.Now().Add(10 * time.Second))
			if _, err := c.Read(make([]byte, 1)); errors.Is(err, os.ErrDeadlineExceeded) || err == nil {
				t.Errorf("the connection stays: %v", err)
			}
			waiting.Until(t, "count", func() bool { return s.Stats().Rejected == 1 })
		})
	}
}

// A frame without an event is dropped, and later ones are accepted; a message id is answered.
func TestWriterGoesOn(t *testing.T) {
	b := New(clock)
	s := serve(t, b, ServerConfig{Framing: Length})
	c, err := net.Dial("unix", s.PullAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	in := b.Subscribe(SubscribeOptions{})
	sent := appendFrame(nil, nil, []byte("no event"))
	sent = appendFrame(sent, pack(t, wire.NewMap("mid", 7)), []byte("t\n\n\x81\xa6_stamp\xb32020-01-02T03:04:05"))
	if _, err := c.Write(sent); err != nil {
		t.Fatal(err)
	}
	if e := <-in.C(); e.Tag != "t" || !e.Stamp.Equal(time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)) || wire.Count(e.Data) != 0 {
		t.Errorf("%+v", e)
	}
	_ = c.SetReadDeadline(time.Now().Add(10 * time.Second))
	head := make([]byte, 4)
	if _, err := io.ReadFull(c, head); err != nil {
		t.Fatal(err)
	}
	ack := make([]byte, binary.BigEndian.Uint32(head))
	if _, err := io.ReadFull(c, ack); err != nil {
		t.Fatal(err)
	}
	if want := "\x82\xa4head\x81\xa3mid\x07\xa4body\xc3"; string(ack) != want {
		t.Errorf("answer %x", ack)
	}
}

func TestWriterMustEndItsFrame(t *testing.T) {
	b := New(clock)
	s := serve(t, b, ServerConfig{StallTimeout: 30 * time.Millisecond})
	c, err := net.Dial("unix", s.PullAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Write([]byte{0, 0}); err != nil {
		t.Fatal(err)
	}
	_ = c.SetReadDeadline(time.Now().Add(10 * time.Second))
	if _, err := c.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("the connection stays: %v", err)
	}
}

func TestTooManyConnections(t *testing.T) {
	s := serve(t, New(clock), ServerConfig{MaxConns: 1})
	first := dial(t, s)
	c, err := net.Dial("unix", s.PubAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetReadDeadline(time.Now().Add(10 * time.Second))
	if _, err := c.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("the second connection stays: %v", err)
	}
	if s.Stats().Refused != 1 {
		t.Errorf("%+v", s.Stats())
	}
	_ = first.Close()
	waiting.Until(t, "room again", func() bool { return s.Stats().Readers == 0 })
	waiting.Until(t, "second reader", func() bool {
		c, err := Dial(t.Context(), ClientConfig{SockDir: s.cfg.SockDir})
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
}

// A read that is cancelled loses nothing.
func TestNextMayBeGivenUp(t *testing.T) {
	b := New(clock)
	s := serve(t, b, ServerConfig{})
	c := dial(t, s)
	for range 3 {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { _, err := c.Next(ctx); done <- err }()
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Fatalf("%v", err)
		}
	}
	if err := b.Fire("t", wire.NewMap()); err != nil {
		t.Fatal(err)
	}
	if e := next(t, c); e.Tag != "t" {
		t.Errorf("%+v", e)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Next(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("after the master has gone: %v", err)
	}
	if err := c.Fire(t.Context(), "t", wire.NewMap()); err == nil {
		t.Error("fired into a socket that is gone")
	}
	if err := c.Fire(t.Context(), "", wire.NewMap()); !errors.Is(err, ErrTag) {
		t.Errorf("%v", err)
	}
	_ = c.Close()
	if _, err := c.Next(t.Context()); err == nil {
		t.Error("a closed client reads")
	}
}

// A master that sends no greeting, like Python's, works too, and an event that arrives at once
// is kept.
func TestDialWithoutGreeting(t *testing.T) {
	for name, first := range map[string][]byte{"silent": nil, "talking": appendFrame(nil, nil, []byte("t\n\n\x80"))} {
		t.Run(name, func(t *testing.T) {
			dir := sockDir(t)
			l, err := net.Listen("unix", filepath.Join(dir, MasterPubName))
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			go func() {
				if c, err := l.Accept(); err == nil {
					_, _ = c.Write(first)
				}
			}()
			c, err := Dial(t.Context(), ClientConfig{SockDir: dir})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if first != nil && next(t, c).Tag != "t" {
				t.Error("the first event is lost")
			}
		})
	}
}
