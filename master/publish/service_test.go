package publish

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/tracing"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/master/retention"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/memory"
	"github.com/momtree/mom/topology"
)

var quiet = slog.New(slog.DiscardHandler)

const someJob = "20260102030405000001"

// world is the master around a service, with one minion. It stores and publishes at once.
type world struct {
	sending func(jid string) // called by Send; nil: nothing is called
	decided chan struct{}    // closed when the effects of a job are carried out; may be nil

	*Service
	store *memory.Store
	full  error // error of the disk

	crowded error // error of a full queue of the engine
	tree    topology.Node
	calls   []string
	ref     any                  // of the current publication
	runs    func(id string) bool // of the current publication

	engine *engine.Engine // nil: no job is known
	meant  *ownership.Meant
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{store: memory.Open(time.Now), meant: ownership.NewMeant()}
	w.Service = New(Options{
		Ctx: t.Context(), Config: config.DefaultMaster(), Access: &access.Control{List: access.New(access.Options{Log: quiet}), Own: "root"}, Policy: w, Peers: w, Publications: outgoing{w}, Jobs: fakeEngine{w}, Accounts: fakeEngine{w}, Trespassed: w.trespassed, Audit: func(access.Asked) {},
		Tree: tree{w}, Files: files{w}, Signatures: unsigned{}, Store: w, Traces: traces{}, Own: "root", JID: func() string { return someJob },
		Refused: func(_, user, fun string) { w.record("refused " + user + " " + fun) },
		Failing: func(what string, _ error, _ ...any) { w.record(what) }, Fire: func(tag string, _ wire.Raw) { w.record("fired " + tag) },
		Log: quiet, Now: time.Now,
	})
	t.Cleanup(func() {
		if err := w.store.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

func (w *world) record(what string) { w.calls = append(w.calls, what) }

// want compares the calls since the last want.
func (w *world) want(t *testing.T, calls ...string) {
	t.Helper()
	if !slices.Equal(w.calls, calls) {
		t.Errorf("calls %q, want %q", w.calls, calls)
	}
	w.calls = nil
}

func (w *world) Match(tgt any, tgtType, _ string) (ownership.Audience, error) {
	expr, err := target.Parse(tgt, tgtType, target.Options{})
	a := ownership.Audience{Expr: expr}
	if err == nil && expr.Match(target.ID("m1")) {
		a.Minions = []string{"m1"}
	}
	for _, n := range w.tree.Nodes {
		a.Nodes = append(a.Nodes, engine.Node{ID: n.ID})
	}
	return a, err
}

func (w *world) Where(letter, pattern string) ([]string, error) {
	if letter == "B" && pattern == "n1" {
		return []string{"m1"}, nil
	}
	return nil, errors.New("unknown node " + pattern)
}
func (w *world) Aimed(jid, tgtType string, expr target.Expr) { w.meant.Note(jid, tgtType, expr) }
func (w *world) Widened(jid, tgtType string, expr target.Expr) {
	w.record("widened " + jid)
	w.meant.Widen(jid, tgtType, expr)
}

func (w *world) Conns([]string) map[uint64]bool  { return nil }
func (w *world) trespassed(t ownership.Trespass) { w.record("trespass " + t.Kind) }
func (w *world) Awaits(string) bool              { return false }
func (w *world) LookAgain(engine.Job)            {}
func (w *world) Runs(id, jid string) bool        { return id == "m1" && jid == someJob }
func (w *world) Local() returners.Reader         { return w.store }
func (w *world) Minions(ids []string, _ func(string) bool) []engine.Minion {
	return make([]engine.Minion, len(ids))
}

func (w *world) Save(ctx context.Context, b returners.Batch) (returners.Result, error) {
	if w.full != nil {
		return returners.Result{}, w.full
	}
	return w.store.Commit(ctx, b)
}

// tree is that of the master.
type tree struct{ w *world }

func (x tree) Node(id string) (topology.Node, bool) { return x.w.tree.At(id) }
func (x tree) Snapshot() topology.Node              { return x.w.tree }

// files records written jobs.
type files struct{ w *world }

func (f files) Job(jid string, _ wire.Raw, _ []string) { f.w.record("shown " + jid) }
func (f files) Grown(jid string)                       { f.w.record("shown " + jid) }

// unsigned signs nothing.
type unsigned struct{}

func (unsigned) SignJob(*wire.Publication, *wire.Map, bool) error { return nil }

type traces struct{}

func (traces) Received(string, time.Time)  {}
func (traces) Published(string, time.Time) {}

func (traces) Traced(string, tracing.Carrier) {}

type outgoing struct{ w *world }

func (outgoing) QueueUntil(_ wire.PublishLoad, extra *wire.Map) (time.Time, error) {
	if n := extra.Int("queue_until"); n > 0 {
		return time.Unix(n, 0), nil
	}
	return time.Time{}, nil
}

func (outgoing) Retain(wire.Publication, []string, time.Time) ([]byte, error) {
	return []byte("kept"), nil
}
func (outgoing) Published(returners.Part) bool  { return false }
func (outgoing) Kept(string) []retention.Record { return nil }
func (p outgoing) DropPart(x returners.Part)    { p.w.record("dropped " + x.String()) }
func (p outgoing) Send(x wire.Publication, _ []string, _ *zmtp.Choice) error {
	if p.w.sending != nil {
		p.w.sending(x.JID)
	}
	p.w.record("sent " + x.JID)
	return nil
}

// fakeEngine publishes a job once it is stored.
type fakeEngine struct{ w *world }

func (e fakeEngine) Publish(_ context.Context, p engine.Publication) (engine.Save, bool, error) {
	e.w.ref, e.w.runs = p.Ref, p.Runs
	return engine.Save{Batch: returners.Batch{Loads: []returners.Load{own(p.Load)}, Expectations: []returners.Expectation{{JID: p.Spec.JID, Minions: p.Minions}}}}, false, nil
}

func own(l returners.Load) returners.Load {
	l.Own = true
	return l
}

func (e fakeEngine) Saved(s engine.Save, _ returners.Result, err error) {
	if err == nil {
		e.w.Started(engine.Started{Ref: e.w.ref})
		e.w.Publish(engine.Publish{Ref: e.w.ref})
		if e.w.decided != nil {
			close(e.w.decided)
		}
	}
}
func (fakeEngine) Known(_ context.Context, jid string) (bool, error) { return jid == someJob, nil }
func (e fakeEngine) Expected(jid string) (engine.Expected, bool) {
	if e.w.engine == nil {
		return engine.Expected{}, false
	}
	return e.w.engine.Expected(jid)
}
func (fakeEngine) Published(returners.Part)                  {}
func (fakeEngine) WaitStored(context.Context, uint64) error  { return nil }
func (e fakeEngine) WaitRoom(context.Context) error          { return e.w.crowded }
func (fakeEngine) CountStored(context.Context, string) error { return nil }

func load(t *testing.T, tgt, fun, jid string) wire.Raw {
	t.Helper()
	b, err := wire.Encode(wire.NewMap("cmd", "publish", "tgt", tgt, "tgt_type", "glob", "fun", fun, "arg", []any{}, "jid", jid, "user", "root"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A job is stored before it is announced and published. If storing fails, it is not published.
func TestStart(t *testing.T) {
	w := newWorld(t)
	if _, err := w.PublishLoad(t.Context(), load(t, "nosuch", "test.ping", ""), access.By{Owner: "root"}); !errors.Is(err, ErrNoMatch) {
		t.Errorf("without a match: %v", err)
	}
	w.want(t)
	w.full = returners.ErrFull
	if _, err := w.PublishLoad(t.Context(), load(t, "*", "test.ping", ""), access.By{Owner: "root"}); !errors.Is(err, ErrNotNow) || !errors.Is(err, returners.ErrFull) {
		t.Errorf("on a full disk: %v", err)
	}
	w.want(t, "dropped "+someJob, "job not started")
	w.full = nil
	j, err := w.PublishLoad(t.Context(), load(t, "*", "test.ping", ""), access.By{Owner: "root"})
	if err != nil || j.JID != someJob {
		t.Fatalf("%+v, %v", j, err)
	}
	w.want(t, "shown "+someJob, "fired salt/job/"+someJob+"/new", "sent "+someJob)
	if !w.runs("m1") || w.runs("m2") {
		t.Error("the engine does not learn which minions run the job")
	}
}

// A repeated jid must bring the same job.
func TestSameJob(t *testing.T) {
	w := newWorld(t)
	for range 2 {
		if _, err := w.PublishLoad(t.Context(), load(t, "*", "test.ping", someJob), access.By{Owner: "root"}); err != nil {
			t.Fatal(err)
		}
	}
	w.calls = nil
	if _, err := w.PublishLoad(t.Context(), load(t, "*", "test.echo", someJob), access.By{Owner: "root"}); err == nil || errors.Is(err, ErrNotNow) {
		t.Errorf("another job: %v", err)
	}
	w.want(t, "trespass "+ownership.OfRecord)
}

// A job with a list target is extended by another list: the load names all minions, the
// publication the further ones. Any other difference is refused by name.
func TestGrow(t *testing.T) {
	w := newWorld(t)
	give := func(by access.By, fields ...any) error {
		t.Helper()
		m := wire.NewMap("cmd", "publish", "tgt", []any{"m1"}, "tgt_type", "list", "fun", "test.ping", "arg", []any{}, "jid", someJob, "user", "root")
		for i := 0; i < len(fields); i += 2 {
			m.Set(fields[i], fields[i+1])
		}
		b, err := wire.Encode(m)
		if err == nil {
			_, err = w.PublishLoad(t.Context(), b, by)
		}
		return err
	}
	root := access.By{Owner: "root"}
	stored := func() (ids []string, part int) {
		t.Helper()
		l, _, err := w.store.GetLoad(t.Context(), someJob)
		if err != nil {
			t.Fatal(err)
		}
		return listedIDs(l.Raw), l.Part()
	}
	if err := give(root); err != nil {
		t.Fatal(err)
	}
	if ids, part := stored(); !slices.Equal(ids, []string{"m1"}) || part != 0 {
		t.Errorf("first: %v, part %d", ids, part)
	}
	w.calls = nil
	w.tree.Nodes = []topology.Node{{ID: "n1"}} // it may have the others
	if err := give(root, "tgt", []any{"m3", "m2"}); err != nil {
		t.Fatal(err)
	}
	w.want(t, "shown "+someJob, "fired salt/job/"+someJob+"/new", "widened "+someJob, "sent "+someJob)
	if ids, part := stored(); !slices.Equal(ids, []string{"m1", "m2", "m3"}) || part != 3 {
		t.Errorf("extended: %v, part %d", ids, part)
	}
	for what, c := range map[string]struct {
		by     access.By
		fields []any
		names  string
	}{
		"function":     {root, []any{"fun", "test.echo", "tgt", []any{"m4"}}, "different fun"},
		"arguments":    {root, []any{"arg", []any{1}, "tgt", []any{"m4"}}, "different arg"},
		"pattern":      {root, []any{"tgt", "*", "tgt_type", "glob"}, "different tgt_type"},
		"a queued":     {root, []any{"tgt", []any{"m4"}, "kwargs", wire.NewMap("queue_until", time.Now().Add(time.Hour).Unix())}, "different tgt"},
		"its own part": {root, []any{"tgt", []any{"m4"}, "fun", "test.echo", "kwargs", wire.NewMap(returners.PartField, 9)}, "different fun"},
	} {
		w.calls = nil
		if err := give(c.by, c.fields...); err == nil || errors.Is(err, ErrNotNow) || !strings.Contains(err.Error(), c.names) {
			t.Errorf("%s: %v, want %s", what, err, c.names)
		}
		w.want(t, "trespass "+ownership.OfRecord)
	}
	tgt, err := wire.Encode([]any{"m4"})
	if err != nil {
		t.Fatal(err)
	}
	fun, err := wire.Encode("test.ping")
	if err != nil {
		t.Fatal(err)
	}
	for user, want := range map[string]string{"root": "", "eve": "different user"} {
		j, err := w.Read(wire.PublishLoad{Tgt: tgt, TgtType: "list", Fun: fun, Arg: wire.Raw{0x90}, JID: someJob, User: user}, false)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.checkSameJob(t.Context(), j); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("user %s: %v, want %q", user, err, want)
		}
	}
	if ids, part := stored(); len(ids) != 3 || part != 3 {
		t.Errorf("in the end: %v, part %d", ids, part)
	}
}

// A return is refused if the job certainly does not match its minion. That needs the whole job: a
// part may be repeated after a restart, and a master above may publish others around this node.
func TestGrow_WhoIsRefused(t *testing.T) {
	w := newWorld(t)
	give := func(tgt any, tgtType string, asks ...returners.Note) {
		t.Helper()
		b, err := wire.Encode(wire.NewMap("cmd", "publish", "tgt", tgt, "tgt_type", tgtType, "fun", "test.ping", "arg", []any{}, "jid", someJob, "user", "root"))
		if err == nil {
			_, err = w.PublishLoad(t.Context(), b, access.By{Owner: "root"}, asks...)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	refused := func(want ...string) {
		t.Helper()
		var got []string
		for _, id := range []string{"m1", "m2", "m3", "m4"} {
			if w.meant.Excludes(someJob, id) {
				got = append(got, id)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("refused %v, want %v", got, want)
		}
	}
	w.tree.Nodes = []topology.Node{{ID: "n1"}} // it may have the others
	give([]any{"m1"}, "list")
	refused("m2", "m3", "m4")
	give([]any{"m2"}, "list")
	refused("m3", "m4")
	w.meant = ownership.NewMeant() // restarted after the job had ended
	give([]any{"m2"}, "list")
	refused("m3", "m4")

	above := returners.Note{Kind: returners.NoteOrigin, JID: someJob, Key: "above"}
	for tgtType, want := range map[string][]string{"list": nil, "glob": {"m2", "m3", "m4"}} {
		w.meant, w.store = ownership.NewMeant(), memory.Open(time.Now)
		give("m1", tgtType, above)
		refused(want...)
	}
}

// No new job starts while the queue of records is full. A known job needs no room, and its second
// requester gets the history at once.
func TestRoom(t *testing.T) {
	w := newWorld(t)
	crowded := errors.New("the disk is slow")
	w.crowded = crowded
	for _, c := range []struct {
		job  Job
		want error
	}{{Job{JID: someJob, fromAbove: true}, nil}, {Job{JID: "2", fromAbove: true}, crowded}, {Job{JID: someJob}, crowded}} {
		if err := w.room(t.Context(), &c.job); !errors.Is(err, c.want) {
			t.Errorf("%+v: %v, want %v", c.job, err, c.want)
		}
	}
}

// Signing and sending do not hold up the goroutine that carries out effects: it is done with a
// job while the job is still being sent.
func TestStart_SendingBlocksNoEffects(t *testing.T) {
	w := newWorld(t)
	w.decided = make(chan struct{})
	w.sending = func(string) {
		select {
		case <-w.decided:
		case <-time.After(10 * time.Second):
			t.Error("the effects wait for the job to be sent")
		}
	}
	if _, err := w.PublishLoad(t.Context(), load(t, "*", "test.ping", ""), access.By{Owner: "root"}); err != nil {
		t.Fatal(err)
	}
	w.want(t, "shown "+someJob, "fired salt/job/"+someJob+"/new", "sent "+someJob)
}
