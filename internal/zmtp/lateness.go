package zmtp

import (
	"sync/atomic"
	"time"
)

// lateUnit is the lateness at which this process doubles its patience with peers. A process
// with enough CPU time is scheduled within some milliseconds.
const lateUnit = 25 * time.Millisecond

// lateness measures how late this process is scheduled. If it is late, its peers may be late
// too, since they may be on the same machine, or it may not have read their bytes yet. So peers
// get more time while that lasts. The zero value is not late.
type lateness struct{ by atomic.Int64 }

// note records how late a timer fired. Each call forgets a little of the earlier values.
func (l *lateness) note(by time.Duration) {
	for {
		old := l.by.Load()
		if l.by.CompareAndSwap(old, max(int64(by), old*7/8)) {
			return
		}
	}
}

func (l *lateness) get() time.Duration { return time.Duration(l.by.Load()) }

// patient returns the factor by which a peer may be silent longer than usual, at most
// [mostPatience].
func (l *lateness) patient() float64 {
	return min(1+float64(l.get())/float64(lateUnit), mostPatience)
}

// excused returns the part of the elapsed time that does not count against a silent peer.
func (l *lateness) excused(passed time.Duration) time.Duration {
	return passed - time.Duration(float64(passed)/l.patient())
}
