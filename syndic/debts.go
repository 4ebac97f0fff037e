package syndic

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
type debts struct {
	mu   sync.Mutex
	rows map[int64]*debt
}

type debt struct {
	had []*link
	at  time.Time
}

func newDebts() *debts { return &debts{rows: map[int64]*debt{}} }

// has tells whether a parent has had a row.
func (d *debts) has(seq int64, l *link) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	have := d.rows[seq]
	return have != nil && slices.Contains(have.had, l)
}

// taken tells whether any parent has had a row.
func (d *debts) taken(seq int64) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.rows[seq] != nil
}

// note enters that a parent has had a row which another one is owed too. false:
// there are too many such rows, and this one is let go.
func (d *debts) note(seq int64, l *link) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	have := d.rows[seq]
	if have == nil {
		if len(d.rows) >= mostDebts {
			return false
		}
		have = &debt{at: time.Now()}
		d.rows[seq] = have
	}
	have.had = append(have.had, l)
	return true
}

func (d *debts) settled(seq int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.rows, seq)
}

// overdue takes out the rows that have been owed for too long.
func (d *debts) overdue(now time.Time) []int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []int64
	for seq, have := range d.rows {
		if now.Sub(have.at) > owedFor {
			out = append(out, seq)
			delete(d.rows, seq)
		}
	}
	return out
}

func (d *debts) len() int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return int64(len(d.rows))
}
