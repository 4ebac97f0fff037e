package events

import (
	"context"
	"iter"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/syndic/link"
)

// reporter sends reports on jobs again to one parent that may have missed some: after a reconnect,
// and after a full queue dropped reports. It visits the jobs in turn and queues the next event when
// the first half of the queue has room, so it holds no more in memory than the queue does, and
// pushes out no newer event.
type reporter struct {
	o      *Options
	w      *pending
	kick   chan struct{}
	sweeps chan struct{} // run sweep

	// Guarded by w.mu.
	rotation Rotation
	stale    bool   // restart the current job: one of its reports was dropped, or a newer one was queued
	turn     uint64 // incremented when a round begins, and when an end did not count

	// Used by run alone.
	seen unreported
	list []string // next jobs
	read uint64   // turn in which list was read
	jid  string   // job being reported; "": none
	next func() (bus.Event, bool)
	stop func()
}

func newReporter(o *Options, w *pending) *reporter {
	return &reporter{o: o, w: w, rotation: NewRotation(), kick: make(chan struct{}, 1), sweeps: make(chan struct{}, 1)}
}

// restart starts a round over all jobs. lost means that reports were lost.
func (t *reporter) restart(lost bool) {
	t.w.mu.Lock()
	defer t.w.mu.Unlock()
	t.restartLocked(lost)
}

// restartLocked is restart for callers that hold w.mu.
func (t *reporter) restartLocked(lost bool) {
	t.turn++
	t.rotation.Begin(lost)
	link.Signal(t.kick)
}

// counts reports whether an end at the front of the queue counts. If not, the job is reported again
// at its turn. That job may be missing in list: a parent that was away may bring a job with an
// older jid.
func (t *reporter) counts(e bus.Event) bool {
	if t.rotation.Counts(JobOf(e.Tag)) {
		return true
	}
	//mutant:older-jobs-are-read-again
	t.turn++
	return false
}

func (t *reporter) run(ctx context.Context) {
	defer func() {
		t.w.mu.Lock()
		defer t.w.mu.Unlock()
		t.leave()
	}()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.kick:
		case <-t.sweeps:
			t.sweep()
		}
		for ctx.Err() == nil && t.step() {
		}
	}
}

// step queues one event, or moves to the next job. It returns false if there is no room, or nothing
// left to report.
func (t *reporter) step() bool {
	w := t.w
	w.mu.Lock()
	if !t.rotation.Active() || !w.room() {
		w.mu.Unlock()
		return false
	}
	if t.stale {
		t.leave()
	}
	w.mu.Unlock()
	if t.jid == "" {
		return t.choose()
	}
	e, more := t.next()
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case t.stale: // it became stale while it was read
	case more:
		if isEnd(e) {
			t.rotation.Done(t.jid) // the end counts when it leaves the queue, and its reports are queued before it
		}
		w.urgent.push(e)
		link.Signal(w.kick)
	default:
		t.rotation.Done(t.jid)
		t.leave()
	}
	return true
}

// choose selects the job whose turn it is.
func (t *reporter) choose() bool {
	w := t.w
	first := func(after string) string {
		for len(t.list) > 0 && t.list[0] <= after {
			t.list = t.list[1:]
		}
		if len(t.list) == 0 || after == "" {
			t.list = t.o.Local.OpenJobs(after, t.o.Bounds.ReportJobs)
		}
		if len(t.list) == 0 {
			return ""
		}
		return t.list[0]
	}
	w.mu.Lock()
	rotation, turn := t.rotation, t.turn // the read of the local master takes time
	w.mu.Unlock()
	if t.read != turn {
		t.list, t.read = nil, turn
	}
	jid, ok := rotation.Next(first)
	w.mu.Lock()
	defer w.mu.Unlock()
	if t.turn != turn { // the list may be stale
		return true
	}
	t.rotation = rotation
	if !ok {
		t.list = nil
		return false
	}
	if _, _, heard := t.lastReport(jid); heard || !t.o.Concerned(jid) {
		t.rotation.Done(jid)
		return true
	}
	// A queued end would also count for the reports queued behind it.
	w.urgent.remove(func(e bus.Event) bool { return isEnd(e) && JobOf(e.Tag) == jid })
	t.jid = jid
	t.next, t.stop = iter.Pull(t.o.Local.Reports(jid, t.o.Bounds.ReportMinions))
	return true
}

// leave ends the current job. The caller holds w.mu.
func (t *reporter) leave() {
	if t.jid != "" {
		t.stop()
	}
	t.jid, t.next, t.stop, t.stale = "", nil, nil, false
}

// pushed notes that an event of a job is being queued. If that job is being reported, its reports
// start over: an older report must not follow a newer one.
func (t *reporter) pushed(e bus.Event) {
	t.stale = t.stale || t.jid != "" && t.jid == JobOf(e.Tag)
}

// dropped notes that an event of a job was dropped, and starts a new round.
func (t *reporter) dropped(e bus.Event) {
	t.pushed(e)
	t.restartLocked(true)
}

// lastReport returns the number of the last report of a closed job, and whether the parent has
// accepted it.
func (t *reporter) lastReport(jid string) (word uint64, over, heard bool) {
	word, over = t.o.Local.LastReport(jid)
	return word, over, over && t.o.Acked(jid, word)
}
