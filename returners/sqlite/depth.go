package sqlite

import (
	"context"
	"database/sql"
	"sync"

	"github.com/momtree/mom/returners/internal/sqlread"
)

// weight is how much an outbox holds.
type weight struct{ rows, bytes int64 }

// depths weighs the outboxes in memory, since counting rows in the file costs
// as much as there are rows and this is asked with every return. The file is
// counted once, at Open; each commit adds its change.
type depths struct {
	mu   sync.Mutex
	dest map[string]weight
}

func (d *depths) load(ctx context.Context, db *sql.DB) error {
	d.dest = map[string]weight{}
	return sqlread.Each(ctx, db, func(scan sqlread.Scan) error {
		var dest string
		var w weight
		err := scan(&dest, &w.rows, &w.bytes)
		d.dest[dest] = w
		return err
	}, "SELECT dest, count(*), sum(size) FROM outbox GROUP BY dest")
}

func (d *depths) add(change map[string]weight) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for dest, c := range change {
		w := d.dest[dest]
		w.rows, w.bytes = w.rows+c.rows, w.bytes+c.bytes
		if d.dest[dest] = w; w.rows == 0 {
			delete(d.dest, dest)
		}
	}
}

func (d *depths) of(dest string) weight {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.dest[dest]
}

func (d *depths) rows() map[string]int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := make(map[string]int64, len(d.dest))
	for dest, w := range d.dest {
		out[dest] = w.rows
	}
	return out
}
