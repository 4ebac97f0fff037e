package files

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
)

// TestLane_Bounded: the bytes in flight never exceed the limit, and all requests are served.
func TestLane_Bounded(t *testing.T) {
	l := newLane(1000)
	hasty, cancel := context.WithCancel(t.Context())
	cancel()
	release, err := l.take(t.Context(), "first", 600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.take(hasty, "second", 600); err == nil {
		t.Error("1200 bytes are on their way, and 1000 may be")
	}
	release()
	var wg sync.WaitGroup
	for i := range 500 {
		wg.Go(func() {
			release, err := l.take(t.Context(), fmt.Sprint("m", i%50), int64(100+i))
			if err != nil {
				t.Error(err)
				return
			}
			release()
			release() // counts once
		})
	}
	wg.Wait()
	if depth, now, most := l.state(); depth != 0 || now != 0 || most > 1000 || most == 0 {
		t.Errorf("%d wait, %d bytes on their way, %d at most", depth, now, most)
	}
	if len(l.held) != 0 || len(l.waiting) != 0 || len(l.order) != 0 {
		t.Errorf("remembered: %v %v %v", l.held, l.waiting, l.order)
	}
}

// TestLane_Fair: a peer with a single request does not wait behind a peer with a hundred.
func TestLane_Fair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLane(100)
		release, err := l.take(t.Context(), "first", 100)
		if err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		var got []string
		ask := func(id string) {
			go func() {
				release, err := l.take(t.Context(), id, 100)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				got = append(got, id)
				mu.Unlock()
				release()
			}()
			synctest.Wait()
		}
		for range 20 {
			ask("greedy")
		}
		ask("modest")
		release()
		synctest.Wait()
		if at := slices.Index(got, "modest"); at > 1 || len(got) != 21 {
			t.Errorf("the modest peer came as number %d of %d", at, len(got))
		}
	})
}

// TestLane_PerPeer: a peer that does not receive its chunks holds four of them, and others
// continue; its waiting requests are limited; one that gives up is removed.
func TestLane_PerPeer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLane(1 << 20)
		var held []func()
		for range perAsker {
			release, err := l.take(t.Context(), "stuck", 10)
			if err != nil {
				t.Fatal(err)
			}
			held = append(held, release)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var busy, gone int
		var mu sync.Mutex
		for range waitingPerAsker + 7 {
			go func() {
				_, err := l.take(ctx, "stuck", 10)
				mu.Lock()
				defer mu.Unlock()
				switch {
				case errors.Is(err, ErrBusy):
					busy++
				case errors.Is(err, context.Canceled):
					gone++
				}
			}()
		}
		synctest.Wait()
		if release, err := l.take(t.Context(), "other", 10); err != nil {
			t.Error(err)
		} else {
			release()
		}
		cancel()
		synctest.Wait()
		if busy != 7 || gone != waitingPerAsker {
			t.Errorf("%d were turned away, %d gave up", busy, gone)
		}
		for _, release := range held {
			release()
		}
		if depth, now, _ := l.state(); depth != 0 || now != 0 || len(l.waiting) != 0 {
			t.Errorf("%d wait, %d bytes, %v", depth, now, l.waiting)
		}
	})
}
