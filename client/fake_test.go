package client

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var quiet = slog.New(slog.DiscardHandler)

const patience = 20 * time.Second

// fakeMaster is a return port and the event sockets of a master.
type fakeMaster struct {
	tb     testing.TB
	dir    string
	bus    *bus.Bus
	server *bus.Server
	router *zmtp.Router

	mu     sync.Mutex
	key    string
	loads  []*wire.Map
	answer func(load *wire.Map) any // nil: an acknowledged job
	raw    func() []byte            // replaces answer; a nil result sends no reply
	asked  func()                   // called when a client sends the ping with greets
}

const jobID = "20260301120000000000"

func startMaster(tb testing.TB) *fakeMaster {
	tb.Helper()
	dir, err := os.MkdirTemp("", "mc") // paths of sockets must be short
	if err != nil {
		tb.Fatal(err)
	}
	m := &fakeMaster{tb: tb, dir: dir, bus: bus.New(nil)}
	m.writeKey("first")
	if m.server, err = bus.Serve(m.bus, bus.ServerConfig{SockDir: dir, Log: quiet}); err != nil {
		tb.Fatal(err)
	}
	if m.router, err = zmtp.ListenRouter("127.0.0.1:0", zmtp.RouterConfig{Log: quiet}, m.serve); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		_ = m.router.Close()
		_ = m.server.Close()
		m.bus.Close()
		_ = os.RemoveAll(dir)
	})
	return m
}

// writeKey writes the key file, as the master does when it starts.
func (m *fakeMaster) writeKey(key string) {
	m.tb.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.key = key
	path := filepath.Join(m.dir, ".root_key")
	_ = os.Remove(path)
	if err := os.WriteFile(path, []byte(key+"\n"), 0o400); err != nil {
		m.tb.Fatal(err)
	}
}

func (m *fakeMaster) change(f func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f()
}

func (m *fakeMaster) seen() []*wire.Map {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]*wire.Map(nil), m.loads...)
}

func (m *fakeMaster) serve(req *zmtp.Request) {
	env, err := wire.ParseEnvelope(req.Body)
	if err != nil || env.Enc != "clear" || env.Version != 3 {
		m.tb.Errorf("envelope %+v, %v", env, err)
		req.Drop()
		return
	}
	load, err := wire.DecodeMap(env.Load)
	if err != nil {
		m.tb.Error(err)
		req.Drop()
		return
	}
	m.mu.Lock()
	if load.Has("greets") {
		asked := m.asked
		m.mu.Unlock()
		if asked != nil {
			asked()
		}
		load.Set("greets", true)
		b, _ := wire.Encode(load) // it was just decoded
		req.Reply(b)
		return
	}
	m.loads = append(m.loads, load.Clone())
	answer, raw, key := m.answer, m.raw, m.key
	m.mu.Unlock()
	if raw != nil {
		if b := raw(); b != nil {
			req.Reply(b)
		} else {
			req.Drop()
		}
		return
	}
	var v any = wire.NewMap("enc", "clear", "load", wire.NewMap("jid", jobID, "minions", []any{"web-1"},
		"missing", []any{"ghost"}, "nodes", []any{"syn-a"}))
	switch {
	case load.String("key") != key:
		v = wire.NewMap("error", wire.NewMap("name", "AuthenticationError", "message", "Authentication error occurred."))
	case answer != nil:
		v = answer(load)
	}
	b, err := wire.Encode(v)
	if err != nil {
		m.tb.Error(err)
	}
	req.Reply(b)
}

func (m *fakeMaster) fire(tag string, kv ...any) {
	m.tb.Helper()
	if err := m.bus.Fire(tag, wire.NewMap(kv...)); err != nil {
		m.tb.Fatal(err)
	}
}

// client returns a client of the fake master, as root.
func (m *fakeMaster) client(change ...func(*Options)) *Client {
	o := Options{Addr: m.router.Addr().String(), Cachedir: m.dir, User: "root", Bus: Bus{Dir: m.dir}, Timeout: 5 * time.Second}
	for _, f := range change {
		f(&o)
	}
	c := New(o)
	m.tb.Cleanup(func() { _ = c.Close() })
	return c
}

func within(tb testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	tb.Cleanup(cancel)
	return ctx
}
