package engine

import (
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/returners"
)

// ReceiveReports processes reports of the node at path, in order. The caller has checked that the
// node may report these minions. Acknowledge them once a [Stored] covers upTo.
func (e *Engine) ReceiveReports(path string, ws ...jobevent.Word) (upTo uint64) {
	jids := make([]string, 0, len(ws))
	for _, w := range ws {
		jids = append(jids, w.Job())
	}
	defer e.hold(jids...)()
	for _, w := range ws {
		switch x := w.(type) {
		case jobevent.Expectation:
			w = e.receiveExpectation(path, x)
		case jobevent.Missing:
			w = e.receiveMissing(path, x)
		}
		e.change(func() { e.enqueue(w.Job(), SendReport{Word: w, From: path}) })
	}
	for _, jid := range jids {
		e.reportEndAgain(jid)
	}
	return e.lastRecord()
}

// ReceiveNewJob processes the expectation in the new-job event of a Python master. Salt 3008 sends
// it only there; 3006 sends an event of its own first, and the repeated expectation is ignored. A
// later event of the same job may add minions.
func (e *Engine) ReceiveNewJob(path string, x jobevent.Expectation) (upTo uint64) {
	if e.ledger.announced(x.JID, path, x.Minions) {
		return e.lastRecord()
	}
	//mutant:engine-new-event-is-reported
	return e.ReceiveReports(path, x)
}

// lastRecord returns the sequence number of the newest record.
func (e *Engine) lastRecord() (n uint64) {
	e.change(func() {
		e.drainFindings()
		n = e.records.last
	})
	return n
}

// receiveExpectation applies x and returns it as this node reports it.
func (e *Engine) receiveExpectation(path string, x jobevent.Expectation) jobevent.Expectation {
	w := x.Under(path)
	e.change(e.drainFindings) // an earlier end must not close the job that x reopens
	state := jobevent.NodeAnswered
	switch {
	case x.Moved || x.Partial: // the node's full expectation may follow
		state = ""
	case !x.Ours:
		state = jobevent.NodePlain
	default: // partsAnswered knows whether all publications are answered
		if w.Partial, w.Parts = e.ledger.partsAnswered(w.JID, w.Node, x.Part, x.Parts); w.Partial {
			state = ""
		}
	}
	e.note(returners.Expectation{JID: w.JID, Node: w.Node, Minions: w.Minions, Missing: w.Unreachable, State: string(state), At: e.cfg.Now()})
	if w.Part > 0 {
		e.note(askedOnce(w.JID, e.cfg.Now(), w.Asked, w.Node+"/")...)
	}
	away := make(map[string]bool, len(w.Unreachable))
	for id := range w.Unreachable {
		away[id] = true
	}
	reopened := e.ledger.expect(w.JID, Expectation{
		Path: w.Node, Minions: w.Minions, Away: away, Asked: w.Asked, Moved: x.Moved, Partial: x.Partial, Plain: !x.Ours, Untracked: x.Untracked,
		Part: x.Part, Parts: x.Parts,
	})
	//mutant:engine-open-again
	if reopened {
		e.change(func() {
			e.open[w.JID] = struct{}{}
			e.records.put(record{notes: []returners.Note{{Kind: returners.NoteOpen, JID: w.JID}}, opens: w.JID})
		})
	}
	if len(w.Unreachable) > 0 {
		gone := make(map[string]jobevent.Absence, len(w.Unreachable))
		for id, why := range w.Unreachable {
			gone[id] = jobevent.Absence{Reason: why, Path: w.Node}
		}
		e.ledger.reportGone(w.JID, "", gone, nil)
	}
	return w
}

// receiveMissing applies x and returns it as this node reports it.
func (e *Engine) receiveMissing(path string, x jobevent.Missing) jobevent.Missing {
	w := x.Under(path)
	at := e.cfg.Now()
	e.note(absenceRows(w.JID, w.Minions, nil, at)...) // even if the ledger prefers the report of another node
	by := ""
	if x.From == "" { // the node's own account, not a report that it passes on
		by = path
	}
	also := e.ledger.reportGone(w.JID, by, w.Minions, w.Nodes)
	//mutant:engine-other-paths-are-stored
	e.note(also.rows(w.JID, nil, at)...)
	if !e.ledger.knows(w.JID) { // the account is forgotten, so no finding stores it
		e.note(absenceRows(w.JID, w.Minions, w.Nodes, at)...)
	}
	return w
}

func (e *Engine) note(xs ...returners.Expectation) {
	e.change(func() { e.records.note(xs...) })
}

// Unsaved returns the number of records not yet stored.
func (e *Engine) Unsaved() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.records.queue)
}

// Untried returns the number of records added since the last failed commit. Senders block while it
// exceeds word_queue.
func (e *Engine) Untried() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.records.untried()
}
