package sim

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// SQL models the database that all tops write returns to behind their own store, as with
// master_job_cache: mysql and a Galera cluster. The zero value means none.
type SQL struct {
	// Commit is the latency of one commit, with the round trip to the other servers.
	Commit Dist
	// Rows is how many rows a second the database stores, of all tops together.
	Rows int64
}

func (s SQL) any() bool { return s.Rows > 0 }

func (s SQL) validate() error {
	if s.Rows < 0 || s.Rows == 0 && s.Commit != (Dist{}) {
		return fmt.Errorf("simulate: a database needs its rows per second, above 0")
	}
	return nil
}

// statementRows is how many rows a top writes with one commit: returners/mysql.
const statementRows = 500

// database is the state of the shared database.
type database struct {
	SQL
	w    *World
	rng  *rand.Rand
	free int64 // when it has stored what it has received
}

// sink is the queue of a top to the database. Rows that are written are counted again for each top:
// the database compares them.
type sink struct {
	waiting, most int64
	written       int64
	last          int64 // when the last row was stored
	busy          bool
}

// wrote queues rows that a top has stored.
func (d *database) wrote(n *node, rows int) {
	if d == nil || len(n.ups) > 0 || rows == 0 {
		return
	}
	n.sink.waiting += int64(rows)
	n.sink.most = max(n.sink.most, n.sink.waiting)
	d.drain(n)
}

// drain writes one batch after the other. The queue is on the top's disk: it survives a restart.
func (d *database) drain(n *node) {
	s := &n.sink
	if s.busy || s.waiting == 0 {
		return
	}
	s.busy = true
	rows := min(s.waiting, statementRows)
	d.free = max(d.free, d.w.now) + rows*int64(time.Second)/d.Rows
	d.w.after(d.free-d.w.now+d.Commit.draw(d.rng), func() {
		s.busy = false
		s.waiting -= rows
		s.written += rows
		s.last = d.w.now
		d.drain(n)
	})
}
