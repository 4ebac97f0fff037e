package handover

import (
	"slices"
	"sync"
	"time"
)

const (
	// mostDebts is how many rows may stay in the outbox although one parent has
	// them, and owedFor for how long: a parent that never comes back must not
	// fill the outbox.
	mostDebts = 5000
	owedFor   = time.Hour
)

// debts notes which parents have had a row of the outbox that others are still
// owed. It is lost with a restart: then a row goes to somebody twice, and is
// counted once there.
type debts[W comparable] struct {
	mu   sync.Mutex
	rows map[int64]*debt[W]
}

type debt[W comparable] struct {
	had []W
	at  time.Time
}

// has tells whether a parent has had a row.
func (d *debts[W]) has(seq int64, w W) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	have := d.rows[seq]
	return have != nil && slices.Contains(have.had, w)
}

// taken tells whether any parent has had a row.
func (d *debts[W]) taken(seq int64) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.rows[seq] != nil
}

// note enters that a parent has had a row which another one is owed too. false:
// there are too many such rows, and this one is let go.
func (d *debts[W]) note(seq int64, w W, now time.Time) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	have := d.rows[seq]
	if have == nil {
		if len(d.rows) >= mostDebts {
			return false
		}
		have = &debt[W]{at: now}
		d.rows[seq] = have
	}
	have.had = append(have.had, w)
	return true
}

func (d *debts[W]) settled(seq int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.rows, seq)
}

// overdue takes out the rows that have been owed for too long, in their order.
func (d *debts[W]) overdue(now time.Time) []int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []int64
	for seq, have := range d.rows {
		if now.Sub(have.at) > owedFor {
			out = append(out, seq)
			delete(d.rows, seq)
		}
	}
	slices.Sort(out)
	return out
}

func (d *debts[W]) len() int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return int64(len(d.rows))
}
