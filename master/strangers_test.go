package master

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/master/server"
)

// paper is a log for concurrent use.
type paper struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (p *paper) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.b.Write(b)
}

// with returns the lines that contain a text.
func (p *paper) with(text string) (lines []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for line := range strings.Lines(p.b.String()) {
		if strings.Contains(line, text) {
			lines = append(lines, line)
		}
	}
	return lines
}

// A minion of protocol 2 receives the reason for its refusal. The operator sees it in Salt's words,
// once a minute, with count, id, address and the option that would admit it.
func TestOldProtocolIsNamed(t *testing.T) {
	log := &paper{}
	r := newRig(t)
	r.opts.Log = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelWarn}))
	r.start()
	_, public := goldenPair(t, "minion")
	load, err := wire.Encode(wire.NewMap("cmd", "_auth", "id", "old-one", "nonce", "0123456789abcdef0123456789abcdef", "pub", public))
	if err != nil {
		t.Fatal(err)
	}
	body, err := wire.Envelope{Enc: "clear", Load: load, Version: 2}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for range 50 {
		if got, _ := decoded(t, r.ask(body)).(string); !strings.HasPrefix(got, "bad load") || !strings.Contains(got, "minimum_auth_version 3") {
			t.Fatalf("answered %q", got)
		}
	}
	body, err = wire.Envelope{Enc: "aes", Cipher: []byte("anything"), Version: 2}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if got := decoded(t, r.ask(body)); got != server.BadLoad {
		t.Errorf("an encrypted request is answered %v", got)
	}
	const words = "Rejected authentication attempt using protocol version 2"
	eventually(t, "the refusal logged", func() bool { return len(log.with(words)) > 0 })
	lines := log.with(words)
	for _, want := range []string{"level=WARN", "minimum required is 3", "ids=[old-one]", "peer=127.0.0.1", "minimum_auth_version: 2"} {
		if len(lines) != 1 || !strings.Contains(lines[0], want) {
			t.Errorf("%s is not in %s", want, lines)
		}
	}
	if n := r.Stats().TurnedAway["version/2"]; n != 51 {
		t.Errorf("%d counted", n)
	}
}

// Strangers that sign in endlessly leave at most the allowed number of pending keys (3 here), no
// event with an oversized key, and one log line for each cause.
func TestStrangersWhoSignIn(t *testing.T) {
	log := &paper{}
	r := newRig(t, func(c *config.Master) { c.MaxPendingKeys = 3 })
	r.opts.Log = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelWarn}))
	r.accept("m1", "minion")
	r.start()
	events := r.events()
	for i := range 40 {
		r.ask(signInBody(t, fmt.Sprintf("flood-%05d", i), "minion"))
		r.ask(signInBody(t, "m1", "minion2"))
	}
	if n := len(r.keys.List(keys.Pending)); n != 3 {
		t.Errorf("%d keys are pending", n)
	}
	for _, size := range []int{20 << 10, 900 << 10} {
		load, err := wire.Encode(wire.NewMap("cmd", "_auth", "id", "stranger", "nonce", "0123456789abcdef0123456789abcdef", "pub", strings.Repeat("A", size)))
		if err != nil {
			t.Fatal(err)
		}
		body, err := wire.Envelope{Enc: "clear", Load: load, Version: 3}.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if got := decoded(t, r.ask(body)); got != server.BadLoad {
			t.Errorf("a key of %d bytes is answered %v", size, got)
		}
	}
	const other, full, bad = "another key is known", "new keys not kept", "unreadable request"
	for _, what := range []string{other, full, bad} {
		eventually(t, what, func() bool { return len(log.with(what)) > 0 })
		if lines := log.with(what); len(lines) != 1 {
			t.Errorf("%d lines: %s", len(lines), lines)
		}
	}
	if lines := log.with("level="); len(lines) > 4 {
		t.Errorf("%d lines: %s", len(lines), lines)
	}
	if n := r.Stats().TurnedAway; n["sign-in/other-key"] != 40 || n["sign-in/pending"] != 37 || n["sign-in/bad"] != 2 {
		t.Errorf("counted %v", n)
	}
	for range 3 + 40 { // the stored ones, and those of m1, which Salt reports
		if e := events.take("salt/auth"); len(e.String("pub")) > 2000 || e.String("id") == "stranger" {
			t.Fatalf("an event with %d bytes of key of %s", len(e.String("pub")), e.String("id"))
		}
	}
}

// A stranger's nonce is signed and a minion's is echoed, so only Salt's form of a nonce is
// accepted. With any other form, nothing is signed or stored. One of them would turn the answer
// into a frame of a publication.
func TestNonces_OneForm(t *testing.T) {
	r := newRig(t)
	r.start()
	r.minion("m1", "minion", "minion")
	_, public := goldenPair(t, "minion2")
	good := wire.NewNonce()
	for name, c := range map[string]struct {
		nonce any
		taken bool
	}{
		"as Salt sends it": {good, true}, "bytes of it": {[]byte(good), true},
		"a frame": {strings.Repeat("\x00\xff", 96), false}, "longer": {good + "0", false}, "shorter": {good[1:], false},
		"capitals": {strings.ToUpper(good[:31] + "a"), false}, "not hex": {good[:31] + "g", false}, "empty": {"", false},
		"a list": {[]any{good}, false}, "a number": {1, false},
	} {
		for _, version := range []int{2, 3} {
			if version < r.cfg.MinimumAuthVersion {
				continue
			}
			id := fmt.Sprintf("stranger-%d-%s", version, strings.ReplaceAll(name, " ", "-"))
			load, err := wire.Encode(wire.NewMap("cmd", "_auth", "id", id, "nonce", c.nonce, "pub", public))
			if err != nil {
				t.Fatal(err)
			}
			body, err := wire.Envelope{Enc: "clear", Load: load, Version: version}.Encode()
			if err != nil {
				t.Fatal(err)
			}
			got, err := wire.DecodeMap(r.ask(body))
			if signed := err == nil && len(got.Bytes("sig")) > 0; signed != c.taken || r.keys.Has(keys.Pending, id) != c.taken {
				t.Errorf("%s, version %d: signed %v, pending %v", name, version, signed, r.keys.Has(keys.Pending, id))
			}
		}
		load := wire.NewMap("cmd", "ping", "id", "m1", "nonce", c.nonce, "ts", time.Now().Unix(), "tok", tokOf(t, "minion"))
		if got := decoded(t, r.ask(r.forge("m1", load, nil))); (got != server.BadLoad) != c.taken {
			t.Errorf("%s: a sealed request is answered %v", name, got)
		}
	}
}
