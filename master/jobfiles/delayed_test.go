package jobfiles

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A growing job is written at once, then once a second with the newest version, and on Close.
func TestSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &Folder{}
		var mu sync.Mutex
		var got []string
		began := time.Now()
		for i := range 25 {
			f.Soon("a", func() {
				mu.Lock()
				defer mu.Unlock()
				got = append(got, fmt.Sprint(i, " ", time.Since(began)))
			})
			time.Sleep(99 * time.Millisecond)
		}
		synctest.Wait()
		if want := []string{"0 0s", "10 1s", "20 2s"}; !slices.Equal(got, want) {
			t.Errorf("written %q, want %q", got, want)
		}
		f.Close()
		f.Soon("a", func() { t.Error("written after Close") })
		if len(got) != 4 || got[3] != "24 2.475s" {
			t.Errorf("written %q", got)
		}
	})
}

// After a pause a job is written at once.
func TestSoon_AfterAPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &Folder{}
		n := 0
		for range 3 {
			f.Soon("a", func() { n++ })
			synctest.Wait()
			time.Sleep(3 * time.Second)
		}
		f.Close()
		if n != 3 || len(f.delayed.jobs) != 0 {
			t.Errorf("written %d times, %d wait", n, len(f.delayed.jobs))
		}
	})
}
