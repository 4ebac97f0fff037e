package engine

import "github.com/momtree/mom/returners"

// KeepPublication records that a previous run stored a publication ([Publication.Kept]). A queued
// publication outlives its job.
func (e *Engine) KeepPublication(p returners.Part, queued bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.keepPublication(p, queued)
}

// keepPublication is KeepPublication. The caller holds e.mu.
func (e *Engine) keepPublication(p returners.Part, queued bool) {
	if e.kept[p.JID] == nil {
		e.kept[p.JID] = map[int]bool{}
	}
	e.kept[p.JID][p.N] = queued
}

// isKept reports whether a publication is stored. The caller holds e.mu.
func (e *Engine) isKept(p returners.Part) bool {
	_, kept := e.kept[p.JID][p.N]
	return kept
}

// Published reports that a publication was sent. A restart does not send it again.
func (e *Engine) Published(p returners.Part) {
	e.change(func() {
		if e.isKept(p) {
			e.records.put(record{published: p})
		}
	})
}

// DropPublications removes stored publications although their jobs may go on. What the ledger
// found about their minions is stored first: otherwise a restart would find neither the
// publication nor the reason why they do not answer.
func (e *Engine) DropPublications(parts ...returners.Part) {
	for _, p := range parts {
		e.ledger.unqueue(p.JID)
	}
	e.change(func() {
		//mutant:engine-reasons-before-unkept
		e.drainFindings()
		for _, p := range parts {
			if e.isKept(p) {
				e.dropPublication(p)
				e.records.put(record{notes: p.Dropped()})
			}
		}
	})
}

// dropPublication removes a publication from e.kept. The caller holds e.mu.
func (e *Engine) dropPublication(p returners.Part) {
	if delete(e.kept[p.JID], p.N); len(e.kept[p.JID]) == 0 {
		delete(e.kept, p.JID)
	}
}

// endsWith returns the publications removed with the end of their job. The caller holds e.mu.
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
