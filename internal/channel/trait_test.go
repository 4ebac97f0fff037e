package channel

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/wire"
)

// Once a master has signed a publication, signatures are required, even after a restart. An
// operator resets that by removing a file; a new key of the master starts anew. A wrong
// signature is never accepted. One master, several runs of one channel.
func TestOpenPublication_HeldToSignatures(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{})
	cfg := testConfig(t, m)
	seal := func(sign bool) []byte {
		m.Change(func(r *channeltest.Rules) { r.SignPublications = sign })
		return m.Seal(channeltest.Job("1", "*", "test.ping"))
	}
	opens := func(what string, c *Channel, body []byte, want error) {
		t.Helper()
		if _, err := c.OpenPublication(within(t), body); !errors.Is(err, want) || (want == nil) != (err == nil) {
			t.Errorf("%s: %v, want %v", what, err, want)
		}
	}
	c := signedIn(t, cfg)
	opens("never signed yet", c, seal(false), nil)
	env, err := wire.ParseEnvelope(seal(true))
	if err != nil {
		t.Fatal(err)
	}
	env.Sig[0] ^= 1
	wrong, err := env.Encode()
	if err != nil {
		t.Fatal(err)
	}
	opens("wrongly signed", c, wrong, ErrBadSignature)
	opens("unsigned after a wrong one", c, seal(false), nil)
	opens("signed", c, seal(true), nil)
	opens("then unsigned", c, seal(false), ErrBadSignature)
	again := signedIn(t, cfg)
	opens("unsigned in the next life", again, seal(false), ErrBadSignature)
	path := cfg.withDefaults().pinPath() + signsSuffix
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	for _, x := range []*Channel{c, again} {
		opens("after the operator's reset", x, seal(false), nil)
	}
	opens("signed", again, seal(true), nil)
	other := *again.current()
	other.masterSum = strings.Repeat("0a", 32)
	again.mu.Lock()
	again.creds = &other
	again.mu.Unlock()
	opens("unsigned under a new key of the master", again, seal(false), nil)
}

// Two masters that share a key and a pin are distinguished by their addresses. The file stays
// small. A trait that cannot be written is set at least for this run.
func TestTrait_ByAddress(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "pin"+signsSuffix)
	key := strings.Repeat("0b", 32)
	must := func(addr string) *trait {
		s, err := openTrait(path, addr)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for i := range 2 * maxTraits {
		if err := must(fmt.Sprint("h", i, ":1")).note(key); err != nil {
			t.Fatal(err)
		}
	}
	if must("h0:1").holds(key) || !must(fmt.Sprint("h", 2*maxTraits-1, ":1")).holds(key) || must("other:1").holds(key) {
		t.Error("who signs is mixed up")
	}
	if b, err := os.ReadFile(path); err != nil || len(parseTraits(b)) != maxTraits {
		t.Errorf("%d lines, %v", len(parseTraits(b)), err)
	}
	s := must("late:1")
	s.path = filepath.Join(dir, "nowhere", "pin")
	if err := s.note(key); err == nil || !s.holds(key) {
		t.Errorf("it cannot be written, and counts for nothing: %v", err)
	}
}

func FuzzParseTraits(f *testing.F) {
	f.Add([]byte(strings.Repeat("0a", 32) + " h:1\nx\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, line := range parseTraits(b) {
			if len(line) < 66 {
				t.Errorf("%q is taken", line)
			}
		}
	})
}

// Many minions that share the file receive the first publication at once: one of them writes.
// Size: 2,000.
func TestTraitWritesOnceForAll(t *testing.T) {
	path := filepath.Join(t.TempDir(), "master.pub"+signsSuffix)
	all := make([]*trait, 2000)
	for i := range all {
		s, err := openTrait(path, "127.0.0.1:4506")
		if err != nil {
			t.Fatal(err)
		}
		all[i] = s
	}
	key := strings.Repeat("ab", 32)
	var first os.FileInfo
	for i, s := range all {
		if err := s.note(key); err != nil {
			t.Fatal(err)
		}
		now, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = now
		}
		if !os.SameFile(first, now) {
			t.Fatalf("written again by number %d", i+1)
		}
		if !s.holds(key) {
			t.Fatalf("number %d does not hold the master to it", i+1)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if all[len(all)-1].holds(key) {
		t.Error("the file is gone, and the last holds the master to it still")
	}
}
