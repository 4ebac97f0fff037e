package events

import (
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"testing"

	"github.com/momtree/mom/internal/bounds"
	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/jobevent/jobeventtest"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/syndic/link"
	"github.com/momtree/mom/syndic/origins"
)

// job returns the id of job n.
func job(n int) string { return fmt.Sprintf("20260301%012d", n) }

// fakeLocal is a local master that reports jobs in order.
type fakeLocal struct {
	open     []bus.Event
	reported map[string]uint64 // jid → last report
}

func (l *fakeLocal) OpenJobs(after string, n int) (jids []string) {
	for _, e := range l.open {
		if jid := JobOf(e.Tag); jid > after {
			jids = append(jids, jid)
		}
	}
	slices.Sort(jids)
	jids = slices.Compact(jids)
	return jids[:min(n, len(jids))]
}

func (l *fakeLocal) LastReport(jid string) (word uint64, over bool) {
	for e := range l.Reports(jid, 1) {
		if c, ok := End(e); ok {
			return c.Word, true
		}
	}
	return 0, false
}

func (l *fakeLocal) Reports(jid string, _ int) iter.Seq[bus.Event] {
	var out []bus.Event
	for _, e := range l.open {
		if JobOf(e.Tag) == jid {
			out = append(out, e)
		}
	}
	return slices.Values(out)
}

func (l *fakeLocal) end(jid string, word uint64) {
	if l.reported == nil {
		l.reported = map[string]uint64{}
	}
	l.reported[jid] = word
	l.open = slices.DeleteFunc(l.open, func(e bus.Event) bool { return JobOf(e.Tag) == jid })
}

// newUplink returns an Uplink to a single parent with a queue of that size. It does not run.
func newUplink(local *fakeLocal, queue int) *Uplink {
	b := bounds.Default()
	b.ReportQueue = queue
	closings := origins.NewClosings(b.AskedJobs, local.LastReport)
	return New(Options{
		ID: "syn-a", Name: "top", Local: local, Bounds: b, Pace: link.DefaultPace(b.ForwardSweep), Log: slog.New(slog.DiscardHandler),
		Concerned: func(string) bool { return true },
		Acked:     func(jid string, word uint64) bool { return closings.Has(jid, word, "top") },
		Ack: func(c jobevent.Closed) {
			if closings.Note(c.JID, c.Word, "top", nil) {
				local.end(c.JID, c.Word)
			}
		},
	})
}

// missing returns a report of job i, closing its end.
func missing(t *testing.T, i int) bus.Event {
	t.Helper()
	return jobeventtest.Event(t, "salt/job/"+job(i)+"/missing", wire.NewMap("jid", job(i), "missing", wire.NewMap("m1", wire.NewMap("reason", "Not connected", "path", "")), "nodes", wire.NewMap()))
}

func closing(t *testing.T, i, word int) bus.Event {
	t.Helper()
	return jobeventtest.Event(t, "salt/job/"+job(i)+"/closed", wire.NewMap("jid", job(i), "word", word))
}

// An older report never follows a newer one of the same job: a minion that went missing meanwhile
// would be waited for again. A queue of 3, a job of 4 reports.
func TestReporter_NewerReportRestartsJob(t *testing.T) {
	local := &fakeLocal{}
	u := newUplink(local, 3)
	know := func(age string) {
		local.open = nil
		for i := range 4 {
			local.open = append(local.open, jobeventtest.Event(t, job(1), wire.NewMap("minions", []any{fmt.Sprint("m", i)}, "jid", job(1), "age", age)))
		}
	}
	know("old")
	u.ReportAgain(false)
	var said []string
	drain := func() {
		for _, e := range u.urgent.take(room{10, 1 << 20, 1 << 20}) {
			d, err := wire.DecodeMap(e.Data)
			if err != nil {
				t.Fatal(err)
			}
			said = append(said, d.String("age"))
		}
	}
	for u.reporter.step() {
	}
	know("new")
	u.Push(jobeventtest.Event(t, "salt/job/"+job(1)+"/missing", wire.NewMap("jid", job(1), "age", "word")))
	for range 20 {
		drain()
		for u.reporter.step() {
		}
	}
	if at := slices.Index(said, "word"); at < 1 || slices.Contains(said[at:], "old") || len(said[at:]) != 5 {
		t.Errorf("reported %v", said)
	}
	u.reporter.leave()
}

// A discarded end makes room in the queue, which is filled at once without waiting for the answer
// to the batch. A queue of 4, a parent that does not answer.
func TestReporter_DiscardedEndMakesRoom(t *testing.T) {
	local := &fakeLocal{}
	u := newUplink(local, 4)
	for i := 2; i < 5; i++ {
		local.open = append(local.open, missing(t, i))
	}
	u.Push(missing(t, 1))
	u.Push(closing(t, 1, 1)) // of a job not reported by this run
	u.ReportAgain(true)
	<-u.reporter.kick
	for u.reporter.step() {
	}
	u.mu.Lock()
	full := !u.room()
	u.mu.Unlock()
	if f, ok := u.next(); !full || !ok || len(f.batch) != 1 {
		t.Fatalf("full %t, %d reports sent", full, len(f.batch))
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.room() && u.reporter.rotation.Active() && len(u.reporter.kick) == 0 {
		t.Error("room in the queue, but no further report")
	}
	u.reporter.leave()
}

// During a round of reports a job appears with a jid older than the next ones, as when a parent was
// away. Its end arrives before its turn and does not count; its turn comes in the same round,
// whatever list was read before. Three jobs, a round after a loss; no sweep.
func TestReporter_OlderJobAppears(t *testing.T) {
	local := &fakeLocal{}
	u := newUplink(local, 100)
	send := func() { sendAll(u) }
	local.open = []bus.Event{
		jobeventtest.Event(t, job(0), wire.NewMap("minions", []any{"m1", "m2"}, "jid", job(0), "mom", wire.NewMap("node", "", "asked", []any{}, "unreachable", wire.NewMap()))),
		closing(t, 0, 1),
	}
	local.open = append(local.open, missing(t, 5), closing(t, 5, 2))
	u.ReportAgain(true)
	for local.reported[job(0)] == 0 { // the list of next jobs is read: job 5
		if !u.reporter.step() {
			t.Fatal("round ended before the first job was reported")
		}
		send()
	}
	local.open = append(local.open, missing(t, 3), closing(t, 3, 3))
	u.Push(closing(t, 3, 3))
	send() // does not count: job 3 was not reported since the loss
	if local.reported[job(3)] != 0 {
		t.Fatal("end counts for a job not reported since the loss")
	}
	for u.reporter.step() {
		send()
	}
	send()
	if local.reported[job(3)] == 0 || local.reported[job(5)] == 0 {
		t.Errorf("round is over and reported the ends of %v", local.reported)
	}
}

// sendAll sends and acknowledges everything in the queue.
func sendAll(u *Uplink) {
	for {
		f, ok := u.next()
		if !ok {
			return
		}
		_, ends := split(f.batch)
		u.acknowledge(ends)
		u.mu.Lock()
		u.inFlight.urgent--
		u.inFlight.set(f, false)
		u.mu.Unlock()
	}
}

// Reports of an earlier run may be lost: the end of a job counts only after this run has reported
// the job.
func TestReporter_EndAfterRestart(t *testing.T) {
	local := &fakeLocal{}
	u := newUplink(local, bounds.Default().ReportQueue)
	local.open = []bus.Event{jobeventtest.Event(t, job(0), wire.NewMap("minions", []any{"m1"}, "jid", job(0)))}
	u.ReportAgain(false) // the parent connects
	end := closing(t, 0, 1)
	local.open = append(local.open, end)
	u.Push(end)
	sendAll(u)
	if local.reported[job(0)] != 0 {
		t.Fatal("end counts without a report")
	}
	for u.reporter.step() {
		sendAll(u)
	}
	sendAll(u)
	if local.reported[job(0)] != 1 {
		t.Error("end not reported")
	}
}
