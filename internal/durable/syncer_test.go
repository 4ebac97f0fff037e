package durable

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A caller is covered by a sync that began after its call, and a hundred that call during a
// sync share the next.
func TestSyncsAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var written, covered, syncs atomic.Int64
		s := New(func() error {
			syncs.Add(1)
			has := written.Load()
			time.Sleep(time.Second)
			covered.Store(has)
			return nil
		})
		var wg sync.WaitGroup
		come := func() {
			mine := written.Add(1)
			wg.Go(func() {
				if err := s.Wait(); err != nil || covered.Load() < mine {
					t.Errorf("%d came back when %d were synced, %v", mine, covered.Load(), err)
				}
			})
		}
		come()
		time.Sleep(time.Second / 2)
		for range 100 {
			come()
		}
		wg.Wait()
		if n := syncs.Load(); n != 2 {
			t.Errorf("%d syncs, want 2", n)
		}
		come()
		wg.Wait()
		if n := syncs.Load(); n != 3 {
			t.Errorf("%d syncs, want 3", n)
		}
	})
}

// A file that its owner has closed was synced by the owner; any other error counts.
func TestHeld(t *testing.T) {
	var f *os.File
	s := Held(func() *os.File { return f })
	wait := func(when string, fine bool) {
		t.Helper()
		if err := s.Wait(); (err == nil) != fine {
			t.Errorf("%s: %v", when, err)
		}
	}
	wait("no file", true)
	var err error
	if f, err = os.Create(filepath.Join(t.TempDir(), "held")); err != nil {
		t.Fatal(err)
	}
	wait("open", true)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	wait("closed", true)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	f = w
	wait("what cannot be synced", false)
}

func TestErrorsAreReturned(t *testing.T) {
	broken := errors.New("broken")
	if err := New(func() error { return broken }).Wait(); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}
