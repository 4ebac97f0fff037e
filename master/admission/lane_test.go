package admission

import (
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A thousand stock minions sign in at once, hang up after 5 s without an answer and retry. One
// worker that serves 50 a second serves them all in little more than 20 s: it wastes no work on
// peers that have hung up or are about to.
func TestLane_Overload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n, each, patience = 1000, 20 * time.Millisecond, 5 * time.Second
		l := NewLane(1, 32768)
		begun, wasted := time.Now(), 0
		done := make(chan time.Duration, n)
		for i := range n {
			go func() {
				time.Sleep(time.Duration(i) * 4 * time.Millisecond) // they arrive within 4 s
				for {
					gone, answer := new(atomic.Bool), make(chan struct{})
					l.Submit(func() {
						if gone.Load() {
							return
						}
						time.Sleep(each)
						if gone.Load() {
							wasted++
							return
						}
						close(answer)
					}, func() { t.Error("full") }, gone.Load)
					select {
					case <-answer:
						done <- time.Since(begun)
						return
					case <-time.After(patience):
						gone.Store(true)
					}
				}
			}()
		}
		var all []time.Duration
		for range n {
			all = append(all, <-done)
		}
		if last := slices.Max(all); last > 30*time.Second || wasted > n/20 {
			t.Errorf("all served after %v, %d answers wasted", last, wasted)
		}
		l.Close()
	})
}

func there() bool { return false }

// Requests of closed connections do not stay in the lane behind the newest: it never holds more
// than one round of retries.
func TestLane_DropsClosedConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLane(1, 1000)
		most := 0
		for range 20 { // rounds of 100; 5 s suffice for 10
			var gone atomic.Bool
			for range 100 {
				l.Submit(func() {
					if !gone.Load() {
						time.Sleep(500 * time.Millisecond)
					}
				}, func() { t.Error("full") }, gone.Load)
			}
			time.Sleep(5 * time.Second)
			gone.Store(true)
			most = max(most, l.Depth())
		}
		if most > 200 {
			t.Errorf("%d wait, 100 of them connected", most)
		}
		l.Close()
	})
}

// A full lane refuses the newest request, or the oldest if that has waited for long.
func TestLane_Full(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLane(1, 2)
		hold := make(chan struct{})
		var turned, served []int
		submit := func(i int) {
			l.Submit(func() { <-hold; served = append(served, i) }, func() { turned = append(turned, i) }, there)
			synctest.Wait()
		}
		for i := range 4 {
			submit(i) // 0 runs, 1 and 2 wait
		}
		time.Sleep(stale + time.Second)
		submit(4)
		close(hold)
		l.Close()
		if !slices.Equal(turned, []int{3, 1}) || len(served) != 3 {
			t.Errorf("refused %v, served %v", turned, served)
		}
	})
}
