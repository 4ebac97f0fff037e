package retention

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/memory"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fixture is a log over a store, with a settable clock.
type fixture struct {
	*Log
	t     *testing.T
	at    time.Time
	store *memory.Store
	found map[string]bool // passed to Found; true: queued
	o     Options
}

func newFixture(t *testing.T, change ...func(*Options)) *fixture {
	w := &fixture{t: t, at: time.Unix(1_700_000_000, 0), store: memory.Open(time.Now)}
	w.o = Options{
		Keep: 5 * time.Minute, Now: func() time.Time { return w.at },
		Found: func(p returners.Part, queued bool) { w.found[p.JID] = queued }, Dropped: w.remove,
	}
	for _, f := range change {
		f(&w.o)
	}
	w.reopen()
	return w
}

// reopen restarts the log over the same store.
func (w *fixture) reopen() {
	w.t.Helper()
	w.found = map[string]bool{}
	l, err := Open(w.t.Context(), w.o, w.store)
	if err != nil {
		w.t.Fatal(err)
	}
	w.Log = l
}

func (w *fixture) commit(notes ...returners.Note) {
	w.t.Helper()
	if _, err := w.store.Commit(w.t.Context(), returners.Batch{Notes: notes}); err != nil {
		w.t.Fatal(err)
	}
}

// remove removes dropped publications, as the engine does.
func (w *fixture) remove(parts ...returners.Part) {
	for _, p := range parts {
		w.commit(p.Dropped()...)
	}
}

// stored returns the jids of the publications in the store.
func (w *fixture) stored() (jids []string) {
	w.t.Helper()
	err := returners.EachNote(w.t.Context(), w.store, returners.NotePublication, func(n returners.Note) { jids = append(jids, n.JID) })
	if err != nil {
		w.t.Fatal(err)
	}
	return slices.Compact(jids)
}

// first returns the name of the first publication of a job.
func first(n int) returners.Part { return returners.Part{JID: jidOf(n)} }

func jidOf(n int) string { return fmt.Sprintf("20260101%012d", n) }

func (w *fixture) put(n int, until time.Time) {
	w.t.Helper()
	pub, err := wire.Encode(wire.NewMap("jid", jidOf(n), "fun", "test.ping", "arg", []any{}, "tgt", "*"))
	if err != nil {
		w.t.Fatal(err)
	}
	w.at = w.at.Add(time.Millisecond)
	b, err := w.Put(Record{JID: jidOf(n), At: w.at, Until: until, Pub: pub})
	if err != nil || b == nil {
		w.t.Fatalf("put %d: %v", n, err)
	}
	w.commit(returners.Note{Kind: returners.NotePublication, JID: jidOf(n), Value: b})
}

func (w *fixture) publish(ns ...int) {
	w.t.Helper()
	for _, n := range ns {
		w.put(n, time.Time{})
		w.send(n)
	}
}

func (w *fixture) send(n int) {
	w.t.Helper()
	if _, ok := w.Number(first(n)); !ok {
		w.t.Fatalf("%d is not kept", n)
	}
	if w.Published(first(n)) {
		w.commit(returners.Note{Kind: returners.NotePublication, JID: jidOf(n), Key: returners.KeyPublished})
	}
}

func (w *fixture) since(epoch string, seq int64) (out []string) {
	w.Since(epoch, seq, func(_ int64, r Record) bool { out = append(out, r.JID[8:]); return true })
	return out
}

func (w *fixture) wantSince(epoch string, seq int64, want ...int) {
	w.t.Helper()
	var jids []string
	for _, n := range want {
		jids = append(jids, jidOf(n)[8:])
	}
	if got := w.since(epoch, seq); !slices.Equal(got, jids) {
		w.t.Errorf("since %s %d: %v, want %v", epoch, seq, got, jids)
	}
}

func TestSince(t *testing.T) {
	w := newFixture(t)
	w.publish(1, 2, 3, 4)
	w.wantSince(w.Epoch(), 2, 3, 4)
	w.wantSince(w.Epoch(), 4)
	w.wantSince("another", 4, 1, 2, 3, 4)
	w.wantSince(w.Epoch(), 99, 1, 2, 3, 4) // a number never assigned
	w.Drop(jidOf(3))
	w.wantSince(w.Epoch(), 1, 2, 4)
	if b, err := w.Put(Record{JID: jidOf(4), Pub: []byte{0x80}}); b != nil || err != nil {
		t.Errorf("twice: %v, %v", b, err)
	}
	if w.Published(first(4)) || w.Published(first(3)) {
		t.Error("one was first twice, or is not kept")
	}
	if seq, _ := w.Number(first(2)); seq != 2 || w.Head() != 4 {
		t.Errorf("published again under %d, head %d", seq, w.Head())
	}
	w.at = w.at.Add(5*time.Minute - 2*time.Millisecond)
	w.Sweep()
	w.wantSince(w.Epoch(), 0, 4)
	w.at = w.at.Add(time.Second)
	w.Sweep()
	w.wantSince(w.Epoch(), 0)
	if n, size, _ := w.Size(); n != 0 || size != 0 {
		t.Errorf("%d records, %d bytes", n, size)
	}
	if left := w.stored(); len(left) != 0 {
		t.Errorf("still stored: %v", left)
	}
}

// After a restart the log holds the same publications, in the same order, with their marks.
func TestRestart(t *testing.T) {
	w := newFixture(t)
	w.publish(5, 3, 4)
	w.put(9, time.Time{})
	w.commit(
		returners.Note{Kind: returners.NotePublication, JID: jidOf(7), Value: []byte("damaged")},
		returners.Note{Kind: returners.NotePublication, JID: jidOf(8), Key: returners.KeyPublished},
	)
	w.put(6, w.at.Add(time.Hour))
	old := w.Epoch()
	w.reopen()
	w.wantSince(old, 3, 5, 3, 4, 9, 6)
	if w.Epoch() == old || !w.Unpublished(jidOf(9)) || w.Unpublished(jidOf(4)) || w.Unpublished(jidOf(7)) {
		t.Error("the marks of published ones are lost")
	}
	if left, want := w.stored(), []string{jidOf(3), jidOf(4), jidOf(5), jidOf(6), jidOf(9)}; !slices.Equal(left, want) {
		t.Errorf("stored are %v, want %v", left, want)
	}
	for jid, queued := range w.found {
		if queued != (jid == jidOf(6)) {
			t.Errorf("%s found as queued %v", jid, queued)
		}
	}
}

func TestBound(t *testing.T) {
	w := newFixture(t)
	w.publish(1)
	_, one, _ := w.Size()
	w.o.MaxBytes = 5 * one
	w.reopen()
	w.put(2, w.at.Add(time.Hour))
	w.send(2)
	for n := 3; n < 100; n++ {
		w.publish(n)
		if _, size, _ := w.Size(); size > 5*one {
			t.Fatalf("%d bytes after %d", size, n)
		}
	}
	w.wantSince(w.Epoch(), 0, 2, 97, 98, 99)
	w.o.MaxBytes = 3 * one // less than before the restart
	w.reopen()
	w.wantSince(w.Epoch(), 0, 2, 99)
	w.o.MaxBytes = 5 * one
	w.reopen()
	for n := 200; ; n++ {
		_, err := w.Put(Record{JID: jidOf(n), Until: w.at.Add(time.Hour), Pub: bytes.Clone([]byte{0x80})})
		if err == ErrFull {
			break
		}
		if err != nil || n > 300 {
			t.Fatal(n, err)
		}
	}
	if _, _, dropped := w.Size(); dropped == 0 {
		t.Error("no drop was counted")
	}
}

func TestQueue(t *testing.T) {
	w := newFixture(t)
	w.publish(1)
	if w.Add(jidOf(1), []string{"a"}, nil); w.Pending(jidOf(1)) || w.Queues() {
		t.Error("a job without deadline was queued")
	}
	w.put(2, w.at.Add(time.Hour))
	w.send(2)
	w.Add(jidOf(2), []string{"a", "b"}, map[string]map[string]string{"n": {"x": "n/m"}})
	w.at = w.at.Add(30 * time.Minute)
	w.Sweep()
	w.wantSince("", 0, 2)
	if !w.Wants(jidOf(2), "a") || !w.WantsNode(jidOf(2), "n") || w.Wants(jidOf(2), "n") || w.WantsNode(jidOf(2), "a") || w.Wants(jidOf(2), "x") || w.Wants(jidOf(1), "a") {
		t.Error("wants the wrong peers")
	}
	w.Sent(jidOf(2), "a")
	if q := w.Queued(); len(q) != 1 || !q[0].Minions["a"] || q[0].Minions["b"] || q[0].Nodes["n"]["x"] != "n/m" {
		t.Errorf("queued: %+v", q)
	}
	again := w.Answered(jidOf(2), "a")
	if again || w.Answered(jidOf(2), "a") || w.Answered(jidOf(2), "b") || w.Answered(jidOf(2), "n") || w.TakenOver(jidOf(2), "n") || !w.Answered(jidOf(2), "x") {
		t.Error("another answer was the last")
	}
	if w.Pending(jidOf(2)) || len(w.Queued()) != 0 {
		t.Error("still queued")
	}
	w.put(3, w.at.Add(time.Hour))
	w.send(3)
	w.Add(jidOf(3), []string{"a"}, nil)
	w.Due(func(d Waiting) { t.Errorf("due before its deadline: %+v", d) })
	w.reopen()
	if len(w.Records()) != 2 || w.Pending(jidOf(3)) {
		t.Errorf("after a restart: %v", w.Records())
	}
	w.Add(jidOf(3), []string{"a"}, nil)
	w.at = w.at.Add(time.Hour)
	var due []Waiting
	w.Due(func(d Waiting) {
		if due = append(due, d); len(w.Records()) == 0 {
			t.Error("removed before it was reported")
		}
	})
	if len(due) != 1 || due[0].JID != jidOf(3) {
		t.Errorf("due: %+v", due)
	}
	if w.Queues() {
		t.Error("queues after the deadline")
	}
	w.put(4, w.at.Add(time.Hour))
	w.Add(jidOf(4), []string{"a"}, nil)
	if got, err := w.Dequeue(jidOf(4)); err != nil || len(got.Minions) != 1 {
		t.Errorf("dequeue: %+v, %v", got, err)
	}
	if _, err := w.Dequeue(jidOf(4)); err != ErrNotQueued {
		t.Errorf("twice: %v", err)
	}
}

// A node that takes over a job may not know a node below it that is still away. The minions of that
// one are queued here until they answer or the deadline passes.
func TestQueue_BehindANodeThatTookOver(t *testing.T) {
	w := newFixture(t)
	w.put(1, w.at.Add(time.Hour))
	w.Add(jidOf(1), nil, map[string]map[string]string{"n": {"x": "n", "y": "n/m", "z": "n/m"}, "o": {"v": "o"}})
	w.Settled(jidOf(1), []string{"v"})
	if w.Answered(jidOf(1), "x") || w.TakenOver(jidOf(1), "o") || w.TakenOver(jidOf(1), "n") || w.Answered(jidOf(1), "z") {
		t.Error("no minion is queued any more, although y never answered")
	}
	if w.WantsNode(jidOf(1), "n") {
		t.Error("a node that took over the job is sent it again")
	}
	w.at = w.at.Add(time.Hour)
	var due []Waiting
	w.Due(func(d Waiting) { due = append(due, d) })
	if len(due) != 1 || !maps.Equal(due[0].Below, map[string]string{"y": "n/m"}) || len(due[0].Nodes) != 0 {
		t.Errorf("due: %+v", due)
	}
}

// Since costs as much as a peer missed, however much is kept: ten thousand may come back at once.
func TestSince_Cost(t *testing.T) {
	w := newFixture(t)
	for n := range 2000 {
		w.publish(n)
	}
	allocs := testing.AllocsPerRun(100, func() { w.since(w.Epoch(), 1998) })
	if allocs > 10 {
		t.Errorf("%v allocations for two publications of 2000", allocs)
	}
}

func FuzzRecord(f *testing.F) {
	for _, r := range []Record{
		{JID: jidOf(1), At: time.UnixMicro(5), Pub: []byte{0x80}},
		{JID: jidOf(2), At: time.UnixMicro(5), Until: time.Unix(7, 0), Pub: []byte{0x81, 0xa1, 'a', 1}, Topics: []string{"t"}},
	} {
		b, err := r.encode()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte{0x81, 0xa3, 'p', 'u', 'b', 0xc0})
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := decodeRecord(b)
		if err != nil {
			return
		}
		again, err := r.encode()
		if err != nil {
			t.Fatal(err)
		}
		r2, err := decodeRecord(again)
		if err != nil || r2.JID != r.JID || !bytes.Equal(r2.Pub, r.Pub) || !r2.Until.Equal(r.Until) {
			t.Errorf("%+v became %+v, %v", r, r2, err)
		}
	})
}

// After a power loss the marks of published jobs may be lost, so nothing is published again.
// A kill loses no marks.
func TestOpen_AfterAPowerLoss(t *testing.T) {
	w := newFixture(t)
	if w.boot == "" {
		t.Log("this system has no boot id")
	}
	w.put(1, time.Time{})
	boot := w.boot
	w.boot = "an earlier one"
	w.put(2, time.Time{})
	w.reopen()
	if !w.Unpublished(jidOf(1)) {
		t.Error("not published after a kill")
	}
	if got, want := w.Unpublished(jidOf(2)), boot == ""; got != want {
		t.Errorf("after a power loss: unpublished %v, want %v", got, want)
	}
}

// Since passes copies, as publications are sent meanwhile (for the race detector).
func TestSince_Concurrent(t *testing.T) {
	w := newFixture(t)
	const n = 200
	for i := range n {
		w.put(i, time.Time{})
		if _, ok := w.Number(first(i)); !ok {
			t.Fatalf("%d is not kept", i)
		}
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range n {
			if !w.Published(first(i)) {
				t.Errorf("%d was published before", i)
			}
		}
	})
	for range 50 {
		if got := len(w.since("", 0)); got != n {
			t.Errorf("got %d of %d", got, n)
		}
	}
	wg.Wait()
}

// A job that has grown has several publications, each with its number, mark and minions. They
// are dropped together.
func TestGrown(t *testing.T) {
	w := newFixture(t)
	put := func(part int, ids ...string) returners.Part {
		t.Helper()
		pub, err := wire.Encode(wire.NewMap("jid", jidOf(1), "fun", "test.ping", "arg", []any{}, "tgt", ids, "tgt_type", "list"))
		if err != nil {
			t.Fatal(err)
		}
		w.at = w.at.Add(time.Millisecond)
		r := Record{JID: jidOf(1), Part: part, At: w.at, Pub: pub}
		b, err := w.Put(r)
		if err != nil || b == nil {
			t.Fatalf("part %d: %v", part, err)
		}
		w.commit(r.Name().Kept(b))
		return r.Name()
	}
	a := put(0, "a", "b")
	if !w.MayTarget(a, "z") { // a single publication is not looked into
		t.Error("the only publication does not target every minion")
	}
	w.Number(a)
	w.Published(a)
	w.commit(a.Published())
	c := put(3, "c")
	w.Number(c)
	var names []string
	parts := func() []string {
		names = nil
		w.Since("", 0, func(_ int64, r Record) bool { names = append(names, r.Name().String()); return true })
		return names
	}
	want := []string{a.String(), c.String()}
	for range 2 {
		if got := parts(); !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
		for id, meant := range map[string][2]bool{"a": {true, false}, "c": {false, true}, "z": {false, false}} {
			if w.MayTarget(a, id) != meant[0] || w.MayTarget(c, id) != meant[1] {
				t.Errorf("%s is targeted by %v, %v", id, w.MayTarget(a, id), w.MayTarget(c, id))
			}
		}
		if !w.Unpublished(jidOf(1)) {
			t.Error("the second publication counts as sent")
		}
		w.reopen()
	}
	w.DropPart(a)
	if got := parts(); !slices.Equal(got, want[1:]) {
		t.Errorf("without the first: %v", got)
	}
	put(4, "d")
	w.Drop(jidOf(1))
	if got := w.stored(); len(parts()) != 0 || len(got) != 0 {
		t.Errorf("left: %v, stored %v", names, got)
	}
	if n, size, _ := w.Size(); n != 0 || size != 0 {
		t.Errorf("%d records, %d bytes", n, size)
	}
}
