package daemon

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	// heapSlack is what a small heap may grow by before garbage is collected, in bytes.
	heapSlack = 128 << 20
	// Of a heap, in percent: Go's own pace, and the slowest.
	ownPace, slowestPace = 100, 400
)

// EaseCollector lets the garbage collector run less often while the heap is small: it
// may grow by 128 MiB, at most to five times what lives, before it is collected; a larger
// one to twice what lives, as is Go's default. At a node with 2,500 minions that takes a
// tenth less processor time for some 60 MiB. It does nothing where the environment says
// how often (GOGC).
func EaseCollector() {
	if os.Getenv("GOGC") == "" {
		(&collector{set: debug.SetGCPercent}).follow()
	}
}

// collector sets the pace of the garbage collector after each collection.
type collector struct {
	set  func(percent int) int
	pace int // that was set; 0: none
}

// follow sets the pace, and does so again after the next collection, in which the mark
// that nobody holds is found.
func (c *collector) follow() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	// Setting it stops all goroutines for a moment.
	if p := pace(live[0].Value.Uint64()); p*10 < c.pace*9 || p*10 > c.pace*11 {
		c.set(p)
		c.pace = p
	}
	runtime.SetFinalizer(&mark{collector: c}, func(m *mark) { m.collector.follow() })
}

// mark is garbage from its beginning.
type mark struct{ collector *collector }

// pace is by how many percent of what lives the heap may grow.
func pace(live uint64) int {
	if live == 0 {
		return slowestPace
	}
	return min(max(int(heapSlack*100/live), ownPace), slowestPace)
}
