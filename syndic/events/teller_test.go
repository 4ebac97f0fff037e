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
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/syndic/origins"
	"github.com/momtree/mom/syndic/pace"
)

// job is the id of job n.
func job(n int) string { return fmt.Sprintf("20260301%012d", n) }

// fakeLocal is a local master that tells the words of jobs in their order.
type fakeLocal struct {
	open []bus.Event
	told map[string]uint64 // jid → word
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

func (l *fakeLocal) Word(jid string) (word uint64, over bool) {
	for e := range l.Story(jid, 1) {
		if c, ok := End(e); ok {
			return c.Word, true
		}
	}
	return 0, false
}

func (l *fakeLocal) Story(jid string, _ int) iter.Seq[bus.Event] {
	var out []bus.Event
	for _, e := range l.open {
		if JobOf(e.Tag) == jid {
			out = append(out, e)
		}
	}
	return slices.Values(out)
}

func (l *fakeLocal) end(jid string, word uint64) {
	if l.told == nil {
		l.told = map[string]uint64{}
	}
	l.told[jid] = word
	l.open = slices.DeleteFunc(l.open, func(e bus.Event) bool { return JobOf(e.Tag) == jid })
}

// newUplink is one to the only parent, whose queue holds so many words. It does not run.
func newUplink(local *fakeLocal, queue int) *Uplink {
	b := bounds.Default()
	b.TellQueue = queue
	closings := origins.NewClosings(b.AskedJobs, local.Word)
	return New(Options{
		ID: "syn-a", Name: "top", Local: local, Bounds: b, Pace: pace.Default(b.ForwardSweep), Log: slog.New(slog.DiscardHandler),
		Concerned: func(string) bool { return true },
		Heard:     func(jid string, word uint64) bool { return closings.Has(jid, word, "top") },
		Took: func(c jobevent.Closed) {
			if closings.Note(c.JID, c.Word, "top", nil) {
				local.end(c.JID, c.Word)
			}
		},
	})
}

func heardOf(t *testing.T, tag string, d *wire.Map) bus.Event {
	t.Helper()
	b, err := wire.Encode(d)
	if err != nil {
		t.Fatal(err)
	}
	return typed(bus.Event{Tag: tag, Data: b})
}

// typed adds what the data of an event of the local master says.
func typed(e bus.Event) bus.Event {
	id, kind, _, _ := jobevent.Parse(e.Tag)
	var err error
	switch kind {
	case jobevent.KindExpectation:
		e.Value, err = jobevent.DecodeExpectation(id, e.Data)
	case jobevent.KindMissing:
		e.Value, err = jobevent.DecodeMissing(id, e.Data)
	case jobevent.KindComplete:
		e.Value = jobevent.Complete{JID: id}
	case jobevent.KindClosed:
		var d *wire.Map
		if d, err = wire.DecodeMap(e.Data); err == nil {
			e.Value = jobevent.Closed{JID: id, Word: uint64(d.Int("word"))}
		}
	}
	if err != nil {
		e.Value = nil
	}
	return e
}

// missing is a word of job i, closing its end.
func missing(t *testing.T, i int) bus.Event {
	t.Helper()
	return heardOf(t, "salt/job/"+job(i)+"/missing", wire.NewMap("jid", job(i), "missing", wire.NewMap("m1", wire.NewMap("reason", "Not connected", "path", "")), "nodes", wire.NewMap()))
}

func closing(t *testing.T, i, word int) bus.Event {
	t.Helper()
	return heardOf(t, "salt/job/"+job(i)+"/closed", wire.NewMap("jid", job(i), "word", word))
}

// What is told again of a job never comes behind a newer word of it: a minion that was
// found missing while the job was being told would be waited for again. A queue of 3
// words, a job of 4.
func TestNothingOldIsToldBehindANewWord(t *testing.T) {
	local := &fakeLocal{}
	u := newUplink(local, 3)
	know := func(age string) {
		local.open = nil
		for i := range 4 {
			local.open = append(local.open, heardOf(t, job(1), wire.NewMap("minions", []any{fmt.Sprint("m", i)}, "jid", job(1), "age", age)))
		}
	}
	know("old")
	u.Retell(false)
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
	for u.teller.step() {
	}
	know("new")
	u.Push(heardOf(t, "salt/job/"+job(1)+"/missing", wire.NewMap("jid", job(1), "age", "word")))
	for range 20 {
		drain()
		for u.teller.step() {
		}
	}
	if at := slices.Index(said, "word"); at < 1 || slices.Contains(said[at:], "old") || len(said[at:]) != 5 {
		t.Errorf("it was told %v", said)
	}
	u.teller.leave()
}

// An end that does not count makes room for what is told again: that goes on at once, and
// does not wait for the answer to what departs with it. A queue of 4 words, a parent that
// does not answer.
func TestAnEndThatDoesNotCountMakesRoom(t *testing.T) {
	local := &fakeLocal{}
	u := newUplink(local, 4)
	for i := 2; i < 5; i++ {
		local.open = append(local.open, missing(t, i))
	}
	u.Push(missing(t, 1))
	u.Push(closing(t, 1, 1)) // of a job that this life has not told
	u.Retell(true)
	<-u.teller.kick
	for u.teller.step() {
	}
	u.mu.Lock()
	full := !u.room()
	u.mu.Unlock()
	if f, ok := u.depart(); !full || !ok || len(f.batch) != 1 {
		t.Fatalf("full %t, %d words depart", full, len(f.batch))
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.room() && u.teller.lap.Active() && len(u.teller.kick) == 0 {
		t.Error("there is room, and nobody tells on")
	}
	u.teller.leave()
}

// While all is told again, a job comes that has an older jid than those whose turn is
// next, as when a master above was away; its end comes before its turn and does not
// count. It is told when its turn has come, in this lap, whatever list was read before.
// Three jobs, a lap after a loss; the sweep never fires.
func TestAnOlderJobThatComesMeanwhileIsTold(t *testing.T) {
	local := &fakeLocal{}
	u := newUplink(local, 100)
	send := func() { sendAll(u) }
	local.open = []bus.Event{
		heardOf(t, job(0), wire.NewMap("minions", []any{"m1", "m2"}, "jid", job(0), "mom", wire.NewMap("node", "", "asked", []any{}, "unreachable", wire.NewMap()))),
		closing(t, 0, 1),
	}
	local.open = append(local.open, missing(t, 5), closing(t, 5, 2))
	u.Retell(true)
	for local.told[job(0)] == 0 { // the list of what comes next is read: job 5
		if !u.teller.step() {
			t.Fatal("the lap has ended before the first job was told")
		}
		send()
	}
	local.open = append(local.open, missing(t, 3), closing(t, 3, 3))
	u.Push(closing(t, 3, 3))
	send() // it does not count: of job 3 nothing was said since the loss
	if local.told[job(3)] != 0 {
		t.Fatal("an end counts for a job that was not told since words were lost")
	}
	for u.teller.step() {
		send()
	}
	send()
	if local.told[job(3)] == 0 || local.told[job(5)] == 0 {
		t.Errorf("the lap is over, and told the ends of %v", local.told)
	}
}

// sendAll has what is at the front of the queue leave, and taken.
func sendAll(u *Uplink) {
	for {
		f, ok := u.depart()
		if !ok {
			return
		}
		_, ends := split(f.batch)
		u.ended(ends)
		u.mu.Lock()
		u.aloft.urgent--
		u.aloft.set(f, false)
		u.mu.Unlock()
	}
}

// What an earlier life of the node had to say of a job, and did not, is gone with it:
// that the job ends now counts only when the job has been told.
func TestAnEndDoesNotCountBeforeThisLifeHasToldTheJob(t *testing.T) {
	local := &fakeLocal{}
	u := newUplink(local, bounds.Default().TellQueue)
	local.open = []bus.Event{heardOf(t, job(0), wire.NewMap("minions", []any{"m1"}, "jid", job(0)))}
	u.Retell(false) // the parent is greeted
	end := closing(t, 0, 1)
	local.open = append(local.open, end)
	u.Push(end)
	sendAll(u)
	if local.told[job(0)] != 0 {
		t.Fatal("the end counts, and the parent has heard nothing of the job")
	}
	for u.teller.step() {
		sendAll(u)
	}
	sendAll(u)
	if local.told[job(0)] != 1 {
		t.Error("the end was not told")
	}
}
