package syndic

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/jobevent/jobeventtest"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/memory"
	"github.com/momtree/mom/syndic/events"
	"github.com/momtree/mom/syndic/link"
	"github.com/momtree/mom/syndic/local"
	"github.com/momtree/mom/topology"
)

// fakeLocal is a local.Master with an outbox in memory.
type fakeLocal struct {
	*fakeMaster
	bus   *bus.Bus
	notes *memory.Store
	// noteErr fails Note without a job if notWithout is set; refuses fails every note.
	notWithout bool
	refuses    error
	tree       *topology.Tree
	grown      chan struct{}

	mu       sync.Mutex
	seq      int64
	rows     []returners.Item
	kept     map[string][]returners.Return // by jid
	rejected []returners.Item
	loads    map[string]returners.Load
	given    map[string]bool // published here
	open     []bus.Event
	reported map[string]uint64 // jid → last report
	broken   error             // error of every outbox call
	reads    int
	slow     func() // called in each read, if set
}

func newFakeLocal() *fakeLocal {
	return &fakeLocal{
		fakeMaster: newFakeMaster(), bus: bus.New(nil), notes: memory.Open(time.Now), tree: topology.NewTree(topology.Node{ID: "syn-a", Role: "syndic"}, nil),
		grown: make(chan struct{}, 1), kept: map[string][]returners.Return{}, loads: map[string]returners.Load{}, given: map[string]bool{},
	}
}

func (l *fakeLocal) Bus() *bus.Bus                  { return l.bus }
func (l *fakeLocal) Outbox() returners.SharedOutbox { return l }
func (l *fakeLocal) Jobs() local.Jobs               { return fakeJobs{NoteReader: l.notes, l: l} }
func (l *fakeLocal) Grown() <-chan struct{}         { return l.grown }
func (l *fakeLocal) Tree() *topology.Tree           { return l.tree }

// Publish stores the notes with an accepted job only.
func (l *fakeLocal) Publish(ctx context.Context, p wire.PublishLoad, asks ...returners.Note) error {
	if err := l.fakeMaster.Publish(ctx, p); err != nil {
		return err
	}
	_, err := l.notes.Commit(ctx, returners.Noted(asks...))
	return err
}

func (l *fakeLocal) Note(ctx context.Context, notes ...returners.Note) error {
	if l.refuses != nil || l.notWithout && slices.ContainsFunc(notes, func(n returners.Note) bool { return n.Kind == returners.NoteOrigin }) {
		return cmp.Or(l.refuses, errors.New("no job"))
	}
	_, err := l.notes.Commit(ctx, returners.Noted(notes...))
	return err
}

func (l *fakeLocal) Answer(_ context.Context, what string, arg wire.Raw) (any, error) {
	if what != "echo" {
		return nil, errors.New("unknown question: " + what)
	}
	return arg, nil
}

func (l *fakeLocal) OpenJobs(after string, n int) (jids []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.open {
		if jid := events.JobOf(e.Tag); jid > after {
			jids = append(jids, jid)
		}
	}
	slices.Sort(jids)
	jids = slices.Compact(jids)
	return jids[:min(n, len(jids))]
}

func (l *fakeLocal) LastReport(jid string) (word uint64, over bool) {
	for e := range l.Reports(jid, 1) {
		if c, ok := events.End(e); ok {
			return c.Word, true
		}
	}
	return 0, false
}

func (l *fakeLocal) Reports(jid string, _ int) iter.Seq[bus.Event] {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []bus.Event
	for _, e := range l.open {
		if events.JobOf(e.Tag) == jid {
			out = append(out, e)
		}
	}
	return slices.Values(out)
}

func (l *fakeLocal) Reported(jid string, word uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.reported == nil {
		l.reported = map[string]uint64{}
	}
	l.reported[jid] = word
	l.open = slices.DeleteFunc(l.open, func(e bus.Event) bool { return events.JobOf(e.Tag) == jid })
}

func (l *fakeLocal) lastReported(jid string) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.reported[jid]
}

func (l *fakeLocal) OutboxRead(_ context.Context, dest string, after int64, limit, maxBytes int) ([]returners.Item, error) {
	if l.slow != nil {
		l.slow()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reads++
	var out []returners.Item
	bytes := 0
	for _, it := range l.rows {
		bytes += len(it.Payload)
		if it.Dest != dest || it.Seq <= after {
			bytes -= len(it.Payload)
			continue
		}
		if len(out) == limit || len(out) > 0 && bytes > maxBytes {
			break
		}
		out = append(out, it)
	}
	return out, l.broken
}

func (l *fakeLocal) OutboxAck(_ context.Context, dest string, seqs []int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken != nil {
		return l.broken
	}
	gone := map[int64]bool{}
	for _, s := range seqs {
		gone[s] = true
	}
	kept := l.rows[:0:0]
	for _, it := range l.rows {
		if it.Dest != dest || !gone[it.Seq] {
			kept = append(kept, it)
		}
	}
	l.rows = kept
	return nil
}

func (l *fakeLocal) OutboxReject(_ context.Context, _ string, seq int64, reason string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, it := range l.rows {
		if it.Seq == seq {
			it.Error = reason
			l.rejected = append(l.rejected, it)
			l.rows = append(l.rows[:i:i], l.rows[i+1:]...)
			return nil
		}
	}
	return fmt.Errorf("no row %d", seq)
}

func (l *fakeLocal) OutboxMove(ctx context.Context, dest string, rows []returners.Move) error {
	var seqs []int64
	l.mu.Lock()
	for _, r := range rows {
		seqs = append(seqs, r.Seq)
		i := slices.IndexFunc(l.rows, func(it returners.Item) bool { return it.Seq == r.Seq && it.Dest == dest })
		for _, to := range r.To {
			if i >= 0 && l.broken == nil {
				it := l.rows[i]
				l.seq++
				it.Seq, it.Dest = l.seq, to
				l.rows = append(l.rows, it)
			}
		}
	}
	l.mu.Unlock()
	return l.OutboxAck(ctx, dest, seqs)
}

func (l *fakeLocal) OutboxBackfill(_ context.Context, dest, jid string) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken != nil {
		return 0, l.broken
	}
	for _, r := range l.kept[jid] {
		l.seq++
		l.rows = append(l.rows, returners.Item{Seq: l.seq, Dest: dest, Kind: returners.KindReturn, JID: jid, ID: r.ID, Payload: r.Full, Return: &r})
	}
	return len(l.kept[jid]), nil
}

func (l *fakeLocal) OutboxForget(_ context.Context, dest string, limit int) (n int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rows = slices.DeleteFunc(l.rows, func(it returners.Item) bool {
		gone := it.Dest == dest && n < limit
		if gone {
			n++
		}
		return gone
	})
	return n, l.broken
}

func (l *fakeLocal) OutboxDests() map[string]int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := map[string]int64{}
	for _, it := range l.rows {
		out[it.Dest]++
	}
	return out
}

func (l *fakeLocal) OutboxSize(dest string) (rows, bytes int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, it := range l.rows {
		if it.Dest == dest {
			rows, bytes = rows+1, bytes+int64(len(it.Payload))
		}
	}
	return rows, bytes
}

func (l *fakeLocal) OutboxDepth(_ context.Context, dest string) (int64, time.Time, error) {
	rows, _ := l.OutboxSize(dest)
	return rows, time.Time{}, l.broken
}

func (l *fakeLocal) depth() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.rows)
}

func (l *fakeLocal) setAside() []returners.Item {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]returners.Item(nil), l.rejected...)
}

// commit adds a return to the outbox, as the job store does with new returns.
func (l *fakeLocal) commit(tb testing.TB, jid, id string, extra ...any) {
	tb.Helper()
	ret := wire.NewMap("cmd", "_return", "id", id, "success", true, "return", true, "retcode", 0, "jid", jid,
		"fun", "test.ping", "fun_args", []any{})
	for i := 0; i < len(extra); i += 2 {
		ret.Set(extra[i], extra[i+1])
	}
	raw, err := wire.Encode(ret)
	if err != nil {
		tb.Fatal(err)
	}
	l.commitRaw(jid, id, raw, ret.String("master_id"))
}

func (l *fakeLocal) commitRaw(jid, id string, payload []byte, masterID string) {
	l.mu.Lock()
	l.seq++
	l.rows = append(l.rows, returners.Item{
		Seq: l.seq, Dest: returners.DestAbove, Kind: returners.KindReturn, JID: jid, ID: id, Payload: payload,
		Return: &returners.Return{JID: jid, ID: id, MasterID: masterID},
	})
	l.kept[jid] = append(l.kept[jid], returners.Return{JID: jid, ID: id, Full: payload, MasterID: masterID})
	l.mu.Unlock()
	link.Signal(l.grown)
}

// own marks jobs as published here.
func (l *fakeLocal) own(tb testing.TB, jids ...string) {
	tb.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, jid := range jids {
		raw, err := wire.Encode(wire.NewMap("jid", jid, "fun", "test.ping"))
		if err != nil {
			tb.Fatal(err)
		}
		l.loads[jid] = returners.Load{JID: jid, Raw: raw}
		l.given[jid] = true
	}
}

// complete fires the event of a complete job.
func (l *fakeLocal) complete(tb testing.TB, jid string) {
	tb.Helper()
	l.fire(tb, "salt/job/"+jid+"/complete", wire.NewMap("jid", jid))
}

func (l *fakeLocal) fire(tb testing.TB, tag string, data *wire.Map) {
	tb.Helper()
	e := jobeventtest.Event(tb, tag, data)
	e.Stamp = time.Now()
	if err := l.bus.FireEvent(e); err != nil {
		tb.Fatal(err)
	}
}

// fakeJobs serves loads, returns and this node's own expectations; the forwarder reads nothing
// else.
type fakeJobs struct {
	returners.Reader
	returners.NoteReader
	l *fakeLocal
}

func (j fakeJobs) GetExpectations(_ context.Context, jid string) ([]returners.Expectation, error) {
	j.l.mu.Lock()
	defer j.l.mu.Unlock()
	if !j.l.given[jid] {
		return nil, nil
	}
	return []returners.Expectation{{JID: jid, State: returners.StateAnswered}}, nil
}

func (j fakeJobs) GetLoad(_ context.Context, jid string) (returners.Load, bool, error) {
	j.l.mu.Lock()
	defer j.l.mu.Unlock()
	load, ok := j.l.loads[jid]
	return load, ok, nil
}

// fakeMaster receives the jobs published on the local master.
type fakeMaster struct {
	mu     sync.Mutex
	jobs   []*wire.Map
	answer func() error
	hold   map[string]chan struct{} // jid → blocks Publish until closed
}

func newFakeMaster() *fakeMaster { return &fakeMaster{hold: map[string]chan struct{}{}} }

func (m *fakeMaster) Publish(ctx context.Context, p wire.PublishLoad) error {
	raw, err := p.Encode()
	if err != nil {
		return err
	}
	load, err := wire.DecodeMap(raw)
	if err != nil {
		return err
	}
	m.mu.Lock()
	m.jobs = append(m.jobs, load)
	answer, hold := m.answer, m.hold[p.JID]
	m.mu.Unlock()
	if hold != nil {
		select {
		case <-hold:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if answer != nil {
		return answer()
	}
	return nil
}

func (m *fakeMaster) answers(f func() error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.answer = f
}

func (m *fakeMaster) published() []*wire.Map {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]*wire.Map(nil), m.jobs...)
}

func (m *fakeMaster) jids() []string {
	var out []string
	for _, j := range m.published() {
		out = append(out, j.String("jid"))
	}
	return out
}

func (j fakeJobs) GetReturns(_ context.Context, jid string) ([]returners.Return, error) {
	j.l.mu.Lock()
	defer j.l.mu.Unlock()
	return slices.Clone(j.l.kept[jid]), nil
}
