package daemon

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	// heapSlack is how many bytes a small heap may grow before garbage collection.
	heapSlack = 128 << 20
	// In percent of the heap: Go's default, and the slowest pace.
	ownPace, slowestPace = 100, 400
)

// EaseCollector makes the garbage collector run less often while the heap is small: the heap
// may grow by 128 MiB, at most to five times its live size, before it is collected. A larger
// heap may grow to twice its live size, as is Go's default. On a node with 2,500 minions that
// saves a tenth of the CPU time for some 60 MiB. It does nothing if GOGC is set.
func EaseCollector() {
	if os.Getenv("GOGC") == "" {
		(&collector{set: debug.SetGCPercent}).follow()
	}
}

// collector adjusts the pace of the garbage collector after each collection.
type collector struct {
	set  func(percent int) int
	pace int // the current setting; 0 means unset
}

// follow sets the pace, and again after the next collection, which runs the finalizer of mark.
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

// mark is garbage from the start.
type mark struct{ collector *collector }

// pace returns by how many percent of its live size the heap may grow.
func pace(live uint64) int {
	if live == 0 {
		return slowestPace
	}
	return min(max(int(heapSlack*100/live), ownPace), slowestPace)
}
