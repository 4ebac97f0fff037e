package retention

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"time"
)

// ErrNotQueued says that no minion is queued for a job.
var ErrNotQueued = errors.New("no minion is queued for this job")

// Waiting is a queued job with the peers that have not received or answered it.
type Waiting struct {
	JID   string
	At    time.Time
	Until time.Time
	// Minions are direct minions; true if the job was sent to them.
	Minions map[string]bool
	// Nodes are nodes that are away, each with the minions known behind it and their paths.
	Nodes map[string]map[string]string
	// Below are minions behind nodes that have the job, with their paths. This master does not
	// send them the job.
	Below map[string]string
}

// waits reports whether any peer is still queued.
func (e *entry) waits() bool { return len(e.waiting)+len(e.nodes)+len(e.below) > 0 }

// Queues reports whether any job is queued. It takes no lock.
func (l *Log) Queues() bool { return l.queues.Load() > 0 }

// Wants reports whether a job is queued for a minion that has not answered, before its deadline.
func (l *Log) Wants(jid, id string) bool {
	return l.wants(jid, func(e *entry) bool { _, ok := e.waiting[id]; return ok })
}

// WantsNode reports whether a job is queued for a node that has not taken it over.
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
	return e != nil && e.queued() && who(e) && now.Before(e.Until) // the deadline counts even if the clock is not steady
}

// Sent records that the job was sent to a queued minion.
func (l *Log) Sent(jid, id string) {
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

// Add queues a kept job for minions and nodes that are away. It returns false if the job is
// not, or no longer, queued.
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

// Answered records the return of a minion. last reports whether no peer is queued any more.
func (l *Log) Answered(jid, id string) (last bool) {
	return l.settle(jid, func(e *entry) {
		delete(e.waiting, id)
		e.forget(id)
	})
}

// TakenOver records that a node has taken over a job; see [Log.Answered]. The node need not know
// the minions behind it that were queued here: if their own node was away too, nobody else reports
// them at the deadline.
func (l *Log) TakenOver(jid, id string) (last bool) {
	return l.settle(jid, func(e *entry) {
		//mutant:retention-taken-over-expire
		maps.Copy(e.below, e.nodes[id])
		delete(e.nodes, id)
	})
}

// forget removes a minion behind nodes.
func (e *entry) forget(id string) {
	delete(e.below, id)
	for _, known := range e.nodes {
		delete(known, id)
	}
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

// AddBelow adds minions queued by nodes below. If their outcome is not known by the deadline,
// they are reported as expired here. It returns false if the job is not, or no longer, queued.
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

// Settled records that minions behind nodes are no longer queued.
func (l *Log) Settled(jid string, minions []string) {
	if !l.Queues() {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.first(jid); e != nil {
		for _, id := range minions {
			e.forget(id)
		}
	}
}

// Pending reports whether any peer is still queued for a job.
func (l *Log) Pending(jid string) bool {
	if !l.Queues() {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.first(jid)
	return e != nil && e.queued() && e.waits()
}

// Records returns the records of queued jobs, sorted by jid.
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

// Queued returns the queued jobs with waiting peers, oldest first.
func (l *Log) Queued() []Waiting { return l.queued(func(*entry) bool { return true }) }

// Due calls expire for the queued jobs past their deadline, if the clock is steady, and then
// removes them. What expire stores is stored before that, so a restart in between loses nothing.
func (l *Log) Due(expire func(Waiting)) {
	if !l.Queues() || !l.o.Steady() {
		return
	}
	now := l.o.Now()
	for _, w := range l.queued(func(e *entry) bool { return !now.Before(e.Until) }) {
		expire(w)
	}
	for _, r := range l.Records() {
		if !now.Before(r.Until) {
			l.Drop(r.JID)
		}
	}
}

// Dequeue removes a job before its deadline. It returns ErrNotQueued if no peer waits.
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
