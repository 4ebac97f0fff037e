package events

import (
	"context"
	"iter"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/syndic/pace"
)

// teller tells one parent anew of the jobs of which it may have missed something:
// whenever it is back, and when words of jobs were lost because too many waited. It
// goes round the jobs, and puts a piece of what there is to tell into the queue when
// there is room for it, so that no more is in memory than the queue holds, and what is
// told again pushes nothing out.
type teller struct {
	o      *Options
	w      *waits
	kick   chan struct{}
	sweeps chan struct{} // it is time to look for what was not told

	// The mutex of what waits guards these.
	lap    Rotation
	broken bool   // the job being told is told from its start: a word of it was lost, or came
	turn   uint64 // counts when the lap began anew, and when an end did not count

	// Of the one goroutine.
	seen unheard
	list []string // jobs that come next
	read uint64   // the turn in which it was read
	jid  string   // the job being told; "": none
	next func() (bus.Event, bool)
	stop func()
}

func newTeller(o *Options, w *waits) *teller {
	return &teller{o: o, w: w, lap: NewRotation(), kick: make(chan struct{}, 1), sweeps: make(chan struct{}, 1)}
}

// begin has all jobs told, beginning with the one that is next. lost: words of jobs
// are gone.
func (t *teller) begin(lost bool) {
	t.w.mu.Lock()
	defer t.w.mu.Unlock()
	t.again(lost)
}

// again is begin for who has the mutex of what waits.
func (t *teller) again(lost bool) {
	t.turn++
	t.lap.Begin(lost)
	pace.Ring(t.kick)
}

// counts tells whether an end that is at the front of the queue counts. One that does
// not is told again when the turn of its job has come. That may be a job that was not
// there when the jobs that come next were read: one of a master above that was away has
// an older jid than those that are known already.
func (t *teller) counts(e bus.Event) bool {
	if t.lap.Counts(JobOf(e.Tag)) {
		return true
	}
	//mutant:older-jobs-are-read-again
	t.turn++
	return false
}

// run tells until ctx ends.
func (t *teller) run(ctx context.Context) {
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

// step tells one event, or goes on to the next job; false: there is no room, or
// nothing left to tell.
func (t *teller) step() bool {
	w := t.w
	w.mu.Lock()
	if !t.lap.Active() || !w.room() {
		w.mu.Unlock()
		return false
	}
	if t.broken {
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
	case t.broken: // while this was read
	case more:
		if isEnd(e) {
			t.lap.Told(t.jid) // it counts when it goes, and all before it is in the queue
		}
		w.urgent.push(e)
		pace.Ring(w.kick)
	default:
		t.lap.Told(t.jid)
		t.leave()
	}
	return true
}

// choose takes the job whose turn it is.
func (t *teller) choose() bool {
	w := t.w
	first := func(after string) string {
		for len(t.list) > 0 && t.list[0] <= after {
			t.list = t.list[1:]
		}
		if len(t.list) == 0 || after == "" {
			t.list = t.o.Local.OpenJobs(after, t.o.Bounds.TellJobs)
		}
		if len(t.list) == 0 {
			return ""
		}
		return t.list[0]
	}
	w.mu.Lock()
	lap, turn := t.lap, t.turn // a look into the local master takes its time
	w.mu.Unlock()
	if t.read != turn {
		t.list, t.read = nil, turn
	}
	jid, ok := lap.Next(first)
	w.mu.Lock()
	defer w.mu.Unlock()
	if t.turn != turn { // what was read may be too old
		return true
	}
	t.lap = lap
	if !ok {
		t.list = nil
		return false
	}
	if _, _, heard := t.word(jid); heard || !t.o.Concerned(jid) {
		t.lap.Told(jid)
		return true
	}
	// An end that waits would count for what comes behind it.
	w.urgent.remove(func(e bus.Event) bool { return isEnd(e) && JobOf(e.Tag) == jid })
	t.jid = jid
	t.next, t.stop = iter.Pull(t.o.Local.Story(jid, t.o.Bounds.TellMinions))
	return true
}

// leave ends the telling of a job. The caller holds the mutex of what waits.
func (t *teller) leave() {
	if t.jid != "" {
		t.stop()
	}
	t.jid, t.next, t.stop, t.broken = "", nil, nil, false
}

// heard notes that a word of a job comes: what was read of that job before must not
// come behind it, where it would be taken for newer.
func (t *teller) heard(e bus.Event) {
	t.broken = t.broken || t.jid != "" && t.jid == JobOf(e.Tag)
}

// lost notes that a word of a job is gone: all has to be told again.
func (t *teller) lost(e bus.Event) {
	t.heard(e)
	t.again(true)
}

// word is the last word about a job that is closed, and whether this parent has heard
// it.
func (t *teller) word(jid string) (word uint64, over, heard bool) {
	word, over = t.o.Local.Word(jid)
	return word, over, over && t.o.Heard(jid, word)
}
