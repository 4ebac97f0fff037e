package engine

import (
	"strings"
	"time"

	"github.com/momtree/mom/internal/jobevent"
)

// The node that a minion left reports it as missing as soon as it receives a job, before the
// minion's new node reports. That report is held until the new node has sent its expectation:
// otherwise a command would name a minion as missing just before it answers.

// held is a report that is held back.
type held struct {
	at   string // path of the node that has the minion
	word jobevent.Absence
}

// hold holds back m if the pending minion is at another node that received the job and has not
// sent its expectation. It reports whether it did.
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

// awaits reports whether the node at path, or the nearest one above it that received the job, has
// not sent its expectation.
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

// release applies the held reports that waited for a node whose state has changed. It runs with
// every return, so it visits no others.
func (j *job) release(n *changes) {
	//mutant:return-skips-held-reports
	for len(j.changedNodes) > 0 {
		path := j.changedNodes[len(j.changedNodes)-1]
		j.changedNodes = j.changedNodes[:len(j.changedNodes)-1]
		waiting := j.heldFor[path]
		delete(j.heldFor, path)
		j.looks += len(waiting)
		for _, id := range waiting {
			if h, ok := j.held[id]; ok && behind(h.at, path) && !j.tryRelease(id, h, n) {
				j.heldFor[path] = append(j.heldFor[path], id)
			}
		}
	}
	if len(j.held) == 0 {
		j.held, j.heldFor = nil, nil
	}
}

// tryRelease applies a held report, and returns false if it must still be held.
func (j *job) tryRelease(id string, h held, n *changes) bool {
	e := j.entries[id]
	mine := e != nil && e.phase.pending() && (e.phase == claimable || e.path == h.word.Path)
	if mine && j.awaits(h.at) {
		return false
	}
	delete(j.held, id)
	if !mine || j.passOn(id, e) {
		return true // it has answered, or another node has it
	}
	e.path = h.word.Path
	reason := h.word.Reason
	//mutant:engine-held-reports-are-not-queued
	if reason == Queued && j.unqueued { // expired meanwhile
		reason = Expired
	}
	if j.settle(id, e, missing, reason) {
		n.miss(id, e)
	}
	return true
}

// unhold drops the held report of a node that now counts the minion.
func (j *job) unhold(id, path string) {
	if h, ok := j.held[id]; ok && h.word.Path == path {
		delete(j.held, id)
	}
}
