package jobs

import "github.com/momtree/mom/returners"

// Keeps tells that an earlier life has stored the publication of a job ([Publication.Kept]).
// One that is queued does not go with the end of its job.
func (e *Engine) Keeps(jid string, queued bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.kept[jid] = queued
}

// Published tells that the publication of a job was handed to the subscribers: a restart
// does not do that again.
func (e *Engine) Published(jid string) {
	e.change(func() {
		if _, kept := e.kept[jid]; kept {
			e.words.put(entry{published: jid})
		}
	})
}

// Unkeep tells that publications need not be kept any more, although their jobs may go on.
// What was found of them before is stored before, or with it: else a start in between would
// find neither the publication nor why those it was for do not answer.
func (e *Engine) Unkeep(jids ...string) {
	for _, jid := range jids {
		e.ledger.Unqueue(jid)
	}
	e.change(func() {
		e.digest()
		for _, jid := range jids {
			if _, kept := e.kept[jid]; kept {
				delete(e.kept, jid)
				e.words.put(entry{notes: unkept(jid)})
			}
		}
	})
}

// endsWith tells whether the publication of a job goes with its end. e.mu is held.
func (e *Engine) endsWith(jid string) bool {
	queued, kept := e.kept[jid]
	return kept && !queued
}

func unkept(jid string) []returners.Note {
	return []returners.Note{
		{Kind: returners.NotePublication, JID: jid, Gone: true},
		{Kind: returners.NotePublication, JID: jid, Key: returners.KeyPublished, Gone: true},
	}
}
