package engine

import (
	"strings"
	"time"

	"github.com/momtree/mom/internal/jobevent"
)

// The node that a minion has left misses it as soon as it is given a job, and speaks
// before the node where the minion is now. It is believed when that one has spoken
// and does not count the minion: else a command would name as missing who answers a
// moment later.

// held is a word that is kept back.
type held struct {
	at   string // where the minion is connected
	word jobevent.Absence
}

// hold keeps back that a pending minion will not answer, if another node has it, was
// given the job and has not spoken yet.
func (l *ledger) hold(j *job, id string, m jobevent.Absence) bool {
	e := j.entries[id]
	if l.cfg.Where == nil || e.direct || !e.phase.pending() {
		return false
	}
	at, ok := l.cfg.Where(id, m.Path)
	if !ok || !j.awaits(at) {
		return false
	}
	if e.phase != claimable {
		e.phase, e.path, e.live, e.due = waiting, m.Path, Up, time.Time{}
	}
	if j.held == nil {
		j.held, j.heldFor = map[string]held{}, map[string][]string{}
	}
	if old, ok := j.held[id]; !ok || old.at != at {
		for path := at; ; {
			j.heldFor[path] = append(j.heldFor[path], id)
			i := strings.LastIndexByte(path, '/')
			if i < 0 {
				break
			}
			path = path[:i]
		}
	}
	j.held[id] = held{at, m}
	return true
}

// awaits tells whether a node, or else the one that would be asked before it, was
// given the job and has not spoken.
func (j *job) awaits(path string) bool {
	for {
		if n := j.nodes[path]; n != nil {
			return n.state == jobevent.NodeAsked
		}
		i := strings.LastIndexByte(path, '/')
		if i < 0 {
			return false
		}
		path = path[:i]
	}
}

// release lets the words go that need not be kept back any longer: those that waited for
// a node whose state has changed. It is asked with each return, so it looks at no other.
func (j *job) release(n *news) {
	//mutant:return-skips-held-reports
	for len(j.moved) > 0 {
		path := j.moved[len(j.moved)-1]
		j.moved = j.moved[:len(j.moved)-1]
		waiting := j.heldFor[path]
		delete(j.heldFor, path)
		j.looks += len(waiting)
		for _, id := range waiting {
			if h, ok := j.held[id]; ok && behind(h.at, path) && !j.let(id, h, n) {
				j.heldFor[path] = append(j.heldFor[path], id)
			}
		}
	}
	if len(j.held) == 0 {
		j.held, j.heldFor = nil, nil
	}
}

// let lets one word go, unless it has to be kept back still.
func (j *job) let(id string, h held, n *news) bool {
	e := j.entries[id]
	mine := e != nil && e.phase.pending() && (e.phase == claimable || e.path == h.word.Path)
	if mine && j.awaits(h.at) {
		return false
	}
	delete(j.held, id)
	if !mine || j.passOn(id, e) {
		return true // it has answered, or another node speaks for it
	}
	e.path = h.word.Path
	reason := h.word.Reason
	//mutant:engine-held-reports-are-not-queued
	if reason == Queued && j.unqueued { // its time has ended meanwhile
		reason = Expired
	}
	if j.settle(id, e, missing, reason) {
		n.miss(id, e)
	}
	return true
}

// unhold forgets what a node has said of a minion that it counts now.
func (j *job) unhold(id, path string) {
	if h, ok := j.held[id]; ok && h.word.Path == path {
		delete(j.held, id)
	}
}
