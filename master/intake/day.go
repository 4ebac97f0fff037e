package intake

import (
	"sync"
	"time"
)

const (
	// step and steps define the window: twelve full steps and the current one.
	step  = 2 * time.Hour
	steps = 13
	// unit is the granularity of amounts, in bytes.
	unit = 256
)

// Overhead is added to the size of every entry, in bytes.
const Overhead = 512

// DailyQuota bounds the bytes per id and 24 hours. The window moves in steps of two hours and
// covers up to 26. It is kept in memory; a restart clears it. Each active id takes about 100
// bytes. It is safe for concurrent use.
type DailyQuota struct {
	limit int64 // in units; 0: unlimited

	mu    sync.Mutex
	ids   map[string]*quotaWindow
	swept int64 // step of the last sweep
}

// quotaWindow holds the amounts of one id, in units.
type quotaWindow struct {
	at    int64 // the latest step
	sum   int64
	parts [steps]uint32
}

// NewDailyQuota returns a quota of limit bytes per id and day; 0 means unlimited.
func NewDailyQuota(limit int64) *DailyQuota {
	return &DailyQuota{limit: (max(limit, 0) + unit - 1) / unit, ids: map[string]*quotaWindow{}}
}

func units(bytes int) int64 { return (int64(bytes) + Overhead + unit - 1) / unit }

// Take adds bytes to the window of id. It returns false, and adds nothing, if they exceed the
// limit.
func (d *DailyQuota) Take(id string, bytes int, now time.Time) bool {
	if d.limit == 0 {
		return true
	}
	n, at := units(bytes), now.Unix()/int64(step/time.Second)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sweep(at)
	w := d.ids[id]
	if w == nil {
		w = &quotaWindow{at: at}
		d.ids[id] = w
	}
	w.advance(at)
	if w.sum+n > d.limit {
		return false
	}
	w.parts[w.at%steps] += uint32(n)
	w.sum += n
	return true
}

// Refund removes bytes that were counted and not used.
func (d *DailyQuota) Refund(id string, bytes int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if w := d.ids[id]; w != nil {
		n := min(units(bytes), int64(w.parts[w.at%steps]))
		w.parts[w.at%steps] -= uint32(n)
		w.sum -= n
	}
}

// advance moves the window to a step. It ignores a clock that was set back.
func (w *quotaWindow) advance(at int64) {
	for i := w.at + 1; i <= min(at, w.at+steps); i++ {
		w.sum -= int64(w.parts[i%steps])
		w.parts[i%steps] = 0
	}
	w.at = max(w.at, at)
}

// sweep removes ids with an empty window. The caller holds d.mu.
func (d *DailyQuota) sweep(at int64) {
	if at == d.swept {
		return
	}
	d.swept = at
	for id, w := range d.ids {
		if w.advance(at); w.sum == 0 {
			delete(d.ids, id)
		}
	}
}
