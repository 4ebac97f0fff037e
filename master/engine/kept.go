package engine

import "github.com/momtree/mom/returners"

// Keeps tells that an earlier life has stored a publication of a job ([Publication.Kept]).
// One that is queued does not go with the end of its job.
func (e *Engine) Keeps(p returners.Part, queued bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.keep(p, queued)
}

// keep is Keeps. e.mu is held.
func (e *Engine) keep(p returners.Part, queued bool) {
	if e.kept[p.JID] == nil {
		e.kept[p.JID] = map[int]bool{}
	}
	e.kept[p.JID][p.N] = queued
}

// keeps tells whether a publication is kept. e.mu is held.
func (e *Engine) keeps(p returners.Part) bool {
	_, kept := e.kept[p.JID][p.N]
	return kept
}

// Published tells that a publication of a job was handed to the subscribers: a restart
// does not do that again.
func (e *Engine) Published(p returners.Part) {
	e.change(func() {
		if e.keeps(p) {
			e.words.put(record{published: p})
		}
	})
}

// Unkeep tells that publications need not be kept any more, although their jobs may go on.
// What was found of them before is stored before, or with it: else a start in between would
// find neither the publication nor why those it was for do not answer.
func (e *Engine) Unkeep(parts ...returners.Part) {
	for _, p := range parts {
		e.ledger.unqueue(p.JID)
	}
	e.change(func() {
		//mutant:engine-reasons-before-unkept
		e.digest()
		for _, p := range parts {
			if e.keeps(p) {
				e.unkeep(p)
				e.words.put(record{notes: p.Dropped()})
			}
		}
	})
}

// unkeep forgets that a publication is kept. e.mu is held.
func (e *Engine) unkeep(p returners.Part) {
	if delete(e.kept[p.JID], p.N); len(e.kept[p.JID]) == 0 {
		delete(e.kept, p.JID)
	}
}

// endsWith lists the publications of a job that go with its end. e.mu is held.
func (e *Engine) endsWith(jid string) (parts []returners.Part) {
	for _, n := range sorted(e.kept[jid]) {
		//mutant:engine-queued-stay
		if !e.kept[jid][n] {
			parts = append(parts, returners.Part{JID: jid, N: n})
		}
	}
	return parts
}

func unkept(parts []returners.Part) (notes []returners.Note) {
	for _, p := range parts {
		notes = append(notes, p.Dropped()...)
	}
	return notes
}
