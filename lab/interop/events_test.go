//go:build saltpeer

package interop

import (
	"testing"
	"time"

	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/lab/peers"
)

// seen is an event of a master's bus.
type seen struct {
	tag  string
	data *wire.Map
	at   time.Time
}

// recorder keeps the events of a master, over its restarts.
type recorder struct{ *peers.Recorder }

// mark is the place in the record from which a later find looks.
func (r *recorder) mark() int { return r.Mark() }

// find gives the first event since mark whose whole tag matches.
func (r *recorder) find(since int, tag string) (seen, bool) {
	e, ok := r.Find(since, tag)
	return seen{e.Tag, e.Data, e.At}, ok
}

// await waits for an event.
func (r *recorder) await(t *testing.T, within time.Duration, since int, tag string) seen {
	t.Helper()
	var e seen
	waiting.Within(t, within, "event "+tag, func() (ok bool) {
		e, ok = r.find(since, tag)
		return ok
	})
	return e
}

// tags lists what came since mark.
func (r *recorder) tags(since int) []string { return r.Tags(since) }

// each shows the events since mark to f.
func (r *recorder) each(since int, f func(seen)) {
	r.Each(since, func(e peers.Event) { f(seen{e.Tag, e.Data, e.At}) })
}
