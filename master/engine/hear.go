package engine

import (
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/returners"
)

// Hear takes words that the node at path says of jobs, as it says them, and only of
// minions that it may speak for. They may be acknowledged when a [Stored] tells that all
// up to the number it gives are on disk.
func (e *Engine) Hear(path string, ws ...jobevent.Word) (upTo uint64) {
	jids := make([]string, 0, len(ws))
	for _, w := range ws {
		jids = append(jids, w.Job())
	}
	defer e.hold(jids...)()
	for _, w := range ws {
		switch x := w.(type) {
		case jobevent.Expectation:
			w = e.expect(path, x)
		case jobevent.Missing:
			w = e.miss(path, x)
		}
		e.change(func() { e.tell(w.Job(), Tell{Word: w, From: path}) })
	}
	for _, jid := range jids {
		e.lateWord(jid)
	}
	return e.last()
}

// Learn is Hear for what the event of a new job says of a Python master. Salt 3008 says
// who has to answer there alone; 3006 has said it in an event of its own before, and it
// is not told on twice. A later event of the same job may add minions.
func (e *Engine) Learn(path string, x jobevent.Expectation) (upTo uint64) {
	if e.ledger.said(x.JID, path, x.Minions) {
		return e.last()
	}
	//mutant:engine-new-event-is-reported
	return e.Hear(path, x)
}

// last is the number of the newest word.
func (e *Engine) last() (n uint64) {
	e.change(func() {
		e.digest()
		n = e.words.last
	})
	return n
}

// expect enters who a node found for a job, and gives the word as this node tells it.
func (e *Engine) expect(path string, x jobevent.Expectation) jobevent.Expectation {
	w := x.Under(path)
	e.change(e.digest) // an end that was before it is not the end of what it opens again
	state := jobevent.NodeAnswered
	switch {
	case x.Moved || x.Partial: // that of its own minions may come still
		state = ""
	case !x.Ours:
		state = jobevent.NodePlain
	default: // the masters above know no better for which publications it has spoken
		if w.Partial, w.Parts = e.ledger.answers(w.JID, w.Node, x.Part, x.Parts); w.Partial {
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
			e.words.put(record{notes: []returners.Note{{Kind: returners.NoteOpen, JID: w.JID}}, opens: w.JID})
		})
	}
	if len(w.Unreachable) > 0 {
		gone := make(map[string]jobevent.Absence, len(w.Unreachable))
		for id, why := range w.Unreachable {
			gone[id] = jobevent.Absence{Reason: why, Path: w.Node}
		}
		e.ledger.reportGone(w.JID, gone, nil)
	}
	return w
}

// miss enters who below a node will not answer, and gives the word as this node tells it.
func (e *Engine) miss(path string, x jobevent.Missing) jobevent.Missing {
	w := x.Under(path)
	at := e.cfg.Now()
	e.note(absences(w.JID, w.Minions, nil, at)...) // also if the ledger goes by the word of another node
	e.ledger.reportGone(w.JID, w.Minions, w.Nodes)
	if !e.ledger.knows(w.JID) { // nobody else will: the account is closed and forgotten
		e.note(absences(w.JID, w.Minions, w.Nodes, at)...)
	}
	return w
}

func (e *Engine) note(xs ...returners.Expectation) {
	e.change(func() { e.words.note(xs...) })
}

// Waiting counts the words that are not stored as yet.
func (e *Engine) Waiting() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.words.queue)
}

// Crowd counts the words that nobody has tried to store as yet: whoever brings more waits
// while they are more than may wait (bound word_queue).
func (e *Engine) Crowd() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.words.untried()
}
