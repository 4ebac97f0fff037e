package durable

import (
	"errors"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// Whoever waits is covered by a sync that began after it came, and a hundred who come
// while one runs share the next.
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

func TestErrorsAreTold(t *testing.T) {
	broken := errors.New("broken")
	if err := New(func() error { return broken }).Wait(); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	dir := t.TempDir()
	if err := Dir(dir).Wait(); err != nil {
		t.Error(err)
	}
	if err := File(filepath.Join(dir, "missing")); err == nil {
		t.Error("a file that is not there was synced")
	}
	if err := Dir(filepath.Join(dir, "missing")).Wait(); err == nil {
		t.Error("a folder that is not there was synced")
	}
}
