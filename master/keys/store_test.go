package keys

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/waiting"
)

func TestOpenReadsFolders(t *testing.T) {
	pki := t.TempDir()
	first := openStore(t, Options{PkiDir: pki})
	for st := range numStates {
		if info, err := os.Stat(filepath.Join(pki, st.Folder())); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v", st, info, err)
		}
	}
	text := goldenText(t, "minion")
	putKey(t, first, Accepted, "b", text)
	putKey(t, first, Accepted, "A", text)
	putKey(t, first, Accepted, ".key_cache", "x")
	putKey(t, first, Denied, "b", text)
	if err := os.Mkdir(first.path(Accepted, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(first.path(Accepted, "A"), first.path(Pending, "link")); err != nil {
		t.Fatal(err)
	}
	s := openStore(t, Options{PkiDir: pki})
	if diff := cmp.Diff([]string{"A", "b"}, s.List(Accepted)); diff != "" {
		t.Error(diff)
	}
	if !s.Has(Accepted, "b") || !s.Has(Denied, "b") || s.Has(Pending, "b") || s.Has(Rejected, "b") {
		t.Error("b is not in the states of its two keys")
	}
	if !s.Has(Pending, "link") || s.Accepted("folder") || s.Len(Accepted) != 2 {
		t.Errorf("pending %v, accepted %v", s.List(Pending), s.List(Accepted))
	}
	pub, err := s.PublicKey("b")
	if err != nil || crypt.CleanPEM(crypt.PublicPEM(pub)) != crypt.CleanPEM(text) {
		t.Errorf("PublicKey: %v", err)
	}
	if again, _ := s.PublicKey("b"); again != pub {
		t.Error("the parsed key is not kept")
	}
	if _, err := s.PublicKey("nobody"); !errors.Is(err, ErrUnknown) {
		t.Errorf("unknown id: %v, want ErrUnknown", err)
	}
	if _, err := Open(Options{}); err == nil {
		t.Error("a store without pki_dir was opened")
	}
}

// record collects changes for tests that wait for them.
type record struct {
	mu   sync.Mutex
	seen []Change
	was  []crypt.FingerSum // of each of them
}

func (r *record) add(c Change) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.was = append(r.was, c.Was)
	c.Was = crypt.FingerSum{}
	r.seen = append(r.seen, c)
}

func (r *record) has(want Change) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.seen {
		if c == want {
			return true
		}
	}
	return false
}

func (r *record) all() []Change {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Change(nil), r.seen...)
}

func run(t *testing.T, s *Store) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// follow checks that a store learns of everything another process does.
func follow(t *testing.T, s *Store) {
	t.Helper()
	var rec record
	defer s.Subscribe(rec.add)()
	run(t, s)
	other := openStore(t, Options{PkiDir: s.opts.PkiDir})
	one, two := goldenText(t, "minion"), goldenText(t, "minion2")

	putKey(t, other, Pending, "m1", one)
	waiting.Until(t, "pending key", func() bool { return s.Has(Pending, "m1") })

	other.Refresh("m1")
	if _, err := other.Accept("m1"); err != nil {
		t.Fatal(err)
	}
	waiting.Until(t, "accepted key", func() bool { return s.Accepted("m1") && !s.Has(Pending, "m1") })
	if !rec.has(Change{Key: Key{Pending, "m1"}, Op: Removed}) || !rec.has(Change{Key: Key{Accepted, "m1"}, Op: Added}) {
		t.Errorf("changes %v", rec.all())
	}
	if _, err := s.PublicKey("m1"); err != nil {
		t.Fatal(err)
	}

	putKey(t, other, Accepted, "m1", two) // another key, written in place
	waiting.Until(t, "replaced key", func() bool { return rec.has(Change{Key: Key{Accepted, "m1"}, Op: Replaced}) })
	pub, err := s.PublicKey("m1")
	if err != nil || crypt.CleanPEM(crypt.PublicPEM(pub)) != crypt.CleanPEM(two) {
		t.Errorf("the old key is still returned: %v", err)
	}

	if _, err := other.Delete("m1"); err != nil {
		t.Fatal(err)
	}
	waiting.Until(t, "deleted key", func() bool { return rec.has(Change{Key: Key{Accepted, "m1"}, Op: Removed}) })
	if s.Accepted("m1") {
		t.Error("a deleted key is still accepted")
	}
	was := crypt.SumKey(pub)
	waiting.Until(t, "the name of the deleted key", func() bool {
		rec.mu.Lock()
		defer rec.mu.Unlock()
		return slices.Contains(rec.was, was)
	})
}

func TestFollowsByWatching(t *testing.T) { follow(t, openStore(t, Options{})) }

// Without watches, as on a network file system, polling finds everything.
func TestFollowsByPolling(t *testing.T) {
	s := openStore(t, Options{PollInterval: 5 * time.Millisecond, ReconcileInterval: 10 * time.Millisecond})
	s.newWatcher = func() (*fsnotify.Watcher, error) { return nil, errors.New("no watches here") }
	follow(t, s)
}

func TestFolderMadeAnew(t *testing.T) {
	s := openStore(t, Options{PollInterval: 5 * time.Millisecond})
	putKey(t, s, Accepted, "old", goldenText(t, "minion"))
	s.Refresh("old")
	run(t, s)
	if err := os.RemoveAll(filepath.Join(s.opts.PkiDir, "minions")); err != nil {
		t.Fatal(err)
	}
	waiting.Until(t, "removed folder", func() bool { return !s.Accepted("old") })
	waiting.Until(t, "folder made anew", func() bool {
		_, err := os.Stat(filepath.Join(s.opts.PkiDir, "minions"))
		return err == nil
	})
	putKey(t, s, Accepted, "new", goldenText(t, "minion"))
	waiting.Until(t, "key in the new folder", func() bool { return s.Accepted("new") })
}

func TestReconcile(t *testing.T) {
	s := openStore(t, Options{})
	one, two := goldenText(t, "minion"), goldenText(t, "minion2")
	putKey(t, s, Accepted, "stays", one)
	putKey(t, s, Accepted, "goes", one)
	s.Refresh("stays")
	s.Refresh("goes")
	for _, id := range []string{"stays", "goes"} {
		if _, err := s.PublicKey(id); err != nil {
			t.Fatal(err)
		}
	}
	var rec record
	defer s.Subscribe(rec.add)()
	putKey(t, s, Accepted, "stays", two+"\n\n")
	putKey(t, s, Pending, "comes", one)
	if err := os.Remove(s.path(Accepted, "goes")); err != nil {
		t.Fatal(err)
	}
	if err := s.Reconcile(); err != nil {
		t.Fatal(err)
	}
	want := []Change{{Key: Key{Accepted, "goes"}, Op: Removed}, {Key: Key{Accepted, "stays"}, Op: Replaced}, {Key: Key{Pending, "comes"}, Op: Added}}
	if diff := cmp.Diff(want, rec.all()); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	for _, c := range rec.all() {
		if c.Revokes() != (c.State == Accepted) || c.Accepts() != (c.Op == Replaced) {
			t.Errorf("%+v: revokes %t, accepts %t", c, c.Revokes(), c.Accepts())
		}
	}
}

func TestUnreadableKeyIsReadAgain(t *testing.T) {
	s := openStore(t, Options{})
	putKey(t, s, Accepted, "m1", "half a k")
	s.Refresh("m1")
	if _, err := s.PublicKey("m1"); !errors.Is(err, crypt.ErrPEM) {
		t.Errorf("%v, want ErrPEM", err)
	}
	putKey(t, s, Accepted, "m1", goldenText(t, "minion")) // no refresh: nobody noticed yet
	if _, err := s.PublicKey("m1"); err != nil {
		t.Errorf("the finished file is not read: %v", err)
	}
	if err := os.Remove(s.path(Accepted, "m1")); err != nil {
		t.Fatal(err)
	}
	s2 := openStore(t, Options{PkiDir: s.opts.PkiDir})
	if s2.Accepted("m1") {
		t.Error("a removed key is listed")
	}
}

func TestStoreClosed(t *testing.T) {
	s := openStore(t, Options{})
	done := make(chan error, 1)
	started := make(chan struct{})
	s.newWatcher = func() (*fsnotify.Watcher, error) { close(started); return fsnotify.NewWatcher() }
	go func() { done <- s.Run(context.Background()) }()
	<-started
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if err := s.Run(context.Background()); !errors.Is(err, ErrClosed) {
		t.Errorf("Run after Close: %v, want ErrClosed", err)
	}
}

// Lookups, listings, sign-ins and removals at once: for the race detector.
func TestConcurrentUse(t *testing.T) {
	s := openStore(t, Options{})
	run(t, s)
	d := NewDecider(s, Policy{AutoAccept: true, Log: quiet})
	text := goldenText(t, "minion")
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := range 25 {
				id := fmt.Sprintf("m%d", (w+i)%5)
				if v := d.Decide(context.Background(), Auth{ID: id, Pub: text}); v.Err != nil && !errors.Is(v.Err, ErrUnknown) {
					t.Error(v.Err)
				}
				s.List(Accepted)
				if _, err := s.PublicKey(id); err != nil && !errors.Is(err, ErrUnknown) && !errors.Is(err, os.ErrNotExist) {
					t.Error(err)
				}
				if _, err := s.Delete(id); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if err := s.Reconcile(); err != nil {
		t.Fatal(err)
	}
	if got := files(t, s.opts.PkiDir); len(got) != s.Len(Accepted) {
		t.Errorf("index holds %v, disk %v", s.List(Accepted), got)
	}
}

func BenchmarkLookup100k(b *testing.B) {
	s := openStore(b, Options{})
	s.folders[Accepted] = *manyFolder(100_000)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if !s.Accepted("minion-050000.example.com") {
				b.Error("not found")
			}
		}
	})
}

// A key that was read and is deleted while its file is being written is named all the same:
// what stands on it has to go with it.
func TestDeletedWhileWritten(t *testing.T) {
	s := openStore(t, Options{})
	var rec record
	defer s.Subscribe(rec.add)()
	putKey(t, s, Accepted, "m1", goldenText(t, "minion"))
	s.Refresh("m1")
	pub, err := s.PublicKey("m1")
	if err != nil {
		t.Fatal(err)
	}
	s.entry(Accepted, "m1").content.Store(nil) // as a write beside the reading leaves it
	if _, err := s.Delete("m1"); err != nil {
		t.Fatal(err)
	}
	if was := crypt.SumKey(pub); !slices.Contains(rec.was, was) {
		t.Errorf("the deleted key is not named: %v", rec.was)
	}
}
