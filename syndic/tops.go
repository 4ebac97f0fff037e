package syndic

import (
	"slices"

	"github.com/momtree/mom/returners"
)

// Tops of one cluster share their jobs: one publishes a job, and the node reports to all.

// share records that the tops in ids requested a job that l published. again means that the job was
// known before: its stored returns are pending for those that are new.
func (p *parents) share(l *parent, jid string, ids []string, again bool) {
	changed := false
	for _, o := range p.links {
		if o == l || !p.isOneOf(o, ids) {
			continue
		}
		addr := o.ch.Addr()
		first, second := p.origins.Learn(addr, jid)
		if !first && !second {
			continue
		}
		changed = true
		if again {
			p.origins.AddPending(addr, jid)
			o.returns.BackfillSoon(jid)
		}
	}
	if changed {
		p.shift()
	}
}

// isOneOf reports whether a parent has one of these ids. One that has not connected since the start
// may have any.
func (p *parents) isOneOf(o *parent, ids []string) bool {
	id, known := p.parentID(o.name)
	return !known || slices.Contains(ids, id)
}

// asks returns the notes to store with a job that the parent at addr published: it and the tops that
// share the job have requested it.
func (p *parents) asks(addr, jid string) []returners.Note {
	notes := p.origins.Asks(addr, jid)
	for _, other := range p.origins.Of(jid, "") {
		if other != addr {
			notes = append(notes, p.origins.Asks(other, jid)...)
		}
	}
	return notes
}
