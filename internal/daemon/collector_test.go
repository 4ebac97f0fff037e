package daemon

import (
	"runtime"
	"testing"
)

func TestPace(t *testing.T) {
	for _, c := range []struct {
		live uint64
		want int
	}{{0, 400}, {1 << 20, 400}, {32 << 20, 400}, {64 << 20, 200}, {100 << 20, 128}, {128 << 20, 100}, {4 << 30, 100}} {
		if got := pace(c.live); got != c.want {
			t.Errorf("%d MiB: %d %%, want %d", c.live>>20, got, c.want)
		}
	}
}

// The pace is set after each collection that finds a different heap size: here one that grows
// by 256 MiB and shrinks again.
func TestCollectorFollowsTheHeap(t *testing.T) {
	set := make(chan int, 64)
	c := &collector{set: func(p int) int { set <- p; return 0 }}
	c.follow()
	until := func(want int) {
		t.Helper()
		for {
			select {
			case p := <-set:
				if p == want {
					return
				}
			default:
				runtime.GC()
			}
		}
	}
	until(slowestPace)
	ballast := make([]byte, 256<<20)
	until(ownPace)
	runtime.KeepAlive(ballast) // from here on it is garbage
	until(slowestPace)
}
