//go:build linux

package chaos

import (
	"time"

	"github.com/momtree/mom/client"
)

// heard is the record of a job's events, as the command salt would show them.
type heard struct {
	rets  map[string]int       // minion → number of its return events
	first map[string]time.Time // minion → time of the first one
	// named are the minions that were reported missing before they returned and before the
	// job was complete.
	named map[string]naming
	// late: a minion was reported missing after an end, before it returned. A batch is a job that grows and ends
	// again.
	late  bool
	ended time.Time // time of the first of ends; zero: never
	ends  []ended
}

// naming is a report that a minion is missing.
type naming struct {
	at           time.Time
	reason, path string
}

// ended is an event salt/job/<jid>/complete.
type ended struct {
	expected, returned, failed int
	missing                    map[string]naming
	nodes                      map[string]string
}

// hear records an event of the bus. It skips events of nodes below, which no command
// shows.
func (t *top) hear(e client.Event, now time.Time) {
	jid, u, err := e.Update()
	if err != nil || jid == "" {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch h := t.of(jid); {
	case u.Return != nil:
		h.returned(u.Return.ID, now)
	case u.Missing != nil:
		h.missed(namings(u.Missing, now))
	case u.Complete != nil:
		gone := namings(u.Complete.Missing, now)
		h.missed(gone)
		h.closed(now, ended{
			expected: u.Complete.Expected, returned: u.Complete.Returned, failed: u.Complete.Failed, missing: gone, nodes: u.Complete.Nodes,
		})
	}
}

func newHeard() *heard {
	return &heard{rets: map[string]int{}, first: map[string]time.Time{}, named: map[string]naming{}}
}

func (h *heard) returned(id string, now time.Time) {
	if h.rets[id]++; h.rets[id] == 1 {
		h.first[id] = now
	}
}

// missed records minions reported missing while the command still waits for them.
func (h *heard) missed(gone map[string]naming) {
	for id, n := range gone {
		_, before := h.named[id]
		switch {
		case before || h.rets[id] > 0:
		case h.ended.IsZero():
			h.named[id] = n
		default:
			h.late = true
		}
	}
}

func (h *heard) closed(now time.Time, e ended) {
	if h.ended.IsZero() {
		h.ended = now
	}
	h.ends = append(h.ends, e)
}

func namings(gone map[string]client.Missing, now time.Time) map[string]naming {
	out := make(map[string]naming, len(gone))
	for id, m := range gone {
		out[id] = naming{now, m.Reason, m.Path}
	}
	return out
}
