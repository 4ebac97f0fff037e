package zmtp

import (
	"sync/atomic"
	"time"
)

// lateUnit is the lateness at which this process is twice as patient with its peers:
// one that is not in need of a processor gets its turn within some milliseconds.
const lateUnit = 25 * time.Millisecond

// lateness is how late this process gets its turn. Where it is late, so may its peers
// be, who may be on the same machine, or it has not heard them yet: as long as that
// lasts, they have more time. The zero value is never late.
type lateness struct{ by atomic.Int64 }

// note takes by how much a timer was late. A little of what was noted before is forgotten
// each time.
func (l *lateness) note(by time.Duration) {
	for {
		old := l.by.Load()
		if l.by.CompareAndSwap(old, max(int64(by), old*7/8)) {
			return
		}
	}
}

func (l *lateness) get() time.Duration { return time.Duration(l.by.Load()) }

// patient is how many times longer than usual a peer may be silent now, at most
// [mostPatience].
func (l *lateness) patient() float64 {
	return min(1+float64(l.get())/float64(lateUnit), mostPatience)
}

// excused is how much of the time that has passed does not count against a silent peer.
func (l *lateness) excused(passed time.Duration) time.Duration {
	return passed - time.Duration(float64(passed)/l.patient())
}
