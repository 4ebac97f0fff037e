package keys

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/momtree/mom/internal/crypt"
)

func openSessions(t testing.TB, s *Store, cachedir string, now func() time.Time) *Sessions {
	t.Helper()
	out, err := OpenSessions(s, SessionOptions{Cachedir: cachedir, Life: 24 * time.Hour, Now: now, Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = out.Close() })
	return out
}

func acceptedStore(t testing.TB, ids ...string) *Store {
	t.Helper()
	s := openStore(t, Options{})
	for _, id := range ids {
		putKey(t, s, Accepted, id, goldenText(t, "minion"))
		s.Refresh(id)
	}
	return s
}

func TestSessionKey(t *testing.T) {
	c := &clock{time.Now()}
	store := acceptedStore(t, "m1", "m2")
	dir := t.TempDir()
	s := openSessions(t, store, dir, c.now)

	if _, err := s.Current("m1"); !errors.Is(err, ErrUnknown) {
		t.Errorf("before the first sign-in: %v, want ErrUnknown", err)
	}
	key, err := s.Key("m1")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "sessions", "m1")
	info := mustStat(t, path)
	if b, err := os.ReadFile(path); err != nil || string(b) != key || info.Mode().Perm() != 0o600 {
		t.Errorf("file %q, %v, mode %o", b, err, info.Mode().Perm())
	}
	if again, err := s.Key("m1"); err != nil || again != key {
		t.Errorf("second sign-in gets another key: %v", err)
	}
	if other, err := s.Key("m2"); err != nil || other == key {
		t.Errorf("two minions share a key: %v", err)
	}
	cur, err := s.Current("m1")
	if err != nil || cur.Key() != key {
		t.Fatalf("Current: %v", err)
	}
	if again, _ := s.Current("m1"); again != cur {
		t.Error("the ready key is not kept")
	}

	// It outlives the master.
	next := openSessions(t, store, dir, c.now)
	if cur, err := next.Current("m1"); err != nil || cur.Key() != key {
		t.Errorf("after a restart: %v", err)
	}

	// Past its life there is none until the minion signs in.
	c.at = c.at.Add(25 * time.Hour)
	if _, err := s.Current("m1"); !errors.Is(err, ErrExpired) {
		t.Errorf("old key: %v, want ErrExpired", err)
	}
	renewed, err := s.Key("m1")
	if err != nil || renewed == key {
		t.Errorf("the old key is returned again: %v", err)
	}
	if cur, err := s.Current("m1"); err != nil || cur.Key() != renewed {
		t.Errorf("after renewal: %v", err)
	}
	fresh := openSessions(t, store, dir, c.now)
	if got, err := fresh.Key("m2"); err != nil || got == "" {
		t.Errorf("old file: %v", err)
	}
}

func TestSessionOfAcceptedOnly(t *testing.T) {
	store := acceptedStore(t, "m1")
	putKey(t, store, Pending, "m2", goldenText(t, "minion"))
	store.Refresh("m2")
	dir := t.TempDir()
	s := openSessions(t, store, dir, nil)
	for _, id := range []string{"m2", "nobody", "../m1", ""} {
		if _, err := s.Key(id); !errors.Is(err, ErrUnknown) {
			t.Errorf("Key(%q): %v, want ErrUnknown", id, err)
		}
		if _, err := s.Current(id); !errors.Is(err, ErrUnknown) {
			t.Errorf("Current(%q): %v, want ErrUnknown", id, err)
		}
	}
	old, err := s.Key("m1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Delete("m1"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Current("m1"); !errors.Is(err, ErrUnknown) {
		t.Errorf("after deletion: %v, want ErrUnknown", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "sessions", "m1")); !os.IsNotExist(err) {
		t.Errorf("the file stays: %v", err)
	}
	putKey(t, store, Accepted, "m1", goldenText(t, "minion2"))
	store.Refresh("m1")
	if key, err := s.Key("m1"); err != nil || key == old {
		t.Errorf("accepted again, the previous key is returned: %v", err)
	}
}

func TestSessionFileDamaged(t *testing.T) {
	store := acceptedStore(t, "m1")
	dir := t.TempDir()
	s := openSessions(t, store, dir, nil)
	for _, text := range []string{"", "short", "\x00\x00"} {
		if err := os.WriteFile(filepath.Join(dir, "sessions", "m1"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s := openSessions(t, store, dir, nil)
		if _, err := s.Current("m1"); !errors.Is(err, ErrUnknown) {
			t.Errorf("%q: %v, want ErrUnknown", text, err)
		}
		key, err := s.Key("m1")
		if _, bad := crypt.ParseKey(key); err != nil || bad != nil {
			t.Errorf("%q: key %q, %v", text, key, err)
		}
	}
	_ = s
}

func TestSessionsConcurrent(t *testing.T) {
	store := acceptedStore(t, "m1", "m2", "m3")
	s := openSessions(t, store, t.TempDir(), nil)
	var wg sync.WaitGroup
	keys := make([]string, 12)
	for i := range keys {
		wg.Go(func() {
			id := fmt.Sprintf("m%d", 1+i%3)
			var err error
			if keys[i], err = s.Key(id); err != nil {
				t.Error(err)
			}
			if c, err := s.Current(id); err != nil || c.Key() != keys[i] {
				t.Errorf("%s: %v", id, err)
			}
		})
	}
	wg.Wait()
	for i := range keys {
		if keys[i] != keys[i%3] {
			t.Errorf("sign-in %d got another key than the first of its minion", i)
		}
	}
}

func TestLiveSessionsAreBounded(t *testing.T) {
	store := openStore(t, Options{})
	store.folders[Accepted] = *manyFolder(liveSessions + 100)
	s := openSessions(t, store, t.TempDir(), nil)
	key := crypt.NewKeyString()
	for id := range store.folders[Accepted].ids {
		s.keys[id] = session{key, time.Now()}
		if _, err := s.Current(id); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.live) != liveSessions {
		t.Errorf("%d keys held ready, want %d", len(s.live), liveSessions)
	}
}

func BenchmarkSessionCurrent(b *testing.B) {
	store := openStore(b, Options{})
	store.folders[Accepted] = *manyFolder(100_000)
	s := openSessions(b, store, b.TempDir(), nil)
	ids := store.List(Accepted)
	for _, id := range ids {
		s.keys[id] = session{crypt.NewKeyString(), time.Now()}
	}
	frame := make([]byte, 0)
	b.Run("ready", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := s.Current(ids[0]); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("one of 100k and open", func(b *testing.B) {
		b.ReportAllocs()
		i := 0
		for b.Loop() {
			i++
			c, err := s.Current(ids[i%len(ids)])
			if err != nil {
				b.Fatal(err)
			}
			if frame, err = c.Seal("", make([]byte, 300)); err != nil {
				b.Fatal(err)
			}
		}
	})
	_ = frame
}
