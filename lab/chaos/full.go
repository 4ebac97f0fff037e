//go:build linux

package chaos

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/momtree/mom/internal/timing"
)

// Where a node has a small outbox (outbox_max_rows), an outage of a few seconds fills it. The node
// then refuses returns and jobs until it has room, as the bound intends. So a full outbox counts as
// a fault of the node, as long as something explains it: what the outbox waits for was hit, or
// refuses rows itself. A full outbox without such a cause excuses nothing.

// Full is an outbox at its bound. Schedules do not draw it.
const Full = "full"

// Log lines of a node about its outbox (master/jobstore).
const (
	fullSaid  = "outbox full, refusing returns and jobs"
	roomSaid  = "outbox has room, accepting"
	fullAbove = `dest="the master above"` // otherwise the outbox of the database
	started   = "Starting the Salt "
)

// full is a span of time in which an outbox was at its bound.
type full struct {
	node     string
	sql      bool      // the outbox of the database, otherwise that of a parent
	from, to time.Time // to is zero while it lasts
}

// fullness tracks the log lines of a node about its outbox.
type fullness struct {
	node string
	at   int64 // offset read so far
	past []full
	now  [2]*full // for the database, and for a parent
}

// read reads what was written to the console since the last call.
func (f *fullness) read(console io.ReadSeeker, last, now time.Time) error {
	if _, err := console.Seek(f.at, io.SeekStart); err != nil {
		return err
	}
	r := bufio.NewReader(console)
	for {
		line, err := r.ReadString('\n')
		if err == io.EOF { // the rest of the line is not written yet
			return nil
		}
		if err != nil {
			return err
		}
		f.at += int64(len(line))
		f.hear(line, last, now)
	}
}

// hear handles a line written between last and now: the outbox may have been full since last, and
// until now.
func (f *fullness) hear(line string, last, now time.Time) {
	of := 0
	if strings.Contains(line, fullAbove) {
		of = 1
	}
	switch {
	case strings.Contains(line, started):
		f.end(0, now)
		f.end(1, now)
	case strings.Contains(line, roomSaid):
		f.end(of, now)
	case strings.Contains(line, fullSaid) && f.now[of] == nil:
		f.now[of] = &full{node: f.node, sql: of == 0, from: last}
	}
}

func (f *fullness) end(of int, now time.Time) {
	if x := f.now[of]; x != nil {
		x.to = now
		f.past, f.now[of] = append(f.past, *x), nil
	}
}

func (f *fullness) all() []full {
	out := append([]full(nil), f.past...)
	for _, x := range f.now {
		if x != nil {
			out = append(out, *x)
		}
	}
	return out
}

// watchOutboxes reads the nodes' log lines about their outboxes twice a second.
func (w *World) watchOutboxes(ctx context.Context) {
	for last := time.Now(); timing.Sleep(ctx, 500*time.Millisecond) == nil; {
		now := time.Now()
		for _, id := range nodes() {
			console, err := os.Open(filepath.Join(w.members[id].dir, "console"))
			if err != nil {
				w.note("read outbox state of %s: %v", id, err)
				continue
			}
			w.mu.Lock()
			err = w.boxes[id].read(console, last, now)
			w.mu.Unlock()
			_ = console.Close()
			if err != nil {
				w.note("read outbox state of %s: %v", id, err)
			}
		}
		last = now
	}
}

// explain returns the full outboxes that have a cause, as faults, from the top down. Each counts
// until calm after the end of its cause at most.
func explain(hits []hit, boxes []full) (out []hit) {
	for tier := 1; tier <= 3; tier++ {
		for _, b := range boxes {
			if shape[stationOf(b.node)].tier != tier {
				continue
			}
			for _, h := range append(out[:len(out):len(out)], hits...) {
				if !b.waitsFor(h.Fault) || !h.to.IsZero() && h.to.Add(calm).Before(b.from) || !b.to.IsZero() && h.from.After(b.to) {
					continue
				}
				to := b.to
				if most := h.to.Add(calm); !h.to.IsZero() && (to.IsZero() || to.After(most)) {
					to = most
				}
				out = append(out, hit{Fault{What: Full, Who: b.node}, b.from, to})
			}
		}
	}
	return out
}

// waitsFor reports whether a fault affects what the outbox waits for: the database, or a node of the
// tier above, or the connection to it.
func (b full) waitsFor(f Fault) bool {
	switch f.What {
	case Drain:
		return false
	case SQLKill, SQLStop, SQLPause:
		return b.sql
	case Kill, Restart, Pause, Disk, Clock, Full:
		s := stationOf(f.Who)
		return !b.sql && shape[s].tier == shape[stationOf(b.node)].tier-1
	}
	for _, e := range f.edges() {
		if e.from != stationOf(b.node) && e.to != stationOf(b.node) {
			continue
		}
		if far := e.from + e.to - stationOf(b.node); b.sql == (far == database) && (b.sql || shape[far].tier < shape[stationOf(b.node)].tier) {
			return true
		}
	}
	return false
}
