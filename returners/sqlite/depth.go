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

// weight is the size of an outbox.
type weight struct{ rows, bytes int64 }

// destination is the in-memory state of one outbox: its size and its newest rows, so that a
// forwarder without a backlog does not read the file.
type destination struct {
	weight
	tail  []Item // every row after the number after, in order
	after int64  // math.MaxInt64: no row is known until the next commit
	held  int    // payload bytes of tail
}

// whole reports whether the tail holds every pending row.
func (o *destination) whole() bool { return o.rows == int64(len(o.tail)) }

// add appends a newly committed row and drops the oldest ones beyond the bounds.
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

// changes are the changes of one transaction to the outboxes.
type changes struct {
	by    map[string]weight
	added []Item             // in the order of their numbers
	gone  map[string][]int64 // removed rows, by destination
	other map[string]bool    // destinations with changes missing from the above
}

// depths holds the outboxes in memory: their sizes are read with every return, and counting
// rows in the file takes time proportional to them. The file is counted at Open, and again
// after a commit with an unknown outcome. Each commit adds its changes.
type depths struct {
	rows, bytes int // bounds of a tail

	mu    sync.Mutex
	dest  map[string]*destination
	doubt bool
}

// load counts the rows in the file.
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

// uncertain makes settle count the file before the next write.
func (d *depths) uncertain() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.doubt = true
}

// settle counts the file again if the sizes are uncertain.
func (d *depths) settle(ctx context.Context, tx *sql.Tx) error {
	d.mu.Lock()
	doubt := d.doubt
	d.mu.Unlock()
	if !doubt {
		return nil
	}
	return d.load(ctx, tx)
}

// add applies the changes of a transaction. The caller holds the write lock.
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

// read returns rows of dest after the given number, as OutboxRead does. ok is false if they
// have to be read from the file.
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
