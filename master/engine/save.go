package engine

import (
	"errors"
	"maps"
	"slices"

	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/returners"
)

// Save is a batch to be committed. Tell [Engine.Saved] what became of it.
type Save struct {
	Batch returners.Batch

	job     *Publication // that begins
	returns []returners.Return
	words   []record
}

// NextSave gives the words to be stored next. false: a batch of them is under way, or
// nothing waits. Ask it again after Saved; after one that failed, when more has come, or
// after some seconds.
func (e *Engine) NextSave() (Save, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.digest()
	es := e.words.take()
	if es == nil {
		return Save{}, false
	}
	s := Save{words: es}
	s.Batch.Unsynced = true   // what is over alone: at worst a restart looks at it once more
	over := map[string]bool{} // jobs whose publications go with the ends in this batch
	for i := range es {
		en := &es[i]
		en.noted = false // it may have been in a batch that was refused
		s.Batch.Notes = append(s.Batch.Notes, en.notes...)
		//mutant:engine-no-mark-after-the-end
		if p := en.published; e.keeps(p) && !over[p.JID] {
			s.Batch.Notes = append(s.Batch.Notes, p.Published())
		}
		switch {
		case en.end == "":
			if en.x.JID != "" {
				s.Batch.Expectations, s.Batch.Unsynced = append(s.Batch.Expectations, en.x), false
			}
		case e.ends(*en):
			s.Batch.Notes = append(s.Batch.Notes, e.endOf(en)...)
			over[en.end] = len(e.endsWith(en.end)) > 0
			//mutant:late-reports-are-synced
			s.Batch.Unsynced = s.Batch.Unsynced && !en.late // whoever said it does not say it again
		}
	}
	return s, true
}

// ends tells whether an end goes into the batch: nothing that was said of the job is
// lost, and late word is of a job that is over.
func (e *Engine) ends(en record) bool {
	if _, open := e.open[en.end]; en.late && open {
		return false // its end is still to come
	}
	return e.words.lossOf(en) == nil
}

// endOf is what is noted of a job with its end: it is open no more, its publication need
// not be kept, and the masters above have to hear of it.
func (e *Engine) endOf(en *record) []returners.Note {
	en.noted = true
	out := []returners.Note{{Kind: returners.NoteOpen, JID: en.end, Gone: true}}
	//mutant:engine-publication-goes-with-the-end
	out = append(out, unkept(e.endsWith(en.end))...)
	if e.cfg.Parent {
		en.word = e.untold.next()
		out = append(out, returners.Note{Kind: returners.NoteUnreported, JID: en.end})
	}
	return out
}

// Saved tells what became of a Save: what is stored, or why it is not. What waits for it
// is in [Engine.Ready] then.
func (e *Engine) Saved(s Save, res returners.Result, err error) {
	switch {
	case len(s.words) > 0:
		e.change(func() { e.savedWords(s, err) })
	//mutant:engine-ack-before-commit
	case err != nil: // whoever brought it hears so
		if s.job != nil && s.job.held {
			e.ledger.letClose(s.job.Spec.JID)
		}
	case s.job != nil && s.job.Grows:
		e.grow(s.job)
	case s.job != nil:
		e.begin(s.job)
	default:
		e.arrived(s.returns, res.NewReturns)
	}
}

// savedWords is Saved for words. e.mu is held.
func (e *Engine) savedWords(s Save, err error) {
	if err != nil {
		last := e.words.last
		if !passing(err) {
			for _, en := range s.words {
				e.settled(en)
			}
		}
		e.unsettled()
		e.words.refused(err)
		e.effects = append(e.effects, Stored{UpTo: last, Err: err})
		return
	}
	last := s.words[len(s.words)-1].n
	for _, en := range s.words {
		if en.opens != "" {
			e.open[en.opens] = struct{}{}
			e.settled(en)
		}
		if en.end != "" {
			e.ended(en)
		}
	}
	e.words.stored()
	e.effects = append(e.effects, Stored{UpTo: last})
}

// ended tells of an end that was in a batch, and of one that could not be.
func (e *Engine) ended(en record) {
	why := e.words.lossOf(en)
	if !en.late {
		delete(e.words.lost, en.end)
	}
	if why != nil {
		e.effects = append(e.effects, Unended{JID: en.end, Err: why, Again: errors.Is(why, errTooMany)})
		return
	}
	//mutant:engine-one-end-a-batch
	if en.late && !en.noted { // its end is still to come, or was before it in this batch
		return
	}
	delete(e.open, en.end)
	for _, p := range e.endsWith(en.end) {
		e.unkeep(p)
	}
	e.effects = append(e.effects, Ended{en.end})
	if !e.cfg.Parent {
		return
	}
	if old, dropped := e.untold.add(en.end, en.word); dropped {
		e.words.put(record{notes: []returners.Note{{Kind: returners.NoteUnreported, JID: old, Gone: true}}})
	}
	e.tell(en.end, Tell{Word: jobevent.Closed{JID: en.end, Word: en.word}})
}

// Told tells that the masters above that asked for a job have taken all that was told
// of it up to the [jobevent.Closed] of that number. Of a job that more is to be said of,
// its next end is to be taken.
func (e *Engine) Told(jid string, word uint64) {
	e.change(func() {
		//mutant:engine-stored-end-is-the-last
		if !e.words.more(jid) && e.untold.told(jid, word) {
			e.words.put(record{notes: []returners.Note{{Kind: returners.NoteUnreported, JID: jid, Gone: true}}})
		}
	})
}

// Word gives the number of the last word on a job that is closed and of which the
// masters above may not have heard the end. One that is open again, or that more is to
// be said of, is not closed: who has heard its last end has not heard all.
func (e *Engine) Word(jid string) (word uint64, closed bool) {
	over := e.ledger.isClosed(jid)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.digest()
	word, closed = e.untold.words[jid]
	//mutant:engine-accepted-end-is-the-last
	if !closed || !over || e.late[jid] > 0 || e.words.more(jid) {
		return 0, false
	}
	return word, true
}

// Jobs lists the jobs of which a master above that was away may have missed something:
// the open ones, those of which something is still to be stored, and the closed ones of
// which it may not have heard the end; sorted, those behind after, at most n.
func (e *Engine) Jobs(after string, n int) []string {
	jids := e.ledger.Active() // what it has told before is in found
	e.mu.Lock()
	e.digest()
	jids = slices.AppendSeq(append(jids, e.words.jobs()...), maps.Keys(e.untold.words))
	jids = slices.AppendSeq(jids, maps.Keys(e.late))
	e.mu.Unlock()
	jids = slices.DeleteFunc(jids, func(jid string) bool { return jid <= after })
	slices.Sort(jids)
	jids = slices.Compact(jids)
	return jids[:min(n, len(jids))]
}

// Marked lists the jobs that must not be removed from the store however old they are:
// open ones, and those of which the masters above may not have heard the end.
func (e *Engine) Marked() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.AppendSeq(slices.Collect(maps.Keys(e.open)), maps.Keys(e.untold.words))
}

// Open lists the jobs that are marked as open.
func (e *Engine) Open() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Sorted(maps.Keys(e.open))
}
