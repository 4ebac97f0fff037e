//go:build linux

package chaos

import (
	"strings"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/wire"
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
func (t *top) hear(e bus.Event, now time.Time) {
	parts := strings.Split(e.Tag, "/")
	if len(parts) < 4 || parts[0] != "salt" || parts[1] != "job" || e.Copy {
		return
	}
	switch jid := parts[2]; parts[3] {
	case "ret":
		t.mu.Lock()
		defer t.mu.Unlock()
		t.of(jid).returned(parts[len(parts)-1], now)
	case "missing", "complete":
		d, err := wire.DecodeMap(e.Data)
		if err != nil || e.Origin != "" || d.Has("from") {
			return
		}
		t.mu.Lock()
		defer t.mu.Unlock()
		h, gone := t.of(jid), namings(d.Map("missing"), now)
		h.missed(gone)
		if parts[3] == "complete" {
			h.closed(now, ended{
				expected: int(d.Int("expected")), returned: int(d.Int("returned")), failed: int(d.Int("failed")),
				missing: gone, nodes: texts(d.Map("nodes")),
			})
		}
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

func namings(m *wire.Map, now time.Time) map[string]naming {
	out := map[string]naming{}
	if m == nil {
		return out
	}
	for _, k := range m.Keys() {
		id, _ := k.(string)
		if v := m.Map(id); v != nil {
			out[id] = naming{now, v.String("reason"), v.String("path")}
		}
	}
	return out
}

func texts(m *wire.Map) map[string]string {
	out := map[string]string{}
	if m == nil {
		return out
	}
	for _, k := range m.Keys() {
		id, _ := k.(string)
		out[id] = m.String(id)
	}
	return out
}
