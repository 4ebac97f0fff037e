package retention

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"time"
)

// ErrNotQueued tells that no minion is queued for under a jid.
var ErrNotQueued = errors.New("no minion is queued for this job")

// Waiting is a queued job and who is still to be given it or to answer it.
type Waiting struct {
	JID   string
	At    time.Time
	Until time.Time
	// Minions are direct minions; true: it was given the job and has not
	// answered yet.
	Minions map[string]bool
	// Nodes are nodes that are away, with the minions known behind each and the
	// path to each of them.
	Nodes map[string]map[string]string
	// Below are minions for whom nodes below queue, as far as is known here, with the path
	// to each: nobody is given the job for them from here.
	Below map[string]string
}

// waits tells whether anybody is still queued for.
func (e *entry) waits() bool { return len(e.waiting)+len(e.nodes)+len(e.below) > 0 }

// Queues tells whether any job is queued. It costs nothing.
func (l *Log) Queues() bool { return l.queues.Load() > 0 }

// Wants reports whether a job is queued for a minion that has not answered, and its deadline
// has not passed.
func (l *Log) Wants(jid, id string) bool {
	return l.wants(jid, func(e *entry) bool { _, ok := e.waiting[id]; return ok })
}

// WantsNode is Wants for a node that has not taken the job over.
func (l *Log) WantsNode(jid, id string) bool {
	return l.wants(jid, func(e *entry) bool { return e.nodes[id] != nil })
}

func (l *Log) wants(jid string, who func(*entry) bool) bool {
	if !l.Queues() {
		return false
	}
	now := l.o.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.first(jid)
	return e != nil && e.queued() && who(e) && now.Before(e.Until) // past it nobody is given the job, also while the clock is not believed
}

// Given notes that a queued minion has been given the job.
func (l *Log) Given(jid, id string) {
	if !l.Queues() {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.first(jid); e != nil {
		if _, ok := e.waiting[id]; ok {
			e.waiting[id] = true
		}
	}
}

// Add queues a kept job for minions and nodes that are away. false: it is not queued, or
// no more.
func (l *Log) Add(jid string, minions []string, nodes map[string]map[string]string) (queued bool) {
	if !l.Queues() {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.first(jid)
	if e == nil || !e.queued() {
		return false
	}
	for _, id := range minions {
		e.waiting[id] = false
	}
	for id, known := range nodes {
		if e.nodes[id] == nil {
			e.nodes[id] = map[string]string{}
		}
		maps.Copy(e.nodes[id], known)
	}
	return true
}

// Answered notes that a minion has returned a job. It reports whether nobody is queued for
// any more.
func (l *Log) Answered(jid, id string) (last bool) {
	return l.settle(jid, func(e *entry) {
		delete(e.waiting, id)
		delete(e.below, id)
	})
}

// TakenOver is Answered for a node that has taken the job over.
func (l *Log) TakenOver(jid, id string) (last bool) {
	return l.settle(jid, func(e *entry) { delete(e.nodes, id) })
}

func (l *Log) settle(jid string, who func(*entry)) (last bool) {
	if !l.Queues() {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.first(jid)
	if e == nil || !e.queued() || !e.waits() {
		return false
	}
	who(e)
	return !e.waits()
}

// AddBelow notes minions for whom nodes below queue: if nobody tells by the deadline what
// became of them, they are named as expired here. false: the job is not queued, or no more.
func (l *Log) AddBelow(jid string, minions map[string]string) bool {
	if !l.Queues() {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.first(jid)
	if e == nil || !e.queued() {
		return false
	}
	maps.Copy(e.below, minions)
	return true
}

// Settled notes that minions are known not to be queued for below any more.
func (l *Log) Settled(jid string, minions []string) {
	if !l.Queues() {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.first(jid); e != nil {
		for _, id := range minions {
			delete(e.below, id)
		}
	}
}

// Pending tells whether anybody is still queued for.
func (l *Log) Pending(jid string) bool {
	if !l.Queues() {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.first(jid)
	return e != nil && e.queued() && e.waits()
}

// Records lists the records of queued jobs, sorted by jid.
func (l *Log) Records() []Record {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []Record
	for _, e := range l.entries {
		if e.queued() {
			out = append(out, e.Record)
		}
	}
	slices.SortFunc(out, func(a, b Record) int { return strings.Compare(a.JID, b.JID) })
	return out
}

// Queued lists the queued jobs somebody waits for, the oldest first.
func (l *Log) Queued() []Waiting { return l.queued(func(*entry) bool { return true }) }

// Due gives the queued jobs whose deadline has passed, by a clock that can be trusted, to
// tell, and takes them out: what tell has stored is stored before they are gone, or a start
// between the two would find nobody to name.
func (l *Log) Due(tell func(Waiting)) {
	if !l.Queues() || !l.o.Steady() {
		return
	}
	now := l.o.Now()
	for _, w := range l.queued(func(e *entry) bool { return !now.Before(e.Until) }) {
		tell(w)
	}
	for _, r := range l.Records() {
		if !now.Before(r.Until) {
			l.Drop(r.JID)
		}
	}
}

// Dequeue takes one out before its deadline.
func (l *Log) Dequeue(jid string) (Waiting, error) {
	found := l.queued(func(e *entry) bool { return e.JID == jid })
	if len(found) == 0 {
		return Waiting{}, ErrNotQueued
	}
	l.Drop(jid)
	return found[0], nil
}

func (l *Log) queued(which func(*entry) bool) []Waiting {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []Waiting
	for _, e := range l.entries {
		if e.queued() && e.waits() && which(e) {
			w := Waiting{e.JID, e.At, e.Until, maps.Clone(e.waiting), map[string]map[string]string{}, maps.Clone(e.below)}
			for id, known := range e.nodes {
				w.Nodes[id] = maps.Clone(known)
			}
			out = append(out, w)
		}
	}
	slices.SortFunc(out, func(a, b Waiting) int { return strings.Compare(a.JID, b.JID) })
	return out
}
