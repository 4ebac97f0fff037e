package sibling

import (
	"maps"
	"slices"
	"time"

	"github.com/momtree/mom/internal/wire"
)

const (
	// VisitMemory is how long a minion or node names a master that it has left. That master may have
	// returns of it, which it hands up for as long (syndic/returns).
	VisitMemory = time.Hour
	// MaxVisits bounds the masters that are named.
	MaxVisits = 8
	// AnnouncedVisits is the field of `_presence` that names them.
	AnnouncedVisits = "was"
)

// Visits are the masters that a minion or node has left, or is about to leave, by id, with the time. It
// is not safe for concurrent use.
type Visits map[string]time.Time

// Leave notes that the master id is left, and forgets those of longer ago than VisitMemory. It reports
// whether that is worth saving.
func (v Visits) Leave(id string, now time.Time) (changed bool) {
	if id == "" || now.Sub(v[id]).Abs() < time.Minute {
		return false
	}
	v[id] = now
	maps.DeleteFunc(v, func(_ string, at time.Time) bool { return now.Sub(at) > VisitMemory })
	for len(v) > MaxVisits {
		delete(v, slices.MinFunc(slices.Collect(maps.Keys(v)), func(a, b string) int { return v[a].Compare(v[b]) }))
	}
	return true
}

// Recent returns the masters left within VisitMemory, sorted.
func (v Visits) Recent(now time.Time) (ids []string) {
	for id, at := range v {
		if now.Sub(at) <= VisitMemory {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// Map returns the stored form: the Unix time by id.
func (v Visits) Map() *wire.Map {
	m := wire.NewMap()
	for _, id := range slices.Sorted(maps.Keys(v)) {
		m.Set(id, v[id].Unix())
	}
	return m
}

// ReadVisits decodes what [Visits.Map] encoded.
func ReadVisits(m *wire.Map) Visits {
	v := Visits{}
	for _, key := range m.Keys() {
		if id, ok := key.(string); ok && len(v) < MaxVisits {
			v[id] = time.Unix(m.Int(id), 0)
		}
	}
	return v
}
