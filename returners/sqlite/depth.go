package sqlite

import (
	"context"
	"database/sql"
	"math"
	"slices"
	"sort"
	"sync"

	"github.com/momtree/mom/returners/internal/sqlread"
)

// weight is how much an outbox holds.
type weight struct{ rows, bytes int64 }

// destination is the outbox of one destination as it is known in memory: how much it holds,
// and its newest rows, so that who hands on what was just committed needs no look into
// the file.
type destination struct {
	weight
	tail  []Item // every row behind after, in order
	after int64  // math.MaxInt64: no row is known, until the next that comes
	held  int    // payload bytes of tail
}

// whole tells whether the tail is all that is owed.
func (o *destination) whole() bool { return o.rows == int64(len(o.tail)) }

// add appends a row that was committed behind all others, and lets go the oldest beyond
// the bounds.
func (o *destination) add(it Item, rows, bytes int) {
	if o.after == math.MaxInt64 {
		o.after = it.Seq - 1
	}
	o.tail, o.held = append(o.tail, it), o.held+len(it.Payload)
	for len(o.tail) > rows || len(o.tail) > 1 && o.held > bytes {
		o.after, o.held = o.tail[0].Seq, o.held-len(o.tail[0].Payload)
		o.tail[0] = Item{}
		o.tail = o.tail[1:]
	}
}

// drop removes rows.
func (o *destination) drop(seqs []int64) {
	gone := make(map[int64]bool, len(seqs))
	for _, seq := range seqs {
		gone[seq] = true
	}
	o.tail = slices.DeleteFunc(o.tail, func(it Item) bool {
		if gone[it.Seq] {
			o.held -= len(it.Payload)
		}
		return gone[it.Seq]
	})
}

// changes are what one transaction does to the outboxes.
type changes struct {
	by    map[string]weight
	added []Item             // in the order of their numbers
	gone  map[string][]int64 // rows that left, by destination
	other map[string]bool    // what came there or left is not among those
}

// depths knows the outboxes in memory, since counting rows in the file costs as much as
// there are rows and this is asked with every return. The file is counted once, at Open,
// and again after a commit of which it is not known whether it was one; each commit adds
// its change.
type depths struct {
	rows, bytes int // bounds of a tail

	mu    sync.Mutex
	dest  map[string]*destination
	doubt bool
}

// load counts the file.
func (d *depths) load(ctx context.Context, db sqlread.Querier) error {
	dest := map[string]*destination{}
	err := sqlread.Each(ctx, db, func(scan sqlread.Scan) error {
		o, to := &destination{after: math.MaxInt64}, ""
		err := scan(&to, &o.rows, &o.bytes)
		dest[to] = o
		return err
	}, "SELECT dest, count(*), sum(size) FROM outbox GROUP BY dest")
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dest, d.doubt = dest, false
	return nil
}

// uncertain has the file counted again before it is next written.
func (d *depths) uncertain() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.doubt = true
}

// settle counts the file again if that is needed.
func (d *depths) settle(ctx context.Context, tx *sql.Tx) error {
	d.mu.Lock()
	doubt := d.doubt
	d.mu.Unlock()
	if !doubt {
		return nil
	}
	return d.load(ctx, tx)
}

// add enters what a transaction has done. The caller has the turn.
func (d *depths) add(c *changes) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for dest, by := range c.by {
		o := d.dest[dest]
		if o == nil {
			o = &destination{after: math.MaxInt64}
			d.dest[dest] = o
		}
		o.rows, o.bytes = o.rows+by.rows, o.bytes+by.bytes
	}
	for dest, seqs := range c.gone {
		if o := d.dest[dest]; o != nil {
			o.drop(seqs)
		}
	}
	for i := range c.added {
		if o := d.dest[c.added[i].Dest]; !c.other[c.added[i].Dest] {
			o.add(c.added[i], d.rows, d.bytes)
		}
	}
	for dest := range c.other {
		if o := d.dest[dest]; o != nil {
			o.tail, o.after, o.held = nil, math.MaxInt64, 0
		}
	}
	for dest := range c.by {
		if d.dest[dest].rows == 0 {
			delete(d.dest, dest)
		}
	}
}

// read gives rows of dest behind after as OutboxRead does; false: they have to be read
// from the file.
func (d *depths) read(dest string, after int64, limit, maxBytes int) ([]Item, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	o := d.dest[dest]
	switch {
	//mutant:outbox-tail-in-doubt
	case d.doubt:
		return nil, false
	case o == nil:
		return nil, true
	//mutant:outbox-tail-behind-memory
	case after < o.after && !o.whole():
		return nil, false
	}
	first := sort.Search(len(o.tail), func(i int) bool { return o.tail[i].Seq > after })
	size, n := 0, 0
	for _, it := range o.tail[first:] {
		if size += len(it.Payload); n == limit || n > 0 && maxBytes > 0 && size > maxBytes {
			break
		}
		n++
	}
	return slices.Clone(o.tail[first : first+n]), true
}

func (d *depths) of(dest string) weight {
	d.mu.Lock()
	defer d.mu.Unlock()
	if o := d.dest[dest]; o != nil {
		return o.weight
	}
	return weight{}
}

func (d *depths) all() map[string]int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := make(map[string]int64, len(d.dest))
	for dest, o := range d.dest {
		out[dest] = o.rows
	}
	return out
}
