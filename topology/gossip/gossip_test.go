package gossip

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/momtree/mom/internal/waiting"
)

var quiet = slog.New(slog.DiscardHandler)

// keyOf makes a key for each name once.
var keyOf = func() func(testing.TB, string) *rsa.PrivateKey {
	var mu sync.Mutex
	keys := map[string]*rsa.PrivateKey{}
	return func(tb testing.TB, name string) *rsa.PrivateKey {
		tb.Helper()
		mu.Lock()
		defer mu.Unlock()
		if keys[name] == nil {
			k, err := rsa.GenerateKey(rand.Reader, 2048)
			if err != nil {
				tb.Fatal(err)
			}
			keys[name] = k
		}
		return keys[name]
	}
}()

func key(b byte) string {
	raw := make([]byte, 32)
	raw[0] = b
	return base64.StdEncoding.EncodeToString(raw)
}

func write(t *testing.T, path string, lines ...string) {
	t.Helper()
	text := ""
	for _, l := range lines {
		text += l + "\n"
	}
	if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

type node struct {
	*Gossip
	dir  string
	mu   sync.Mutex
	self Record
	stop func()
}

func (n *node) set(change func(*Record)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	change(&n.self)
}

// start runs a node on a free port.
func start(t *testing.T, id, ring string, seeds ...*node) *node {
	t.Helper()
	return startAs(t, id, id, ring, seeds...)
}

// startAs runs a node under an id and the key of another one.
func startAs(t *testing.T, id, key, ring string, seeds ...*node) *node {
	t.Helper()
	n := &node{dir: t.TempDir(), self: Record{ID: id, Role: "syndic", Version: "1"}}
	o := Options{
		Mode: "local", Listen: "127.0.0.1:0", PinFile: filepath.Join(n.dir, "pins"), Key: keyOf(t, key), Log: quiet, every: 100 * time.Millisecond,
		Self: func() Record { n.mu.Lock(); defer n.mu.Unlock(); return n.self },
	}
	if ring != "" {
		o.Keyring = filepath.Join(n.dir, "ring")
		write(t, o.Keyring, ring)
	}
	for _, s := range seeds {
		o.Seeds = append(o.Seeds, s.Addr())
	}
	var err error
	if n.Gossip, err = New(o); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- n.Run(ctx) }()
	n.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(n.stop)
	return n
}

func (n *node) sees(id string, as func(Seen) bool) func() bool {
	return func() bool {
		for _, s := range n.Nodes() {
			if s.ID == id {
				return as(s)
			}
		}
		return false
	}
}

func alive(s Seen) bool { return s.Alive }

func TestNodesHearOfEachOther(t *testing.T) {
	a := start(t, "a", key(1))
	b := start(t, "b", key(1), a)
	c := start(t, "c", key(1), a)
	for _, n := range []*node{a, b, c} {
		for _, id := range []string{"a", "b", "c"} {
			waiting.Until(t, n.self.ID+" hears "+id, n.sees(id, func(s Seen) bool { return s.Alive && s.Trust == Pinned && s.Lives == 1 }))
		}
	}
	b.set(func(r *Record) { r.Minions, r.Parent = 500, "a" })
	waiting.Until(t, "a record of b", c.sees("b", func(s Seen) bool { return s.Minions == 500 && s.Parent == "a" }))
	b.stop()
	waiting.Until(t, "the end of b", c.sees("b", func(s Seen) bool { return !s.Alive && s.Minions == 500 }))
}

func TestStrangersAreNotHeard(t *testing.T) {
	a := start(t, "a", key(1))
	b := start(t, "b", key(1), a)
	waiting.Until(t, "b", a.sees("b", alive))
	// A node without the key of the ring, and one of the same id with another key.
	other := start(t, "x", key(2), a)
	startAs(t, "b", "thief", key(1), a)
	waiting.Until(t, "the strange key", a.sees("b", func(s Seen) bool { return s.Strange }))
	if a.sees("x", func(Seen) bool { return true })() || other.sees("a", func(Seen) bool { return true })() {
		t.Error("a node with another keyring is heard")
	}
	if !a.sees("b", func(s Seen) bool { return s.Epoch == b.epoch })() {
		t.Error("the record of b is not its own any more")
	}
}

func TestKeysRotate(t *testing.T) {
	a := start(t, "a", key(1))
	b := start(t, "b", key(1), a)
	waiting.Until(t, "b", a.sees("b", alive))
	for _, lines := range [][]string{{key(1), key(2)}, {key(2), key(1)}, {key(2)}} {
		for _, n := range []*node{a, b} {
			write(t, filepath.Join(n.dir, "ring"), lines...)
		}
		for _, n := range []*node{a, b} {
			waiting.Until(t, "the new keyring", func() bool {
				return len(n.ring.GetKeys()) == len(lines) && base64.StdEncoding.EncodeToString(n.ring.GetPrimaryKey()) == lines[0]
			})
		}
	}
	start(t, "c", key(2), a)
	waiting.Until(t, "c", b.sees("c", alive))
	if !a.sees("b", alive)() {
		t.Error("b was lost by the rotation")
	}
}

func TestVouchedKeyWins(t *testing.T) {
	right, err := Fingerprint(&keyOf(t, "right").PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	p, err := openPins(filepath.Join(t.TempDir(), "pins"))
	if err != nil {
		t.Fatal(err)
	}
	known := ""
	tab := newTable(func(string) string { return known }, p)
	offer := func(name string, epoch uint64) error {
		s, err := sign(Record{ID: "n", Epoch: epoch}, keyOf(t, name))
		if err != nil {
			t.Fatal(err)
		}
		_, err = tab.offer(s)
		return err
	}
	if err := offer("wrong", 9); err != nil {
		t.Errorf("the first key that is heard: %v", err)
	}
	if err := offer("right", 10); err == nil {
		t.Error("a second key is believed")
	}
	known = right
	if err := offer("right", 3); err != nil {
		t.Errorf("the vouched key: %v", err)
	}
	if err := offer("wrong", 11); err == nil {
		t.Error("another key than the vouched one is believed")
	}
	s, err := sign(Record{ID: "n", Epoch: 20}, keyOf(t, "right"))
	if err != nil {
		t.Fatal(err)
	}
	s.raw[1] ^= 1
	if _, err := tab.offer(s); err == nil {
		t.Error("an altered record is believed")
	}
	again, err := openPins(p.path)
	if err != nil || again.keys["n"] != right {
		t.Errorf("pinned %v, %v", again, err)
	}
}

func TestMetaFits(t *testing.T) {
	long := ""
	for range 25 {
		long += "0123456789"
	}
	s, err := sign(Record{ID: long, Parent: long, Addr: long}, keyOf(t, "a"))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(metaOf(s)); n != 33 {
		t.Errorf("%d bytes", n)
	}
	if _, err := sign(Record{ID: long + long}, keyOf(t, "a")); err == nil {
		t.Error("an id of 500 bytes is signed")
	}
}

func TestBadKeyrings(t *testing.T) {
	for name, text := range map[string]string{"empty": "# none\n", "short": "AAAA\n", "not base64": "?\n"} {
		if keys, err := parseKeyring([]byte(text)); err == nil {
			t.Errorf("%s: %d keys", name, len(keys))
		}
	}
	if _, err := New(Options{Mode: "fast", Listen: "127.0.0.1:0", Key: keyOf(t, "a"), PinFile: filepath.Join(t.TempDir(), "p"), Self: func() Record { return Record{ID: "a"} }}); err == nil {
		t.Error("an unknown mode is taken")
	}
}

// The mode without keys is heard by this machine alone, whatever is configured; another machine's
// packet never reaches it.
func TestLocalIsHeardHereAlone(t *testing.T) {
	for _, c := range []struct{ mode, host, want string }{
		{"local", "0.0.0.0", "127.0.0.1"},
		{"local", "", "127.0.0.1"},
		{"local", "::", "127.0.0.1"},
		{"local", "127.0.0.9", "127.0.0.9"},
		{"local", "10.0.0.1", ""},
		{"local", "node.example.org", ""},
		{"lan", "", "0.0.0.0"},
		{"lan", "10.0.0.1", "10.0.0.1"},
	} {
		got, err := bindHost(c.mode, c.host)
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s on %q: %q, %v", c.mode, c.host, got, err)
		}
	}
}

func TestCompare(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	long, just := now.Add(-time.Hour), now.Add(-time.Second)
	for _, c := range []struct {
		name  string
		seen  Seen
		edge  Edge
		kinds string
	}{
		{"agreed", Seen{Alive: true, Since: long, Lives: 1}, Edge{Up: true, Since: long}, "[]"},
		{"both dead", Seen{Since: long}, Edge{Since: long}, "[]"},
		{"partition of the edge", Seen{Alive: true, Since: long, Lives: 1}, Edge{Since: long}, "[partition]"},
		{"partition of the gossip", Seen{Since: long}, Edge{Up: true, Since: long}, "[partition]"},
		{"too soon", Seen{Since: just}, Edge{Up: true, Since: long}, "[]"},
		{"two of one id", Seen{Alive: true, Since: long, Lives: 2}, Edge{Up: true, Since: long}, "[duplicate-node]"},
		{"a strange key", Seen{Alive: true, Since: long, Lives: 1, Strange: true}, Edge{Up: true, Since: long}, "[degraded]"},
	} {
		c.seen.ID, c.edge.ID = "n", "n"
		kinds := []string{}
		for _, p := range Compare([]Seen{c.seen}, []Edge{c.edge, {ID: "never heard", Up: true}}, now) {
			kinds = append(kinds, string(p.Kind))
		}
		if got := fmt.Sprint(kinds); got != c.kinds {
			t.Errorf("%s: %s, want %s", c.name, got, c.kinds)
		}
	}
}

func FuzzTable(f *testing.F) {
	s, err := sign(Record{ID: "a", Version: "1", Load: 1.5, Epoch: 7}, keyOf(f, "a"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(s.append(nil))
	f.Add([]byte{0, 1, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		s, rest, err := next(b)
		if err != nil {
			return
		}
		if again := append(s.append(nil), rest...); string(again) != string(b) {
			t.Errorf("%x became %x", b, again)
		}
		if _, err := s.bytes(); err != nil {
			t.Error(err)
		}
	})
}
