package engine

import (
	"errors"
	"maps"
	"slices"

	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/returners"
)

// Save is a batch to commit. Pass the result to [Engine.Saved].
type Save struct {
	Batch returners.Batch

	job     *Publication // the job that starts with this batch, or nil
	returns []returners.Return
	records []record
}

// NextSave returns the next batch of records. It returns false if a batch is in flight or no
// record waits. Call it again after Saved. If a commit failed, call it when a record arrives or
// after a few seconds.
func (e *Engine) NextSave() (Save, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.drainFindings()
	es := e.records.take()
	if es == nil {
		return Save{}, false
	}
	s := Save{records: es}
	s.Batch.Unsynced = true   // until a row must survive a power loss; an unsynced end costs the next start one look at the job
	over := map[string]bool{} // jobs whose publications are dropped by this batch
	for i := range es {
		en := &es[i]
		en.noted = false // may be set by a refused batch
		s.Batch.Notes = append(s.Batch.Notes, en.notes...)
		//mutant:engine-no-mark-after-the-end
		if p := en.published; e.isKept(p) && !over[p.JID] {
			s.Batch.Notes = append(s.Batch.Notes, p.Published())
		}
		switch {
		case en.end == "":
			if en.row.JID != "" {
				s.Batch.Expectations, s.Batch.Unsynced = append(s.Batch.Expectations, en.row), false
			}
		case e.ends(*en):
			s.Batch.Notes = append(s.Batch.Notes, e.endOf(en)...)
			over[en.end] = len(e.endsWith(en.end)) > 0
			//mutant:late-reports-are-synced
			s.Batch.Unsynced = s.Batch.Unsynced && !en.late // the sender does not repeat it
		}
	}
	return s, true
}

// ends reports whether the end en goes into the batch: no record of the job was lost, and a
// repeated end belongs to a closed job.
func (e *Engine) ends(en record) bool {
	if _, open := e.open[en.end]; en.late && open {
		return false // the end of the job follows
	}
	return e.records.lossFor(en) == nil
}

// endOf returns the notes that end a job: it is no longer open, its publications are dropped, and
// its end is unreported.
func (e *Engine) endOf(en *record) []returners.Note {
	en.noted = true
	out := []returners.Note{{Kind: returners.NoteOpen, JID: en.end, Gone: true}}
	//mutant:engine-publication-goes-with-the-end
	out = append(out, unkept(e.endsWith(en.end))...)
	if e.cfg.Parent {
		en.number = e.unreported.next()
		out = append(out, returners.Note{Kind: returners.NoteUnreported, JID: en.end})
	}
	return out
}

// Saved reports the result of a commit. The effects that waited for it are then in [Engine.Ready].
func (e *Engine) Saved(s Save, res returners.Result, err error) {
	switch {
	case len(s.records) > 0:
		e.change(func() { e.savedRecords(s, err) })
	//mutant:engine-ack-before-commit
	case err != nil: // the caller reports err to the sender
		if s.job != nil && s.job.held {
			e.ledger.letClose(s.job.Spec.JID)
		}
	case s.job != nil && s.job.Grows:
		e.grow(s.job)
	case s.job != nil:
		e.begin(s.job)
	default:
		e.savedReturns(s.returns, res.NewReturns)
	}
}

// savedRecords is Saved for records. The caller holds e.mu.
func (e *Engine) savedRecords(s Save, err error) {
	if err != nil {
		last := e.records.last
		if !isTemporary(err) {
			for _, en := range s.records {
				e.arrivalSettled(en)
			}
		}
		e.dropUnacknowledged()
		for _, jid := range e.records.refused(err) {
			e.reportLastEnd(jid)
		}
		e.effects = append(e.effects, Stored{UpTo: last, Err: err})
		return
	}
	last := s.records[len(s.records)-1].seq
	for _, en := range s.records {
		if en.opens != "" {
			e.open[en.opens] = struct{}{}
			e.arrivalSettled(en)
		}
		if en.end != "" {
			e.ended(en)
		}
	}
	e.records.stored()
	e.effects = append(e.effects, Stored{UpTo: last})
}

// ended handles an end whose batch was committed, whether or not the end itself was stored.
func (e *Engine) ended(en record) {
	lost := e.records.lossFor(en)
	if !en.late {
		delete(e.records.lost, en.end)
	}
	if lost != nil {
		e.effects = append(e.effects, EndNotStored{JID: en.end, Err: lost, Again: errors.Is(lost, errQueueFull)})
		return
	}
	// Another end of the job follows, or is earlier in this batch and reported the loss.
	//mutant:engine-one-end-a-batch
	//mutant:engine-stored-with-an-end-before
	if !en.noted {
		return
	}
	delete(e.open, en.end)
	for _, p := range e.endsWith(en.end) {
		e.dropPublication(p)
	}
	e.effects = append(e.effects, Ended{en.end})
	if !e.cfg.Parent {
		return
	}
	if old, dropped := e.unreported.add(en.end, en.number); dropped {
		e.records.put(record{notes: []returners.Note{{Kind: returners.NoteUnreported, JID: old, Gone: true}}})
	}
	e.enqueue(en.end, SendReport{Word: jobevent.Closed{JID: en.end, Word: en.number}})
}

// ReportsAccepted reports that the masters above have accepted all reports of a job up to the
// [jobevent.Closed] with this number. It has no effect if the job has a later end.
func (e *Engine) ReportsAccepted(jid string, number uint64) {
	e.change(func() {
		//mutant:engine-stored-end-is-the-last
		if !e.records.endsOrOpens(jid) && e.unreported.accept(jid, number) {
			e.records.put(record{notes: []returners.Note{{Kind: returners.NoteUnreported, JID: jid, Gone: true}}})
		}
	})
}

// reportLastEnd reports the stored end of a job once more, if the masters above may not have accepted it: an acceptance
// did not count while a repeated end was queued. The caller holds e.mu.
func (e *Engine) reportLastEnd(jid string) {
	//mutant:engine-dropped-end-is-reported
	if number, ok := e.unreported.ends[jid]; ok {
		e.enqueue(jid, SendReport{Word: jobevent.Closed{JID: jid, Word: number}})
	}
}

// LastReport returns the number of a job's end if the job is closed and the masters above may not
// have received that end. closed is false if the job is open again or further reports of it are
// pending.
func (e *Engine) LastReport(jid string) (number uint64, closed bool) {
	over := e.ledger.isClosed(jid)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.drainFindings()
	number, closed = e.unreported.ends[jid]
	//mutant:engine-accepted-end-is-the-last
	if !closed || !over || e.reporting[jid] > 0 || e.records.endsOrOpens(jid) {
		return 0, false
	}
	return number, true
}

// Jobs returns the jobs of which a master above may have missed reports: open jobs, jobs with
// records not yet stored, and jobs with an unreported end. It returns at most n jids greater than
// after, sorted.
func (e *Engine) Jobs(after string, n int) []string {
	jids := e.ledger.Active() // its findings up to here are in e.found
	e.mu.Lock()
	e.drainFindings()
	jids = slices.AppendSeq(append(jids, e.records.jobs()...), maps.Keys(e.unreported.ends))
	jids = slices.AppendSeq(jids, maps.Keys(e.reporting))
	e.mu.Unlock()
	jids = slices.DeleteFunc(jids, func(jid string) bool { return jid <= after })
	slices.Sort(jids)
	jids = slices.Compact(jids)
	return jids[:min(n, len(jids))]
}

// Marked returns the jobs that must stay in the store at any age: open jobs and those with an
// unreported end.
func (e *Engine) Marked() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.AppendSeq(slices.Collect(maps.Keys(e.open)), maps.Keys(e.unreported.ends))
}

// Open returns the jobs marked as open, sorted.
func (e *Engine) Open() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Sorted(maps.Keys(e.open))
}
