package channel

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
)

func echo(_ string, load *wire.Map) any { v, _ := load.Get("data"); return v }

func TestRequest_GivesTheValue(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{Handle: map[string]channeltest.Handler{"echo": echo}})
	c := open(t, testConfig(t, m)) // signs in on its own
	load := wire.NewMap("cmd", "echo", "data", []any{"a", int64(1), nil})
	raw, err := c.Request(within(t), load)
	if err != nil {
		t.Fatal(err)
	}
	v, err := wire.Decode(raw)
	if list, ok := v.([]any); err != nil || !ok || len(list) != 3 || list[0] != "a" {
		t.Errorf("got %v, %v", v, err)
	}
	if load.Has("nonce") || load.Has("tok") {
		t.Error("the caller's load was changed")
	}
	seen := m.Seen("echo")[0]
	for _, field := range []string{"nonce", "ts", "tok", "id"} {
		if !seen.Has(field) {
			t.Errorf("version 3 load without %s", field)
		}
	}
}

func TestRequest_LostKeysAreRenewedOnceForAll(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{Handle: map[string]channeltest.Handler{"echo": echo}})
	c := signedIn(t, testConfig(t, m))
	m.ForgetSessions()
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			if _, err := c.Request(within(t), wire.NewMap("cmd", "echo", "data", 1)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	// Requests may notice one after another, but each sign-in serves them all.
	if n := len(m.Seen("_auth")); n > 3 {
		t.Errorf("%d sign-ins", n)
	}
	if n := len(m.Seen("echo")); n != 6 {
		t.Errorf("%d requests were served", n)
	}
}

func TestRequest_RotationMakesVersion2SignInAgain(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{Version: 2, Handle: map[string]channeltest.Handler{"echo": echo}})
	c := signedIn(t, testConfig(t, m))
	m.Rotate()
	if _, err := c.Request(within(t), wire.NewMap("cmd", "echo", "data", 1)); err != nil {
		t.Fatal(err)
	}
	if res, _ := c.Current(); res.Seq != 2 || !res.Changed {
		t.Errorf("result %+v", res)
	}
}

// A master that temporarily cannot accept requests still knows our keys: no new sign-in
// follows.
func TestRequest_NotNow(t *testing.T) {
	var signIns atomic.Int32
	m := channeltest.Start(t, channeltest.Rules{Answer: func(cmd string, b []byte) []byte {
		if cmd == "_auth" {
			signIns.Add(1)
			return b
		}
		b, _ = wire.Encode(wire.NotNow)
		return b
	}})
	c := signedIn(t, testConfig(t, m))
	for range 3 {
		if err := c.Return(within(t), wire.NewMap("cmd", "_return", "id", "m1", "jid", "1")); !errors.Is(err, ErrNotNow) {
			t.Fatal(err)
		}
	}
	if n := signIns.Load(); n != 1 {
		t.Errorf("%d sign-ins, want 1", n)
	}
}

func TestRequest_RefusedForGood(t *testing.T) {
	for text, want := range map[string]error{
		"bad load":    ErrRefused,
		handlerFailed: ErrFailed,
		"":            ErrRefused,
	} {
		t.Run(text, func(t *testing.T) {
			var sent atomic.Int32
			m := channeltest.Start(t, channeltest.Rules{Answer: func(cmd string, b []byte) []byte {
				if cmd == "_auth" {
					return b
				}
				sent.Add(1)
				b, _ = wire.Encode(text)
				return b
			}})
			c := signedIn(t, testConfig(t, m))
			_, err := c.Request(within(t), wire.NewMap("cmd", "x"))
			if !errors.Is(err, want) {
				t.Errorf("got %v, want %v", err, want)
			}
			if sent.Load() != 2 || len(m.Seen("_auth")) != 2 {
				t.Errorf("sent %d times with %d sign-ins", sent.Load(), len(m.Seen("_auth")))
			}
		})
	}
}

func TestRequest_ForgedAcknowledgements(t *testing.T) {
	for name, v := range map[string]any{
		"nil": nil, "true": true, "map": wire.NewMap(), "error": wire.NewMap("error", "AES key not found"),
		"list": []any{}, "bytes": strings.Repeat("x", 96),
	} {
		t.Run(name, func(t *testing.T) {
			m := channeltest.Start(t, channeltest.Rules{Answer: func(cmd string, b []byte) []byte {
				if cmd != "_auth" {
					b, _ = wire.Encode(v)
				}
				return b
			}})
			c := signedIn(t, testConfig(t, m))
			if err := c.Return(within(t), wire.NewMap("cmd", "_return", "id", "m1", "jid", "1")); !errors.Is(err, ErrRefused) {
				t.Errorf("an acknowledgement that nobody signed was taken: %v", err)
			}
		})
	}
}

func TestRequest_SilenceIsBoundedAndResent(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{Answer: func(cmd string, b []byte) []byte {
		if cmd == "_auth" {
			return b
		}
		return nil
	}})
	cfg := testConfig(t, m)
	cfg.RequestTimeout, cfg.RequestTries = 40*time.Millisecond, 3
	c := signedIn(t, cfg)
	if _, err := c.Request(within(t), wire.NewMap("cmd", "x")); !errors.Is(err, ErrNoAnswer) {
		t.Errorf("got %v", err)
	}
	if n := len(m.Seen("x")); n != 3 {
		t.Errorf("sent %d times", n)
	}
}

func TestRequest_SurvivesARestartOfTheMaster(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{Handle: map[string]channeltest.Handler{"echo": echo}})
	cfg := testConfig(t, m)
	cfg.RequestTimeout = 10 * time.Second
	c := signedIn(t, cfg)
	m.Down()
	done := make(chan error, 1)
	go func() {
		_, err := c.Request(within(t), wire.NewMap("cmd", "echo", "data", 1))
		done <- err
	}()
	m.Up()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestRequest_ContextEnds(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{Answer: func(cmd string, b []byte) []byte {
		if cmd == "_auth" {
			return b
		}
		return nil
	}})
	cfg := testConfig(t, m)
	cfg.RequestTimeout = time.Hour
	c := signedIn(t, cfg)
	ctx, cancel := context.WithCancel(within(t))
	done := make(chan error, 1)
	go func() { _, err := c.Request(ctx, wire.NewMap("cmd", "x")); done <- err }()
	m.Await(t, "x", 1)
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestReturn_IsSigned(t *testing.T) {
	for _, version := range []int{2, 3} {
		m := channeltest.Start(t, channeltest.Rules{Version: version})
		cfg := testConfig(t, m)
		cfg.MinionSignMessages = true
		c := signedIn(t, cfg)
		if err := c.Return(within(t), wire.NewMap("cmd", "_return", "id", "m1", "jid", "1", "return", "é")); err != nil {
			t.Fatal(err)
		}
		load := m.Seen("_return")[0]
		sig := load.Bytes("sig")
		for _, field := range []string{"sig", "nonce", "tok"} {
			load.Delete(field)
		}
		if load.Has("ts") != (version == 3) {
			t.Errorf("version %d: ts %v", version, load.Has("ts"))
		}
		raw, err := wire.Encode(load)
		if err != nil {
			t.Fatal(err)
		}
		text, err := wire.SignedBytes(raw)
		if err != nil {
			t.Fatal(err)
		}
		if err := crypt.Verify(crypt.PKCS1SHA1, channeltest.Key(t, "minion").Public(), text, sig); err != nil {
			t.Errorf("version %d: %v", version, err)
		}
	}
}

func TestPillar(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{Pillar: wire.NewMap("who", "me")})
	c := signedIn(t, testConfig(t, m))
	raw, err := c.Pillar(within(t), PillarRequest{Grains: wire.NewMap("os", "x"), CleanCache: true})
	if err != nil {
		t.Fatal(err)
	}
	if p, err := wire.DecodeMap(raw); err != nil || p.String("who") != "me" {
		t.Errorf("%v %v", p, err)
	}
	load := m.Seen("_pillar")[0]
	if load.String("ver") != "2" || load.Map("grains").String("os") != "x" || !load.Bool("clean_cache") {
		t.Errorf("request %v", load.Keys())
	}
}

func TestPillar_WrongAnswers(t *testing.T) {
	respond := func(v any) func([]byte) []byte {
		return func([]byte) []byte { b, _ := wire.Encode(v); return b }
	}
	change := func(field string, v any) func([]byte) []byte {
		return func(b []byte) []byte {
			m, _ := wire.DecodeMap(b)
			m.Set(field, v)
			b, _ = wire.Encode(m)
			return b
		}
	}
	tests := []struct {
		name   string
		answer func([]byte) []byte
		want   error
	}{
		{"plain text", respond("bad load"), ErrRefused},
		{"error map", respond(wire.NewMap("error", "AES key not found")), ErrRefused},
		{"empty map", respond(wire.NewMap()), ErrRefused},
		{"key spoilt", change("key", "x"), ErrBadReply},
		{"pillar spoilt", change("pillar", strings.Repeat("x", 96)), ErrBadReply},
		{"no pillar", change("pillar", ""), ErrBadReply},
		{"number", respond(3), ErrRefused},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := channeltest.Start(t, channeltest.Rules{Answer: func(cmd string, b []byte) []byte {
				if cmd == "_pillar" {
					return tt.answer(b)
				}
				return b
			}})
			c := signedIn(t, testConfig(t, m))
			if _, err := c.Pillar(within(t), PillarRequest{}); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
}

func TestAnnounce(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{})
	c := signedIn(t, testConfig(t, m))
	if _, known, err := c.Announce(within(t), Presence{Version: "1"}); err != nil || known {
		t.Errorf("a master that does not know: %v %v", known, err)
	}
	m.Change(func(r *channeltest.Rules) {
		r.Handle = map[string]channeltest.Handler{"_presence": func(_ string, load *wire.Map) any {
			return wire.NewMap("session", load.String("session"), "node", "top")
		}}
	})
	reply, known, err := c.Announce(within(t), Presence{Version: "1", Running: []string{"1"}})
	if err != nil || !known || reply.String("session") != c.Session() || len(c.Session()) != 32 {
		t.Errorf("%v %v %v", reply, known, err)
	}
	if load := m.Seen("_presence")[1]; load.String("role") != "minion" || len(load.List("running")) != 1 {
		t.Errorf("load %v", load)
	}
}

// A mom master answers with the empty string while it cannot accept an announcement. That does
// not mean that the command is unknown, so the announcement is repeated.
func TestAnnounce_ThatFails(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{Handle: map[string]channeltest.Handler{
		"_presence": func(string, *wire.Map) any { return "" },
	}})
	c := signedIn(t, testConfig(t, m))
	if _, known, err := c.Announce(within(t), Presence{Version: "1"}); !errors.Is(err, ErrFailed) || known {
		t.Errorf("known %v, error %v", known, err)
	}
}

func TestPing(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{})
	c := open(t, testConfig(t, m))
	if err := c.Ping(within(t)); err != nil {
		t.Error(err)
	}
	m.Down()
	cfg := testConfig(t, m)
	cfg.AuthTimeout = 50 * time.Millisecond
	if err := open(t, cfg).Ping(within(t)); !errors.Is(err, ErrNoAnswer) {
		t.Errorf("got %v", err)
	}
}

// Python masters of version 2 fail on a request for environments that contains an id.
func TestRequest_BareCommands(t *testing.T) {
	for version, fields := range map[int]int{2: 2, 3: 5} {
		m := channeltest.Start(t, channeltest.Rules{Version: version})
		c := signedIn(t, testConfig(t, m))
		if _, err := c.Request(within(t), wire.NewMap("cmd", "_file_envs", "id", "us")); err != nil {
			t.Fatal(err)
		}
		if seen := m.Seen("_file_envs")[0]; seen.Len() != fields || !seen.Has("nonce") || seen.Has("id") != (version == 3) {
			t.Errorf("version %d: %v", version, seen)
		}
	}
}
