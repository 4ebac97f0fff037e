// Package quota bounds how many bytes each of many peers may bring in a day.
package intake

import (
	"sync"
	"time"
)

const (
	// step and steps make the quotaWindow: a day in steps, and the step that is under way.
	step  = 2 * time.Hour
	steps = 13
	// unit is what amounts are rounded up to, in bytes.
	unit = 256
)

// Overhead is what an entry costs beside its bytes, in bytes.
const Overhead = 512

// DailyQuota bounds the bytes that each id brings within 24 hours. The quotaWindow moves in steps of two
// hours, so that it holds for up to 26. It is kept in memory alone: a restart begins anew.
// A DailyQuota costs about 100 bytes for each id that brought something within the quotaWindow. It is
// safe for concurrent use.
type DailyQuota struct {
	limit int64 // in units; 0: no bound

	mu    sync.Mutex
	ids   map[string]*quotaWindow
	swept int64 // the step in which idle ids were dropped last
}

// quotaWindow is what one id brought, in units.
type quotaWindow struct {
	at    int64 // the latest step
	sum   int64
	parts [steps]uint32
}

// NewDailyQuota bounds each id to limit bytes a day; 0 is no bound.
func NewDailyQuota(limit int64) *DailyQuota {
	return &DailyQuota{limit: (max(limit, 0) + unit - 1) / unit, ids: map[string]*quotaWindow{}}
}

func units(bytes int) int64 { return (int64(bytes) + Overhead + unit - 1) / unit }

// Take counts bytes of an id, unless they would exceed its day.
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
	w.move(at)
	if w.sum+n > d.limit {
		return false
	}
	w.parts[w.at%steps] += uint32(n)
	w.sum += n
	return true
}

// Give takes back what was counted and not brought.
func (d *DailyQuota) Give(id string, bytes int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if w := d.ids[id]; w != nil {
		n := min(units(bytes), int64(w.parts[w.at%steps]))
		w.parts[w.at%steps] -= uint32(n)
		w.sum -= n
	}
}

// move lets the quotaWindow end at a step. A clock that was set back does not move it.
func (w *quotaWindow) move(at int64) {
	for i := w.at + 1; i <= min(at, w.at+steps); i++ {
		w.sum -= int64(w.parts[i%steps])
		w.parts[i%steps] = 0
	}
	w.at = max(w.at, at)
}

// sweep drops ids that brought nothing within the quotaWindow. The caller holds mu.
func (d *DailyQuota) sweep(at int64) {
	if at == d.swept {
		return
	}
	d.swept = at
	for id, w := range d.ids {
		if w.move(at); w.sum == 0 {
			delete(d.ids, id)
		}
	}
}
