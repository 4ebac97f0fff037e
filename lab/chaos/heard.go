//go:build linux

package chaos

import (
	"time"

	"github.com/momtree/mom/client"
)

// heard is what the events of a job have told, as the command salt would show it.
type heard struct {
	rets  map[string]int       // minion → how often its return was told
	first map[string]time.Time // minion → when it was told first
	// named are the minions that were called missing before their return had come
	// and before the job was complete.
	named map[string]naming
	ended time.Time // when the first of ends was told; zero: never
	ends  []ended
}

// naming is the word that a minion will not answer.
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

// hear takes an event of the bus. Those of nodes below are not this master's word,
// and no command shows them.
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

// missed notes who is called missing while the command still waits for them.
func (h *heard) missed(gone map[string]naming) {
	if !h.ended.IsZero() {
		return
	}
	for id, n := range gone {
		if _, before := h.named[id]; !before && h.rets[id] == 0 {
			h.named[id] = n
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
