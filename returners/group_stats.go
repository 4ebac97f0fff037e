package returners

import (
	"time"

	"github.com/momtree/mom/internal/logs"
)

// GroupStats counts what a Group did since it was made.
type GroupStats struct {
	Commits     uint64 // transactions tried
	Failed      uint64 // transactions that failed
	Submissions uint64 // submissions made durable
	Rows        uint64 // rows of those, outbox rows not counted
	Largest     int    // rows of the largest commit
	Slowest     time.Duration
	Last        time.Duration // duration of the last commit
	Waiting     int           // submissions in the queue now
}

// Stats reads the counters.
func (g *Group) Stats() GroupStats {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.stats
	s.Waiting = len(g.queue)
	return s
}

func (g *Group) count(subs []*submission, err error, took time.Duration) {
	rows := 0
	for _, s := range subs {
		rows += s.rows
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	st := &g.stats
	st.Commits++
	st.Last, st.Slowest, st.Largest = took, max(st.Slowest, took), max(st.Largest, rows)
	if err != nil {
		st.Failed++
		// Whoever is refused comes again: a full disk fails several commits a second.
		if n := g.failures.Note(logs.Cause(err), g.cfg.Now()); n > 0 {
			g.cfg.Log.Error("commit failed, nothing acknowledged", "rows", rows, "submissions", len(subs), "count", n, "err", err)
		}
		return
	}
	st.Submissions += uint64(len(subs))
	st.Rows += uint64(rows)
}
